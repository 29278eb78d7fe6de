"""explain: the path, the margins, and the nearest change, against trying all changes there are."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given as tried_on
from hypothesis import strategies as st

from exactree import Ensemble, OptimalTreeClassifier, Tree
from exactree.export import explain


def candidates(tree: Tree, feature: int, value: float) -> list[float]:
    """Return every value that can be the nearest one in a box: all else is farther or no nearer."""
    asked = tree.feature == feature
    numbers = tree.threshold[asked & (tree.comparison == "<=")]
    codes = [
        float(code)
        for node in np.flatnonzero(asked & (tree.comparison != "<="))
        for code in tree.codes_of_set(node) or (tree.threshold[node],)
    ]
    found = {value, *map(float, numbers)}
    for number in (value, *numbers, *codes):
        found.add(float(number))
        for side in (-np.inf, np.inf):
            near = float(number)
            for _ in range(len(codes) + 1):  # beyond codes that are left out
                near = float(np.nextafter(near, side))
                found.add(near)
    by_code = not len(numbers)
    if by_code:
        found = {value, *codes, *map(float, range(len(codes) + 1))}
    return sorted(number for number in found if np.isfinite(number))


def min_cost(tree: Tree, row: np.ndarray, costs: list[Fraction], fixed: set[int]) -> Any:
    """Return the least cost of a change that flips the prediction, by trying all; None if none."""
    here, best = tree.predict_index(row[None])[0], None
    lists = []
    for feature, value in enumerate(row.tolist()):
        stays = feature in fixed or not (tree.feature == feature).any()
        lists.append([value] if stays else candidates(tree, feature, value))
    tried = np.array(list(itertools.product(*lists)))
    for changed in tried[tree.predict_index(tried) != here]:
        cost = Fraction(0)
        for feature, (old, new) in enumerate(zip(row.tolist(), changed.tolist(), strict=True)):
            asked = tree.feature == feature
            by_code = asked.any() and not (asked & (tree.comparison == "<=")).any()
            distance = abs(Fraction(new) - Fraction(old))
            cost += costs[feature] * (int(old != new) if by_code else distance)
        best = cost if best is None else min(best, cost)
    return best


@tried_on(data=st.data())
def test_no_change_is_nearer(fitted_table: Any, data: Any) -> None:
    """Also of trees that use a feature for numbers and for codes."""
    case = data.draw(fitted_table([0.0, 1.0, np.nextafter(1.0, 0.0), 2.5, -3.0, 1e30, 16777217.0]))
    tree, X = case.tree, case.dataset.X
    row = X[data.draw(st.integers(0, len(X) - 1))]
    prices = [data.draw(st.sampled_from([0.0, 0.1, 1.0, 3.0])) for _ in row]
    fixed = {f for f in range(len(row)) if data.draw(st.integers(0, 4)) == 0}
    told = explain(tree, row, costs=prices, fixed=fixed)
    size = np.prod([len(candidates(tree, f, row[f])) for f in range(len(row))])
    if size > 20_000:
        return
    exact = [Fraction(str(price)) for price in prices]  # as `explain` reads them
    least = min_cost(tree, row, exact, fixed)
    if told.change is None:
        assert least is None
        return
    assert least is not None
    assert told.change.cost == float(least)
    changed = row.copy()
    for name, value in told.change.values.items():
        changed[tree.feature_names.index(name)] = value
    assert tree.predict(changed[None])[0] == told.change.prediction != told.prediction
    assert tree.apply(changed[None])[0] == told.change.leaf
    assert not {tree.feature_names.index(name) for name in told.change.values} & fixed


@pytest.mark.parametrize(
    "name", ["missing", "sets of codes", "levels", "sets", "regression", "hyperplanes"]
)
def test_changes_lead_where_they_say(zoo: Any, name: str) -> None:
    case = zoo[name]
    tree, rows = case.found, case.rows(300, infinite=False)
    changes = 0
    for row, given in zip(rows[-200:], case.as_levels(rows[-200:]), strict=True):
        told = explain(tree, given)
        assert told.prediction == case.answers(row[None])[0]
        assert [step.node for step in told.path] == tree.decision_path([given]).indices[
            :-1
        ].tolist()
        if told.change is None:
            continue
        changes += 1
        changed = list(given)
        for feature, value in told.change.values.items():
            place = tree.feature_names.index(feature)
            assert given[place] is not None
            assert given[place] == given[place], "missing values stay"
            changed[place] = value
        assert tree.predict([changed])[0] == told.change.prediction != told.prediction
    assert changes > 100


def test_bounds_are_closed_on_the_left_only(small_tree: Tree) -> None:
    """At the threshold the rule holds; the nearest number on the other side is one ulp away."""
    told = explain(small_tree, [2.5, 0.0])
    assert told.path[0].holds
    assert told.path[0].margin == 0
    assert told.change is not None
    assert told.change.values == {"length": np.nextafter(2.5, 3)}
    assert told.change.cost == np.nextafter(2.5, 3) - 2.5
    back = explain(small_tree, [np.nextafter(2.5, 3), 0.0])
    assert back.change is not None
    assert back.change.values == {"length": 2.5}
    assert not back.path[0].holds


def test_ties_go_to_fewer_changes_and_then_to_the_first_leaf(small_tree: Tree) -> None:
    """At this price "flat" costs as much as "round"."""
    told = explain(small_tree, [3.5, 1.5], costs={"width": 4.0})
    assert told.change is not None
    assert told.change.prediction == "round"
    assert told.change.cost == 1.0
    nothing = explain(small_tree, [1.0, 2.0], costs=[0.0, 0.0], to="long")
    assert nothing.change is not None
    assert nothing.change.cost == 0


def test_a_label_can_be_requested(small_tree: Tree) -> None:
    told = explain(small_tree, [1.0, 2.0], to="long")
    assert told.change is not None
    assert told.change.values == {"length": np.nextafter(2.5, 3), "width": 1.75}
    for label, message in (("none", "must be a label"), ("round", "to must differ")):
        with pytest.raises(ValueError, match=message):
            explain(small_tree, [1.0, 2.0], to=label)


def test_it_is_reported_in_a_sentence(small_tree: Tree, single_leaf: Tree) -> None:
    assert str(explain(small_tree, [3.5, 1.5])) == (
        "long, because length <= 2.5 does not hold (it is 3.5, margin 1) and width <= 1.75 holds "
        "(it is 1.5, margin 0.25); it would be flat if width were 1.7500000000000002."
    )
    assert str(explain(single_leaf, [0.0])) == (
        "9, because the tree is a single leaf; no change of the features that are not fixed gives "
        "another prediction."
    )
    assert "no change of the" in str(explain(small_tree, [3.5, 1.5], fixed=["length", 1]))


def test_hostile_names_stay_on_one_line(hostile_tree: Tree) -> None:
    told = str(explain(hostile_tree, [0.5] * hostile_tree.n_features))
    assert "\n" not in told
    assert "\x1b" not in told


def test_frames_and_estimators_are_taken() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "y"]})
    model = OptimalTreeClassifier(max_depth=2).fit(frame, ["p", "q", "r"])
    for given in (frame.iloc[1], frame.iloc[[1]], [2.0, "y"]):
        told = model.explain(given, fixed=["b"])
        assert told == model.tree_.explain(given, fixed=["b"])
        assert told.prediction == "q"
    assert model.explain([2.0, "never seen"]).path


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"costs": [1.0]}, "costs must have 2 numbers, one for each feature, got 1"),
        ({"costs": {"length": -1.0}}, "costs must be finite numbers from 0 on"),
        ({"costs": {"length": np.nan}}, "costs must be finite numbers from 0 on"),
        ({"costs": {"depth": 1.0}}, "the tree has no feature 'depth'"),
        ({"fixed": [7]}, "the tree has no feature 7"),
    ],
)
def test_what_cannot_be_meant_is_refused(small_tree: Tree, how: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        explain(small_tree, [1.0, 2.0], **how)


def test_one_example_of_one_tree(small_tree: Tree, three_trees: Ensemble) -> None:
    with pytest.raises(ValueError, match="x must be one example, got 2 rows"):
        explain(small_tree, [[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"an ensemble of 3: give its to_tree\(\)"):
        explain(three_trees, [1.0, 2.0])
    assert explain(three_trees.to_tree(), [1.0, 2.0]).change is not None
