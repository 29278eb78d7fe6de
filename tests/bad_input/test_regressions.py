"""Wrong targets of regressions, and methods for classifications only."""

import numpy as np
import pytest

from exactree import MethodRefused, OptimalTreeRegressor, Problem, smallest_equal_tree, solve
from exactree.prune import prune_with_bound, prune_with_cross_validation

from .mistakes import Mistake, X, Y, is_short_line

TARGETS = [
    Mistake("nan", ("y", "NaN", "row 2"), y=[0.0, 1.0, np.nan, 0.0]),
    Mistake("none", ("y", "missing", "row 1"), y=[0.0, None, 1.0, 0.0]),
    Mistake("infinite", ("y", "infinite", "row 1"), y=[0.0, np.inf, 1.0, 0.0]),
    Mistake("minus infinity", ("y", "-inf", "row 3"), y=[0.0, 1.0, 2.0, -np.inf]),
    Mistake("text", ("y", "row 0", "'a' is text", "classifier"), y=["a", "b", "a", "b"]),
    Mistake("text among numbers", ("y", "row 2", "'b' is text"), y=[1.0, 2.0, "b", 4.0]),
    Mistake("numbers as text", ("y", "astype(float)"), y=["1", "2", "3", "4"]),
    Mistake("complex", ("Complex data not supported",), y=[1j, 0, 0, 0]),
    Mistake("dates", ("y", "dates"), y=np.array(["2020-01-01"] * 4, dtype="datetime64[D]")),
    Mistake("objects", ("y", "row 0"), y=[object(), 1, 2, 3], error=TypeError),
    Mistake("beyond squares", ("y", "row 1", "2**400"), y=[0, 1e200, 2, 3]),
    Mistake("not exact", ("y", "row 3", "2**53"), y=[0, 1, 2, 2**53 + 1]),
    Mistake("no targets", ("y",), y=None),
    Mistake("two columns", ("y should be a 1d array",), y=np.column_stack([Y, Y])),
    Mistake("fewer", ("4", "3", "y"), y=[0.5, 1, 2]),
    Mistake("weight", ("sample_weight", "row 1"), y=[0, 1, 2, 3], sample_weight=[1, -1, 1, 1]),
]


@pytest.mark.parametrize("mistake", TARGETS, ids=lambda mistake: mistake.name)
def test_bad_targets_are_refused_in_one_sentence(mistake: Mistake) -> None:
    model = OptimalTreeRegressor(max_depth=1)
    with pytest.raises(mistake.error) as caught:
        model.fit(X, mistake.y, sample_weight=mistake.sample_weight)
    message = str(caught.value)
    for word in mistake.words:
        assert word.lower() in message.lower(), message
    assert is_short_line(message), message
    assert not hasattr(model, "tree_")


def test_bad_targets_of_zero_weight_are_dropped() -> None:
    model = OptimalTreeRegressor(max_depth=0, implementation="spec")
    model.fit(X, [1, 2, np.nan, np.inf], sample_weight=[1, 1, 0, 0])
    assert model.predict(X).tolist() == [1.5] * 4


def test_methods_for_classifications_refuse_regressions() -> None:
    problem = Problem(X, Y, minimize="squared_error")
    for method in ("witness", "box", "proper", "subsets", "support-sets", "threshold"):
        for implementation in ("native", "spec"):
            with pytest.raises(MethodRefused, match="it predicts classes, not numbers"):
                solve(problem, method, implementation)
    tree = solve(problem, "branch-and-bound", "spec").tree
    for prune in (prune_with_bound, prune_with_cross_validation):
        with pytest.raises(TypeError, match="RegressionTree"):
            prune(tree, X, Y)
    with pytest.raises(TypeError, match="RegressionTree"):
        smallest_equal_tree(tree)
