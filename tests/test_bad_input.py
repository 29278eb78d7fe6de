"""Bad input: one clear sentence for each kind, and nothing changes on failure.

One row of a table per kind of mistake. `make_dataset`, the files of `tests/data` and the command
line have tests of their own; here it is what a user of the estimator, of `Problem` and of `solve`
reads.
"""

import copy
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from exactree import (
    Ensemble,
    Infeasible,
    Limits,
    MethodRefused,
    ModelError,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Problem,
    Status,
    Tree,
    count_optimal,
    enumerate_optimal,
    pareto_front,
    smallest_equal_tree,
    solve,
)
from exactree.export import from_json, to_json
from exactree.prune import prune_with_bound, prune_with_cross_validation
from exactree.rules import (
    AxisParallel,
    FixedRules,
    Hyperplanes,
    Hypersurfaces,
    Mixed,
    RuleFamily,
    SurfaceRule,
)
from exactree.theory import TreeShape, risk_bound, shape_of, vapnik_risk_bound

X = np.array([[0.0, 3.0], [1.0, 2.0], [2.0, 1.0], [3.0, 0.0]])
Y = np.array([0, 0, 1, 1])
LONG_TENTH = np.longdouble(1) / np.longdouble(10)
FRAME = pd.DataFrame({"age": X[:, 0], "height": X[:, 1]})


def small(**parameters: Any) -> OptimalTreeClassifier:
    """Return an estimator that runs the readable specification."""
    return OptimalTreeClassifier(**({"implementation": "spec", "max_depth": 1} | parameters))


def with_value(value: Any, row: int, column: int = 1) -> Any:
    """Return the table with one value replaced in this row and the one after it."""
    table = X.astype(object) if isinstance(value, str) else X.copy()
    table[row : row + 2, column] = value
    return table


@dataclass(frozen=True)
class Mistake:
    """A wrong call of ``fit`` and the words that must be in its message."""

    name: str
    words: tuple[str, ...]
    X: Any = None
    y: Any = None
    sample_weight: Any = None
    error: type[Exception] = ValueError


TABLES = [
    Mistake("infinity", ("inf", "x1", "row 2"), X=with_value(np.inf, 2)),
    Mistake("minus infinity", ("inf", "x0", "row 0"), X=with_value(-np.inf, 0, 0)),
    Mistake("text", ("x1", "one-hot"), X=with_value("tall", 1)),
    Mistake(
        "numbers as text in pandas",
        ("height", "astype"),
        X=FRAME.assign(height=["1", "2", "1", "2"]),
    ),
    Mistake(
        "numbers as text in polars",
        ("height", "astype"),
        X=pl.DataFrame({"height": ["1", "2", "1", "2"]}),
    ),
    Mistake("dates", ("height", "dates"), X=FRAME.assign(height=pd.Timestamp("2020-01-01"))),
    Mistake("text and numbers", ("height", "do not mix"), X=FRAME.assign(height=["a", 1, "b", 2])),
    Mistake("whole number too large", ("x0", "2**53"), X=np.array([[2**53 + 1], [0], [1], [2]])),
    Mistake(
        "longdouble",
        ("x1", "row 2", "float64"),
        X=np.where(np.arange(8).reshape(4, 2) < 5, X.astype(np.longdouble), LONG_TENTH),
    ),
    Mistake("longdouble in a list", ("x0", "row 1", "float64"), X=[[0.0], [LONG_TENTH], [2], [3]]),
    Mistake("longdouble too large", ("x0", "row 0"), X=[[np.longdouble(2.0) ** 2000]] * 4),
    Mistake("decimal too large", ("x0", "row 1"), X=[[0], [Decimal("1e400")], [1], [2]]),
    Mistake("whole decimal", ("x0", "2**53"), X=[[Decimal(2**53 + 1)], [0], [1], [2]]),
    Mistake("huge fraction", ("x0", "1329 bits"), X=[[Fraction(10**400)], [0], [1], [2]]),
    Mistake(
        "decimals that float64 merges",
        ("x0", "row 1", "same number in float64"),
        X=[[Decimal("0.1")], [Decimal("0.10000000000000000001")], [1], [2]],
    ),
    Mistake(
        "masked whole number too large",
        ("x0", "row 0", "2**53"),
        X=np.ma.array([[2**53 + 1], [0], [1], [2]], mask=[[0], [1], [0], [0]]),
    ),
    Mistake("complex", ("Complex data not supported",), X=X + 1j),
    Mistake("one dimension", ("Reshape your data",), X=X[:, 0]),
    Mistake("three dimensions", ("3D", "one row per example"), X=X[:, :, None]),
    Mistake("no rows", ("0 sample(s)",), X=X[:0], y=Y[:0]),
    Mistake("no rows, list", (), X=[], y=[]),
    Mistake("no features", ("0 feature(s)",), X=X[:, :0]),
    Mistake("no features, frame", ("0 feature(s)",), X=FRAME[[]]),
    Mistake("fewer labels than rows", ("4", "3", "y"), y=Y[:3]),
    Mistake("more labels than rows", ("4", "8", "y"), y=np.repeat(Y, 2)),
    Mistake("no labels", ("y",), y=None),
    Mistake("label nan", ("y", "NaN", "row 2"), y=[0.0, 1.0, np.nan, 0.0]),
    Mistake("label infinite", ("y", "inf", "row 1"), y=[0.0, np.inf, 1.0, 0.0]),
    Mistake("two columns of labels", ("y should be a 1d array",), y=np.column_stack([Y, Y])),
    Mistake("ragged labels", ("y", "hashable"), y=[[1], [2, 3], [1], [1]], error=TypeError),
    Mistake("label not hashable", ("y", "hash"), y=[{}, {}, {}, {}], error=TypeError),
    Mistake("negative weight", ("sample_weight", "negative", "row 2"), sample_weight=[1, 1, -1, 1]),
    Mistake("weights all zero", ("sample_weight", "zero"), sample_weight=[0, 0, 0, 0]),
    Mistake("weight nan", ("sample_weight", "NaN", "row 1"), sample_weight=[1, np.nan, 1, 1]),
    Mistake("weight infinite", ("sample_weight", "inf", "row 3"), sample_weight=[1, 1, 1, np.inf]),
    Mistake("fewer weights", ("sample_weight", "4", "2"), sample_weight=[1, 1]),
    Mistake("weights in a table", ("sample_weight",), sample_weight=np.ones((4, 2))),
    Mistake("text as weights", ("sample_weight",), sample_weight=["a", "b", "c", "d"]),
]


def one_sentence(message: str) -> bool:
    """Tell whether a message is short and on one line, as a sentence is."""
    return 10 < len(message) < 400 and "\n" not in message.strip()


@pytest.mark.parametrize("mistake", TABLES, ids=lambda mistake: mistake.name)
def test_a_bad_table_is_refused_in_one_sentence(mistake: Mistake) -> None:
    model = small()
    table = X if mistake.X is None else mistake.X
    labels = Y if mistake.y is None and mistake.name != "no labels" else mistake.y
    with pytest.raises(mistake.error) as caught:
        model.fit(table, labels, sample_weight=mistake.sample_weight)
    message = str(caught.value)
    for word in mistake.words:
        assert word.lower() in message.lower(), message
    assert one_sentence(message), message
    assert not hasattr(model, "tree_")


PARAMETERS = [
    ("minimize", "accuracy"),
    ("minimize", "squared_error"),  # of regressions
    ("minimize", ("size", "absolute_error")),
    ("minimize", "total_size"),  # of ensembles
    ("minimize", ("size", "size")),
    ("max_depth", -1),
    ("max_depth", "deep"),
    ("max_depth", 2.5),
    ("max_depth", True),
    ("max_depth", 1e30),
    ("max_size", -1),
    ("max_size", 1.5),
    ("max_errors", -1),
    ("max_errors", float("nan")),
    ("max_errors", "few"),
    ("min_samples_leaf", 0),
    ("min_samples_leaf", -3),
    ("min_samples_leaf", 1.5),
    ("min_samples_leaf", float("nan")),
    ("leaf_penalty", -0.1),
    ("leaf_penalty", float("inf")),
    ("leaf_penalty", "dear"),
    ("rules", "oblique"),
    ("categories", [5]),
    ("categories", "age"),
    ("method", "magic"),
    ("method", "witness"),  # comes later
    ("implementation", "gpu"),
    ("time_limit", -1),
    ("time_limit", 0),
    ("time_limit", float("nan")),
    ("time_limit", "long"),
    ("memory_limit", -1),
    ("memory_limit", "much"),
    ("n_jobs", 1.5),
    ("n_jobs", 0),
    ("stop_at_gap", -0.5),
    ("stop_at_gap", "small"),
    ("on_progress", "print"),
    ("verbose", "loud"),
    ("verbose", -1),
]


@pytest.mark.parametrize(("name", "value"), PARAMETERS)
def test_an_unknown_parameter_value_is_refused_by_name(name: str, value: Any) -> None:
    model = small(**{name: value})
    with pytest.raises((ValueError, TypeError)) as caught:
        model.fit(X, Y)
    message = str(caught.value)
    assert name in message, message
    assert one_sentence(message), message


def test_a_method_of_a_later_issue_names_those_that_accept() -> None:
    with pytest.raises(MethodRefused, match="branch-and-bound"):
        small(method="witness").fit(X, Y)


def test_single_class_is_a_leaf_and_proved() -> None:
    model = small().fit(X, ["only"] * 4)
    assert model.outcome_.status is Status.OPTIMAL
    assert model.outcome_.cost == 0
    assert model.get_n_leaves() == 1
    assert model.predict(X).tolist() == ["only"] * 4
    assert model.predict_proba(X).tolist() == [[1.0]] * 4


def test_one_row_is_a_leaf_and_proved() -> None:
    model = small().fit(X[:1], Y[:1])
    assert model.outcome_.status is Status.OPTIMAL
    assert model.get_n_leaves() == 1
    assert model.predict(X).tolist() == [0] * 4


def test_rows_of_zero_weight_can_leave_one_class() -> None:
    model = small().fit(X, Y, sample_weight=[1, 1, 0, 0])
    assert model.classes_.tolist() == [0]
    assert model.predict(X).tolist() == [0] * 4


IMPOSSIBLE = [
    ({"min_samples_leaf": 5}, "min_samples_leaf"),
    ({"max_errors": 1, "max_depth": 0}, "max_errors"),
    ({"max_errors": 0, "max_size": 0}, "max_errors"),
]


@pytest.mark.parametrize(("limits", "word"), IMPOSSIBLE)
def test_impossible_limits_are_infeasible_with_the_reason(
    limits: dict[str, Any], word: str
) -> None:
    outcome = solve(Problem(X, Y, limits=Limits(**limits)), implementation="spec")
    assert outcome.status is Status.INFEASIBLE
    assert outcome.tree is None
    assert outcome.cost is None
    assert outcome.reason is not None
    assert word in outcome.reason
    with pytest.raises(Infeasible, match=word):
        small(**({"max_depth": None} | limits)).fit(X, Y)


def test_contradictory_rows_make_zero_errors_infeasible() -> None:
    problem = Problem([[1], [1], [2]], [0, 1, 1], limits=Limits(max_errors=0))
    outcome = solve(problem, implementation="spec")
    assert outcome.status is Status.INFEASIBLE
    assert re.search("contradict|max_errors", outcome.reason or "")


def test_a_penalty_together_with_max_errors_is_not_for_the_engine() -> None:
    with pytest.raises(MethodRefused, match="leaf_penalty and max_errors together"):
        small(leaf_penalty=0.01, max_errors=1, implementation="native").fit(X, Y)
    assert small(leaf_penalty=0.01, max_errors=1).fit(X, Y).outcome_.cost > 0


def test_a_penalty_without_errors_to_minimize_is_refused() -> None:
    with pytest.raises(ValueError, match="leaf_penalty must be 0 unless 'errors' is in minimize"):
        small(leaf_penalty=0.01, minimize="size").fit(X, Y)


# --- regressions --------------------------------------------------------------------------------

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
    assert one_sentence(message), message
    assert not hasattr(model, "tree_")


def test_bad_targets_without_weight_are_dropped() -> None:
    model = OptimalTreeRegressor(max_depth=0, implementation="spec")
    model.fit(X, [1, 2, np.nan, np.inf], sample_weight=[1, 1, 0, 0])
    assert model.predict(X).tolist() == [1.5] * 4


def test_methods_for_classes_refuse_numbers() -> None:
    problem = Problem(X, Y, minimize="squared_error")
    for method in ("witness", "box", "proper", "subsets", "support-sets", "threshold"):
        for implementation in ("native", "spec"):
            with pytest.raises(MethodRefused, match="it predicts classes, no numbers; use 'branch"):
                solve(problem, method, implementation)
    tree = solve(problem, "branch-and-bound", "spec").tree
    for prune in (prune_with_bound, prune_with_cross_validation):
        with pytest.raises(TypeError, match="RegressionTree"):
            prune(tree, X, Y)
    with pytest.raises(TypeError, match="RegressionTree"):
        smallest_equal_tree(tree)


# --- ensembles ----------------------------------------------------------------------------------

FORMS = [("witness", "native"), ("subsets", "native"), ("witness", "spec"), ("subsets", "spec")]
CHAIN = [[0.0], [1.0], [2.0], [3.0]]


@pytest.mark.parametrize("n_trees", [0, -1, 2.5, "three", None, True])
def test_no_ensemble_of_no_trees(n_trees: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="n_trees must be an integer >= 1") as caught:
        Problem(X, Y, minimize="total_size", n_trees=n_trees)
    assert one_sentence(str(caught.value))
    with pytest.raises(ModelError, match="an ensemble needs at least one tree"):
        Ensemble(())


@pytest.mark.parametrize(("method", "implementation"), FORMS)
def test_the_outcome_says_where_the_votes_of_an_even_number_of_trees_tie(
    method: str, implementation: str
) -> None:
    """Two trees tell a from b by one node: the other tree says b, and a tie is for a."""
    problem = Problem([[0.0], [1.0]], ["a", "b"], minimize="total_size", n_trees=2)
    outcome = solve(problem, method=method, implementation=implementation)
    assert outcome.cost == 1
    assert outcome.ensemble is not None
    assert outcome.ensemble.predict([[0.0], [1.0]]).tolist() == ["a", "b"]
    assert outcome.stats["tied_rows"] == 1
    assert outcome.ensemble.ties([[0.0], [1.0]]).tolist() == [True, False]
    assert str(outcome).endswith("; where votes tie, in 1 row, the earlier class wins")
    odd = Problem([[0.0], [1.0]], ["a", "b"], minimize="total_size", n_trees=3)
    outcome = solve(odd, method=method, implementation=implementation)
    assert outcome.stats["tied_rows"] == 0
    assert "tie" not in str(outcome)


def test_three_classes_tie_with_an_odd_number_of_trees_too() -> None:
    problem = Problem([[0.0], [1.0], [2.0]], [0, 1, 2], minimize="total_size", n_trees=3)
    outcome = solve(problem, method="witness")
    votes = outcome.ensemble.votes(problem.dataset.X)
    tied = sum((row == row.max()).sum() > 1 for row in votes)
    assert outcome.stats["tied_rows"] == tied
    (last, *_) = pareto_front(problem, ("errors", "total_size"))
    assert last.stats["tied_rows"] == last.ensemble.ties(problem.dataset.X).sum()


@pytest.mark.parametrize("n_trees", [2, 3, 4])
@pytest.mark.parametrize("minimize", ["total_size", "largest_size", ("largest_size", "total_size")])
@pytest.mark.parametrize(("method", "implementation"), FORMS)
def test_contradictions_make_every_ensemble_infeasible_and_are_named(
    method: str, implementation: str, minimize: Any, n_trees: int
) -> None:
    asked = {"minimize": minimize, "n_trees": n_trees}
    problem = Problem([[1.0], [2.0], [1.0]], [0, 1, 1], **asked)
    outcome = solve(problem, method=method, implementation=implementation)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.ensemble is None
    assert outcome.cost is None
    assert re.search(r"at least 1 errors: rows 0, 2 have equal features", outcome.reason or "")
    allowed = Problem([[1.0], [2.0], [1.0]], [0, 1, 1], limits=Limits(max_errors=1), **asked)
    assert solve(allowed, method=method, implementation=implementation).status is Status.OPTIMAL


@pytest.mark.parametrize(
    ("limits", "word"),
    [
        ({"max_size": 0}, "max_size=0"),
        ({"max_total_size": 2}, "max_total_size=2"),
        ({"max_size": 1, "max_total_size": 2}, "max_size=1 and max_total_size=2"),
        ({"max_size": 0, "max_errors": 1}, "max_errors=1"),
    ],
)
@pytest.mark.parametrize(("method", "implementation"), FORMS)
def test_limits_that_exclude_every_ensemble_are_infeasible_with_the_reason(
    method: str, implementation: str, limits: dict[str, Any], word: str
) -> None:
    """A chain of four examples in turn takes three nodes, of one tree or of several."""
    asked = {"minimize": "total_size", "n_trees": 3}
    problem = Problem(CHAIN, [0, 1, 0, 1], limits=Limits(**limits), **asked)
    outcome = solve(problem, method=method, implementation=implementation)
    assert outcome.status is Status.INFEASIBLE
    assert outcome.ensemble is None
    assert word in (outcome.reason or "")
    assert one_sentence(str(outcome))
    assert list(enumerate_optimal(problem)) == []
    assert solve(Problem(CHAIN, [0, 1, 0, 1], **asked), method=method).cost == 3


def test_fronts_of_ensembles_that_nothing_meets_are_empty() -> None:
    problem = Problem(CHAIN, [0, 1, 0, 1], n_trees=3, limits=Limits(max_size=0, max_errors=0))
    for quantities in (("total_size", "errors"), ("n_trees", "total_size")):
        assert pareto_front(problem, quantities) == []


PREDICTIONS = [
    ("missing", FRAME[["age"]], "should match"),
    ("permuted", FRAME[["height", "age"]], "same order"),
    ("renamed", FRAME.rename(columns={"age": "years"}), "years"),
    ("too many", FRAME.assign(weight=1.0), "weight"),
    ("array too narrow", X[:, :1], "X has 1 features.*expecting 2"),
    ("array too wide", np.ones((2, 3)), "X has 3 features.*expecting 2"),
    ("list too wide", [[1.0, 2.0, 3.0]], "3 features"),
    ("infinity", FRAME.assign(height=np.inf), "inf.*height|height.*inf"),
    ("text", FRAME.assign(height="tall"), "height"),
    ("one dimension", X[0], "Reshape your data"),
]


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("method", ["predict", "predict_proba", "apply", "decision_path"])
@pytest.mark.parametrize(("name", "table", "words"), PREDICTIONS, ids=lambda value: str(value)[:12])
def test_a_bad_table_at_predict_time(method: str, name: str, table: Any, words: str) -> None:
    model = small().fit(FRAME, Y)
    with pytest.raises(ValueError, match="(?s)" + words):
        getattr(model, method)(table)


def test_no_rows_at_predict_time_give_no_predictions() -> None:
    model = small().fit(FRAME, Y)
    assert model.predict(FRAME[:0]).shape == (0,)
    assert model.predict_proba(FRAME[:0]).shape == (0, 2)
    assert model.apply(FRAME[:0]).shape == (0,)


@pytest.mark.parametrize(("name", "table", "words"), PREDICTIONS, ids=lambda value: str(value)[:12])
def test_a_tree_refuses_the_same_tables(name: str, table: Any, words: str) -> None:
    tree = small().fit(FRAME, Y).tree_
    with pytest.raises(ValueError, match=r"\w{4}"):
        tree.predict(table)


def test_a_failing_fit_leaves_the_earlier_fit_as_it_was() -> None:
    model = small().fit(FRAME, Y)
    before = dict(model.__dict__)
    failures: list[tuple[dict[str, Any], Any, Any, Any]] = [
        ({}, FRAME.assign(height=np.inf), Y, None),
        ({}, X, Y[:3], None),
        ({}, X, Y, [-1, 1, 1, 1]),
        ({"max_depth": -1}, X, Y, None),
        ({"max_depth": 0, "max_errors": 0}, X, Y, None),
        ({"method": "magic"}, X, Y, None),
    ]
    for parameters, table, labels, weights in failures:
        model.set_params(**parameters)
        with pytest.raises(ValueError, match=r"\w{4}"):
            model.fit(table, labels, sample_weight=weights)
        model.set_params(**{name: before[name] for name in parameters})
        assert model.__dict__ == before
    assert model.predict(FRAME).tolist() == Y.tolist()


def test_fit_changes_none_of_its_arguments() -> None:
    table, labels, weights = X.copy(), Y.copy(), np.ones(4)
    small().fit(table, labels, sample_weight=weights)
    np.testing.assert_array_equal(table, X)
    np.testing.assert_array_equal(labels, Y)
    table[:] = 0  # and the caller may go on using them
    assert table.flags.writeable


# --- hyperplanes and other surfaces ---------------------------------------------------------------

SURFACES = [Hyperplanes(), Hypersurfaces(2), Mixed([AxisParallel(), Hyperplanes()])]


@pytest.mark.parametrize("rules", SURFACES)
@pytest.mark.parametrize("mistake", TABLES[:3], ids=lambda mistake: mistake.name)
def test_surfaces_need_numbers_too(rules: RuleFamily, mistake: Mistake) -> None:
    with pytest.raises(ValueError, match=mistake.words[0]) as caught:
        Problem(mistake.X, Y, rules=rules)
    assert one_sentence(str(caught.value))
    tree = solve(Problem(X, Y, rules=rules)).tree
    assert tree is not None
    with pytest.raises(ValueError, match=mistake.words[0]):
        tree.predict(mistake.X)


@pytest.mark.parametrize("rules", SURFACES)
@pytest.mark.parametrize("implementation", ["native", "spec"])
def test_a_constant_table_gives_a_leaf(rules: RuleFamily, implementation: str) -> None:
    """Proved: nothing divides equal rows. Of one feature that varies there are thresholds."""
    constant = np.full((5, 2), 0.1)
    problem = Problem(constant, [0, 1, 1, 0, 1], rules=rules, limits=Limits(max_depth=2))
    outcome = solve(problem, implementation=implementation)
    assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 2, 0)
    constant[3:, 1] = 0.7
    problem = Problem(constant, [0, 1, 1, 0, 0], rules=rules, limits=Limits(max_depth=2))
    outcome = solve(problem, implementation=implementation)
    assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 1, 1)


@pytest.mark.parametrize("rules", SURFACES)
@pytest.mark.parametrize("n", [1, 2, 3])
def test_fewer_examples_than_a_surface_needs_are_divided_in_all_ways(
    rules: RuleFamily, n: int
) -> None:
    """A hyperplane of six features goes through six examples, one of degree two through 27."""
    table = np.random.default_rng(n).normal(size=(n, 6))
    for labels in ([0, 1, 0], [0, 0, 1], [1, 0, 0]):
        asked = {"rules": rules, "limits": Limits(max_depth=1)}
        outcome = solve(Problem(table, labels[:n], **asked))
        assert (outcome.status, outcome.cost) == (Status.OPTIMAL, 0)


@pytest.mark.parametrize(
    ("rules", "shape", "numbers"),
    [
        (Hyperplanes(), (400, 4), "1,050,739,900 surfaces through 4"),
        (Hypersurfaces(2), (60, 3), "surfaces through 9"),
        (Hypersurfaces(100), (200, 1), "surfaces through 100"),
        (Mixed([AxisParallel(), Hyperplanes()]), (300, 5), "surfaces through 5"),
    ],
)
def test_too_many_surfaces_are_refused_with_numbers_and_a_way_out(
    rules: RuleFamily, shape: tuple[int, int], numbers: str
) -> None:
    """At once: nothing is listed before."""
    table = np.random.default_rng(0).normal(size=shape)
    problem = Problem(table, np.arange(shape[0]) % 2, rules=rules)
    with pytest.raises(MethodRefused, match=numbers) as caught:
        solve(problem)
    message = str(caught.value)
    assert re.search(r"take [\d,.e+]+ bytes, more than 500,000,000", message)
    assert "Take fewer examples, a lower degree, or fewer features" in message
    assert one_sentence(message)


GIVEN: list[tuple[Any, type[Exception], str]] = [
    ([SurfaceRule.linear((1, 2, 3), 0)], ValueError, "rule 0: .* are for 3 features, and X has 2"),
    ([SurfaceRule((), (), 0.0)], ValueError, "rule 0: .* are for 0 features, and X has 2"),
    ([SurfaceRule(((1, 0),), (1.0, 2.0), 0.0)], ValueError, "has 2 weights for 1 monomials"),
    ([SurfaceRule(((1, -1),), (1.0,), 0.0)], ValueError, "powers must be integers from 0 to 100"),
    ([SurfaceRule(((1, 0.5),), (1.0,), 0.0)], ValueError, "powers must be integers"),  # type: ignore[arg-type]
    ([SurfaceRule.linear((1, np.nan), 0)], ValueError, "rule 0: .* must be finite"),
    ([SurfaceRule.linear((1, 1), np.inf)], ValueError, "rule 0: .* must be finite"),
    ([(1, 2)], TypeError, r"SurfaceRule.linear\(weights, threshold\) makes one"),
    (SurfaceRule.linear((1, 1), 0), TypeError, "FixedRules takes a list of rules.SurfaceRule"),
]


@pytest.mark.parametrize(("rules", "error", "words"), GIVEN)
def test_given_rules_that_do_not_match_the_rows(
    rules: Any, error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words) as caught:
        Problem(X, Y, rules=FixedRules(rules))
    assert one_sentence(str(caught.value))


def test_given_rules_that_divide_nothing_leave_a_leaf() -> None:
    for rules in ([], [SurfaceRule.linear((1, 1), 77.0)]):
        outcome = solve(Problem(X, Y, rules=FixedRules(rules)))  # type: ignore[arg-type]
        assert (outcome.status, outcome.cost, outcome.tree.size) == (Status.OPTIMAL, 2, 0)


# --- theory and pruning --------------------------------------------------------------------------

UNFIT: list[tuple[str, Callable[[], Any], str]] = [
    ("a shape of one child", lambda: TreeShape(TreeShape()), "the right child is missing"),
    ("a shape of no shape", lambda: TreeShape(TreeShape(), "."), "right child must be a TreeShape"),  # type: ignore[arg-type]
    ("the shape of no tree", lambda: shape_of(7), "tree must be a fitted tree"),  # type: ignore[arg-type]
    ("pruning no tree", lambda: prune_with_bound(7, X, Y), "tree must be a Tree, .*got int"),
    ("pruning what is not fitted", lambda: prune_with_bound(small(), X, Y), "not fitted yet"),
    ("no rows", lambda: prune_with_bound(small().fit(X, Y), X[:0], Y[:0]), "X has no rows"),
    ("fewer labels", lambda: prune_with_bound(small().fit(X, Y), X, Y[:3]), "4 rows but y has 3"),
    ("no labels", lambda: prune_with_bound(small().fit(X, Y), X, None), "y"),
    ("a new class", lambda: prune_with_bound(small().fit(X, Y), X, [0, 0, 1, 2]), "y, row 3: .* 2"),
    ("other columns", lambda: prune_with_bound(small().fit(X, Y), X[:, :1], Y), "X has 1 features"),
    (
        "a value that is no number",
        lambda: prune_with_bound(small().fit(X, Y), X * np.nan, Y),
        "NaN",
    ),
    ("folds of no tree", lambda: prune_with_cross_validation(None, X, Y), "got NoneType"),
]


@pytest.mark.parametrize(("name", "call", "words"), UNFIT, ids=lambda value: str(value)[:20])
def test_what_cannot_be_pruned_or_bounded(name: str, call: Callable[[], Any], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        call()
    assert one_sentence(str(caught.value)), name


PRUNING: list[tuple[str, Any, str]] = [
    ("delta", 0, "delta must be a number between 0 and 1, found 0"),
    ("delta", 1, "delta must be a number between 0 and 1, found 1"),
    ("delta", -0.1, "delta must be"),
    ("delta", float("nan"), "delta must be"),
    ("delta", None, "delta must be"),
    ("r", 0.0, "r must be a number between 0 and 1, found 0.0"),
    ("r", float("inf"), "r must be"),
    ("risk", "hoeffding", "risk must be one of shawe-taylor, vapnik, found 'hoeffding'"),
    ("form", "tighter", "form must be one of tight, loose, paper, found 'tighter'"),
]


@pytest.mark.parametrize(("name", "value", "words"), PRUNING)
def test_a_wrong_parameter_of_pruning_is_refused(name: str, value: Any, words: str) -> None:
    tree = small().fit(X, Y).tree_
    with pytest.raises(ValueError, match=words) as caught:
        prune_with_bound(tree, X, Y, **{name: value})
    assert one_sentence(str(caught.value))


def test_bounds_overflow_never() -> None:
    """The largest tables, smallest probabilities and most classes that one can ask for."""
    shape = TreeShape()
    for _ in range(300):
        shape = TreeShape(shape, TreeShape())
    asked = {"n_features": 10**12, "n_examples": 10**12, "n_classes": 30, "n_errors": 10**12}
    for bound in (risk_bound, vapnik_risk_bound):
        assert np.isfinite(bound(shape, delta=5e-324, **asked))  # type: ignore[operator]
    assert np.isfinite(risk_bound(shape, r=5e-324, **asked))
    tree = small().fit(X, Y).tree_
    for risk in ("shawe-taylor", "vapnik"):
        pruning = prune_with_bound(tree, X, Y, delta=5e-324, r=5e-324, risk=risk)  # type: ignore[arg-type]
        assert np.isfinite(pruning.bounds).all()


def changed(*path: Any, to: Any) -> Callable[[dict[str, Any]], Any]:
    """Return a function that sets one place of a dictionary."""

    def change(model: dict[str, Any]) -> Any:
        place: Any = model
        for key in path[:-1]:
            place = place[key]
        place[path[-1]] = to
        return model

    return change


def version_key(model: dict[str, Any]) -> str:
    """Return the name under which a model keeps the version of its schema."""
    (name,) = (key for key in model if "version" in key)
    return name


def test_model_dictionaries_that_are_not_ours() -> None:
    good = small().fit(FRAME, Y).tree_.to_dict()
    assert Tree.from_dict(copy.deepcopy(good)) == small().fit(FRAME, Y).tree_
    version = version_key(good)
    future = changed(version, to=999)(copy.deepcopy(good))
    with pytest.raises(ModelError, match=r"999"):
        Tree.from_dict(future)
    for other in ({}, {"hello": 1}, [], None, "tree", 7):
        with pytest.raises(ModelError):
            Tree.from_dict(other)  # type: ignore[arg-type]
    for key in good:
        lacking = {name: value for name, value in good.items() if name != key}
        with pytest.raises(ModelError):
            Tree.from_dict(lacking)
    for key in good:
        with pytest.raises(ModelError):
            Tree.from_dict(changed(key, to={"not": "ours"})(copy.deepcopy(good)))


def test_model_texts_that_are_truncated_or_not_ours() -> None:
    text = to_json(small().fit(FRAME, Y).tree_)
    assert from_json(text) == small().fit(FRAME, Y).tree_
    body = text.rstrip()
    for end in range(0, len(body), max(1, len(body) // 40)):
        with pytest.raises(ModelError) as caught:
            from_json(body[:end])
        assert one_sentence(str(caught.value))
    for other in ("hello", "null", "[1, 2]", '{"a": 1}', "<svg/>", "NaN", "\x00\x01"):
        with pytest.raises(ModelError):
            from_json(other)
    future = json.loads(text)
    future[version_key(future)] = 999
    with pytest.raises(ModelError, match="999"):
        from_json(json.dumps(future))


# --- numbers at the edge of machine numbers ------------------------------------------------------

HUGE = [2**31, 2**32, 2**63, 2**64, 10**30, 10**400]


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"2**{huge.bit_length() - 1}")
@pytest.mark.parametrize("name", ["max_depth", "max_size", "max_errors", "max_total_size"])
def test_a_limit_beyond_every_tree_is_no_limit(name: str, huge: int) -> None:
    limits = Limits(**{name: huge})
    for minimize in ("errors", "size", "depth", "gini", "f1_error", "squared_error"):
        if name == "max_errors" and minimize not in ("errors", "size", "depth"):
            continue
        free = Limits(max_errors=huge if minimize in ("size", "depth") else None)
        if name != "max_errors" and minimize in ("size", "depth"):
            free = Limits()
        stated, unlimited = (
            solve(Problem(X, Y, minimize=minimize, limits=kept)) for kept in (limits, free)
        )
        assert (stated.status, stated.cost) == (unlimited.status, unlimited.cost)
        assert stated.status is Status.OPTIMAL
    if name != "max_errors":
        assert count_optimal(Problem(X, Y, minimize="size", limits=limits)) == 2
        assert len(list(enumerate_optimal(Problem(X, Y, minimize="size", limits=limits)))) == 2
        front = pareto_front(Problem(X, Y, limits=limits), ("size", "errors"))
        assert [outcome.cost for outcome in front] == [(0, 2), (1, 0)]
        ensemble = Problem(X, Y, minimize="total_size", n_trees=3, limits=limits)
        assert solve(ensemble).cost == solve(Problem(X, Y, minimize="total_size", n_trees=3)).cost


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"2**{huge.bit_length() - 1}")
def test_leaves_of_a_class_beyond_every_tree_are_no_limit(huge: int) -> None:
    problem = Problem(X, Y, minimize="size", limits=Limits(max_leaves_of={0: huge, 1: 1}))
    assert solve(problem).cost == 1


@pytest.mark.parametrize("huge", HUGE, ids=lambda huge: f"2**{huge.bit_length() - 1}")
def test_more_rows_in_a_leaf_than_there_are_is_infeasible(huge: int) -> None:
    for minimize in ("errors", "size", "gini", "squared_error"):
        outcome = solve(Problem(X, Y, minimize=minimize, limits=Limits(min_samples_leaf=huge)))
        assert outcome.status is Status.INFEASIBLE
        assert "min_samples_leaf" in (outcome.reason or "")


@pytest.mark.parametrize("huge", [*HUGE, 1e19, 1e300], ids=lambda huge: f"{type(huge).__name__}")
def test_time_and_memory_beyond_all_machines_are_no_limit(huge: float) -> None:
    for minimize in ("errors", "size", "gini", "squared_error"):
        problem = Problem(X, Y, minimize=minimize, limits=Limits(max_depth=2))
        least = 1 if minimize == "size" else 0
        assert solve(problem, time_limit=huge).cost == least
        if isinstance(huge, int):
            assert solve(problem, memory_limit=huge).cost == least
    assert OptimalTreeClassifier(max_depth=2, time_limit=huge).fit(X, Y).outcome_.cost == 0


@pytest.mark.parametrize("huge", [1_001, *HUGE])
def test_more_trees_than_any_search_holds_are_refused(huge: int) -> None:
    with pytest.raises(ValueError, match="n_trees must be at most 1,000") as caught:
        Problem(X, Y, minimize="total_size", n_trees=huge)
    assert one_sentence(str(caught.value))


def test_numbers_that_float64_holds_are_taken_whatever_their_type() -> None:
    plain = Problem(X, Y).dataset.X
    for table in (X.astype(np.longdouble), X.astype(np.longdouble).tolist()):
        assert Problem(table, Y).dataset.X.tolist() == plain.tolist()
    tenths = [[Decimal("0.1")], [Fraction(1, 3)], [np.longdouble(0.5)], [2**60]]
    assert Problem(tenths, Y).dataset.X[:, 0].tolist() == [0.1, 1 / 3, 0.5, 2.0**60]
    missing = np.array([[0.5], [np.nan], [1.0], [2.0]], dtype=np.longdouble)
    assert np.isnan(Problem(missing, Y).dataset.X[1, 0])
