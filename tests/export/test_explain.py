"""explain: the path, the margins, and the nearest change, compared with all possible changes."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder

from exactree import Ensemble, OptimalTreeClassifier, Problem, Tree, solve
from exactree.export import explain


def candidates(tree: Tree, feature: int, value: float) -> list[float]:
    """Return values of a feature of which one is nearest to the given value in every leaf."""
    on_feature = tree.feature == feature
    numbers = tree.threshold[on_feature & (tree.comparison == "<=")]
    codes = [
        float(code)
        for node in np.flatnonzero(on_feature & (tree.comparison != "<="))
        for code in tree.level_set_at(node) or (tree.threshold[node],)
    ]
    found = {value, *map(float, numbers)}
    for number in (value, *numbers, *codes):
        found.add(float(number))
        for side in (-np.inf, np.inf):
            neighbour = float(number)
            for _ in range(len(codes) + 1):  # the nearest neighbours may be excluded codes
                neighbour = float(np.nextafter(neighbour, side))
                found.add(neighbour)
    by_code = not len(numbers)
    if by_code:
        found = {value, *codes, *map(float, range(len(codes) + 1))}
    return sorted(number for number in found if np.isfinite(number))


def min_cost(tree: Tree, row: np.ndarray, costs: list[Fraction], fixed: set[int]) -> Any:
    """Return the minimum cost of a change to another prediction, by enumeration; None if none."""
    predicted, best = tree.predict_index(row[None])[0], None
    values_of_features = []
    for feature, value in enumerate(row.tolist()):
        stays = feature in fixed or not (tree.feature == feature).any()
        values_of_features.append([value] if stays else candidates(tree, feature, value))
    changes_of_row = np.array(list(itertools.product(*values_of_features)))
    for changed in changes_of_row[tree.predict_index(changes_of_row) != predicted]:
        cost = Fraction(0)
        for feature, (old, new) in enumerate(zip(row.tolist(), changed.tolist(), strict=True)):
            on_feature = tree.feature == feature
            by_code = on_feature.any() and not (on_feature & (tree.comparison == "<=")).any()
            distance = abs(Fraction(new) - Fraction(old))
            cost += costs[feature] * (int(old != new) if by_code else distance)
        best = cost if best is None else min(best, cost)
    return best


@given(data=st.data())
def test_no_change_is_nearer(fitted_table: Any, data: Any) -> None:
    """Some of the trees compare one feature with thresholds and with codes."""
    case = data.draw(fitted_table([0.0, 1.0, np.nextafter(1.0, 0.0), 2.5, -3.0, 1e30, 16777217.0]))
    tree, X = case.tree, case.dataset.X
    row = X[data.draw(st.integers(0, len(X) - 1))]
    prices = [data.draw(st.sampled_from([0.0, 0.1, 1.0, 3.0])) for _ in row]
    fixed = {f for f in range(len(row)) if data.draw(st.integers(0, 4)) == 0}
    explanation = explain(tree, row, costs=prices, fixed=fixed, exact=True)
    size = np.prod([len(candidates(tree, f, row[f])) for f in range(len(row))])
    if size > 20_000:
        return
    exact = [Fraction(str(price)) for price in prices]  # as `explain` reads them
    minimum = min_cost(tree, row, exact, fixed)
    if explanation.change is None:
        assert minimum is None
        return
    assert minimum is not None
    assert explanation.change.cost == float(minimum)
    changed = row.copy()
    for name, value in explanation.change.values.items():
        changed[tree.feature_names.index(name)] = value
    assert tree.predict(changed[None])[0] == explanation.change.prediction != explanation.prediction
    assert tree.apply(changed[None])[0] == explanation.change.leaf
    assert not {tree.feature_names.index(name) for name in explanation.change.values} & fixed


@given(data=st.data())
def test_rounded_changes_lead_to_the_same_leaf_and_are_not_nearer(
    fitted_table: Any, data: Any
) -> None:
    case = data.draw(fitted_table([0.0, 1.0, np.nextafter(1.0, 0.0), 2.5, -3.0, 1e30, 16777217.0]))
    tree, X = case.tree, case.dataset.X
    row = X[data.draw(st.integers(0, len(X) - 1))]
    short, exact = explain(tree, row).change, explain(tree, row, exact=True).change
    if short is None or exact is None:
        assert short is exact
        return
    assert (short.leaf, short.values.keys()) == (exact.leaf, exact.values.keys())
    assert short.cost >= exact.cost
    changed = row.copy()
    for name, value in short.values.items():
        feature = tree.feature_names.index(name)
        assert min(row[feature], value) <= exact.values[name] <= max(row[feature], value)
        changed[feature] = value
    assert tree.apply(changed[None])[0] == short.leaf


@pytest.mark.parametrize(
    ("low", "high", "x", "expected"),
    [
        (2.44, 2.46, 1.4, 2.46),
        (2.44, 2.46, 2.45, 2.46),
        (2.44, 2.46, 3.0, 2.45),
        (2.0, 3.0, 2.0, 3.0),
        (2.0, 3.0, 1.25, 2.01),
        (299.0, 301.0, 250.0, 301.0),
        (0.0, 1.0, -1.0, 0.6),
        (0.0, 1e-300, -1.0, 6e-301),
        (1.0, np.nextafter(1.0, 2.0), 0.123456789, 1.00001),
        (1e308, 1.5e308, 0.0, 1.00001e308),
        (-2.46, -2.44, -1.0, -2.45),
        (-2.46, -2.44, -3.0, -2.44),
    ],
)
def test_new_values_are_short(low: float, high: float, x: float, expected: float) -> None:
    tree = solve(Problem([[low], [high]], [0, 1])).tree
    explanation = explain(tree, [x])
    assert explanation.change is not None
    assert explanation.change.values == {"x0": expected}


def test_the_digits_of_a_new_value_grow_until_it_is_in_the_leaf() -> None:
    X, y = [[0.0], [2.0], [2.001], [3.0]], [0, 0, 1, 0]
    explanation = explain(solve(Problem(X, y)).tree, [0.0])
    assert explanation.change is not None
    assert explanation.change.values == {"x0": 2.1}, "3 is in another leaf"
    assert "x0 were 2.1" in str(explanation)


@pytest.mark.parametrize(
    "name", ["missing", "sets of codes", "levels", "sets", "regression", "hyperplanes"]
)
def test_changes_lead_to_the_reported_prediction(zoo: Any, name: str) -> None:
    case = zoo[name]
    tree, rows = case.model, case.rows(300, infinite=False)
    changes = 0
    for row, example in zip(rows[-200:], case.as_levels(rows[-200:]), strict=True):
        explanation = explain(tree, example)
        assert explanation.prediction == case.answers(row[None])[0]
        inner_nodes = tree.decision_path([example]).indices[:-1].tolist()
        assert [step.node for step in explanation.path] == inner_nodes
        if explanation.change is None:
            continue
        changes += 1
        changed = list(example)
        for name_of_feature, value in explanation.change.values.items():
            feature = tree.feature_names.index(name_of_feature)
            assert example[feature] is not None
            assert example[feature] == example[feature], "a missing value was changed"
            changed[feature] = value
        assert tree.predict([changed])[0] == explanation.change.prediction != explanation.prediction
    assert changes > 100


def test_the_threshold_belongs_to_the_left_child(small_tree: Tree) -> None:
    """At the threshold the rule holds; the nearest number in the right child is one ulp away."""
    explanation = explain(small_tree, [2.5, 0.0], exact=True)
    assert explanation.path[0].holds
    assert explanation.path[0].margin == 0
    assert explanation.change is not None
    assert explanation.change.values == {"length": np.nextafter(2.5, 3)}
    assert explanation.change.cost == np.nextafter(2.5, 3) - 2.5
    back = explain(small_tree, [np.nextafter(2.5, 3), 0.0])
    assert back.change is not None
    assert back.change.values == {"length": 2.5}
    assert not back.path[0].holds


def test_the_costs_of_features_decide_which_change_is_nearest(small_tree: Tree) -> None:
    """The length has to change by 1, the width by 0.25 and an ulp, at a price of 4."""
    explanation = explain(small_tree, [3.5, 1.5], costs={"width": 4.0})
    assert explanation.change is not None
    assert explanation.change.prediction == "round"
    assert explanation.change.cost == 1.0


def test_ties_go_to_fewer_changes_and_then_to_the_first_leaf(small_tree: Tree) -> None:
    free = explain(small_tree, [1.0, 2.0], costs=[0.0, 0.0])
    assert free.change is not None
    assert free.change.cost == 0
    assert free.change.prediction == "flat", '"long", in the leaf before, needs two changes'
    equal = explain(small_tree, [3.5, 2.75])
    assert equal.change is not None
    assert equal.change.cost == 1.0
    assert equal.change.prediction == "round", '"long", in the leaf behind, costs 1 as well'


def test_a_label_can_be_requested(small_tree: Tree) -> None:
    explanation = explain(small_tree, [1.0, 2.0], to="long", exact=True)
    assert explanation.change is not None
    assert explanation.change.values == {"length": np.nextafter(2.5, 3), "width": 1.75}
    for label, message in (("none", "must be a label"), ("round", "to must differ")):
        with pytest.raises(ValueError, match=message):
            explain(small_tree, [1.0, 2.0], to=label)


def test_an_explanation_prints_as_one_sentence(small_tree: Tree, single_leaf: Tree) -> None:
    assert str(explain(small_tree, [3.5, 1.5])) == (
        "long, because length <= 2.5 does not hold (it is 3.5, margin 1) and width <= 1.75 holds "
        "(it is 1.5, margin 0.25); it would be flat if width were 1.76."
    )
    assert "if width were 1.7500000000000002." in str(explain(small_tree, [3.5, 1.5], exact=True))
    assert str(explain(single_leaf, [0.0])) == (
        "9, because the tree is a single leaf; no change of the features that are not fixed gives "
        "another prediction."
    )
    assert "no change of the" in str(explain(small_tree, [3.5, 1.5], fixed=["length", 1]))


def test_hostile_names_stay_on_one_line(hostile_tree: Tree) -> None:
    explanation = str(explain(hostile_tree, [0.5] * hostile_tree.n_features))
    assert "\n" not in explanation
    assert "\x1b" not in explanation


def test_frames_and_estimators_are_accepted() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"a": [1.0, 2.0, 3.0], "b": ["x", "y", "y"]})
    model = OptimalTreeClassifier(max_depth=2).fit(frame, ["p", "q", "r"])
    for example in (frame.iloc[1], frame.iloc[[1]], [2.0, "y"]):
        explanation = model.explain(example, fixed=["b"])
        assert explanation == model.tree_.explain(example, fixed=["b"])
        assert explanation.prediction == "q"
    assert model.explain([2.0, "never seen"]).path


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"costs": [1.0]}, "costs must have 2 numbers, one for each feature, got 1"),
        ({"costs": {"length": -1.0}}, "costs must be finite numbers from 0 on"),
        ({"costs": {"length": np.nan}}, "costs must be finite numbers from 0 on"),
        ({"costs": {"depth": 1.0}}, "the tree has no feature 'depth'"),
        ({"fixed": [7]}, "the tree has no feature 7"),
    ],
)
def test_invalid_costs_and_features_are_refused(
    small_tree: Tree, arguments: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        explain(small_tree, [1.0, 2.0], **arguments)


def test_several_rows_and_ensembles_are_refused(small_tree: Tree, three_trees: Ensemble) -> None:
    with pytest.raises(ValueError, match="x must be one example, got 2 rows"):
        explain(small_tree, [[1.0, 2.0], [1.0, 2.0]])
    with pytest.raises(ValueError, match=r"an ensemble of 3: give its to_tree\(\)"):
        explain(three_trees, [1.0, 2.0])
    assert explain(three_trees.to_tree(), [1.0, 2.0]).change is not None


class TestSeriesAndPipelines:
    """One row of a frame, given as a series or a list, is explained as in a prediction."""

    frame = pd.DataFrame({"a": [0.0, 1, 2, 3] * 2, "kind": ["x", "y"] * 4})
    labels = (0, 0, 1, 1) * 2

    def test_a_series_is_a_row_of_the_table_of_a_pipeline(self) -> None:
        columns = ColumnTransformer([("a", "passthrough", ["a"]), ("k", OneHotEncoder(), ["kind"])])
        pipe = make_pipeline(columns, OptimalTreeClassifier(max_depth=1))
        pipe.fit(self.frame, self.labels)
        with pytest.warns(UserWarning, match="units"):
            expected = explain(pipe, self.frame.iloc[[2]])
        for row in (self.frame.iloc[2], self.frame.iloc[2].tolist()):
            with pytest.warns(UserWarning, match="units"):
                assert explain(pipe, row) == expected

    def test_the_names_of_a_series_are_checked(self) -> None:
        frame = self.frame.assign(kind=1.0)
        model = OptimalTreeClassifier(max_depth=1).fit(frame, self.labels)
        row = frame.iloc[2]
        assert model.explain(row) == model.explain(frame.iloc[[2]])
        with pytest.raises(ValueError, match="same order"):
            model.explain(row[::-1])

    def test_one_fixed_feature_needs_no_list(self) -> None:
        model = OptimalTreeClassifier(max_depth=1).fit(self.frame, self.labels)
        row = self.frame.iloc[2]
        expected = model.explain(row, fixed=["a"])
        assert model.explain(row, fixed="a") == model.explain(row, fixed=0) == expected
        assert expected.change is None
