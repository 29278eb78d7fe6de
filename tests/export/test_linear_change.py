"""The nearest change below hyperplanes, compared with all corners of all leaves in fractions."""

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import exactree as xt
from exactree import Tree
from exactree.export import explain
from exactree.export.boxes import LeafBox, boxes_of
from exactree.rules import AxisParallel, Hyperplanes, Hypersurfaces, Mixed
from exactree.rules.surface import Surfaces

# Relative slack for the change that `explain` finds by a linear programme in floating point.
SLACK = Fraction(1, 10**6)


def borders(tree: Tree, box: LeafBox) -> list[tuple[list[Fraction], Fraction]]:
    """Return the closure of a leaf: weights of inequalities, and the maximum of each sum."""
    found = []
    for node, left in box.surfaces:
        weights = [Fraction(0)] * tree.n_features
        for monomial, weight in tree.surfaces.terms(int(tree.feature[node]) - tree.n_features):
            weights[monomial.index(1)] += Fraction(weight)
        found.append((weights, Fraction(float(tree.threshold[node])), left))
    for feature, values in box.values.items():
        unit = [Fraction(int(f == feature)) for f in range(tree.n_features)]
        found += [(unit, Fraction(values.high), True)] if np.isfinite(values.high) else []
        found += [(unit, Fraction(values.low), False)] if np.isfinite(values.low) else []
    return [(w, b) if left else ([-x for x in w], -b) for w, b, left in found]


def solution(rows: list[tuple[list[Fraction], Fraction]]) -> list[Fraction] | None:
    """Return the point that satisfies one equation per feature; None if it is not unique."""
    table = [[*weights, border] for weights, border in rows]
    for column in range(len(table)):
        pivot = next((r for r in range(column, len(table)) if table[r][column]), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        table[column] = [entry / table[column][column] for entry in table[column]]
        for r, row in enumerate(table):
            if r != column and row[column]:
                factor = row[column]
                table[r] = [a - factor * b for a, b in zip(row, table[column], strict=True)]
    return [row[-1] for row in table]


def corners(
    tree: Tree, box: LeafBox, row: list[Fraction], fixed: set[int]
) -> Iterator[list[Fraction]]:
    """Yield points of a leaf's closure, one of which has the minimum cost of the leaf.

    In such a point, the number of borders that meet and the number of features that keep their
    value add up to the number of features.
    """
    limits = borders(tree, box)
    unit = [[Fraction(int(f == g)) for f in range(len(row))] for g in range(len(row))]
    stays = list(zip(unit, row, strict=True))
    needed = [stays[f] for f in fixed]
    others = limits + [stays[f] for f in range(len(row)) if f not in fixed]
    for chosen in itertools.combinations(others, len(row) - len(needed)):
        point = solution(needed + list(chosen))
        if point is not None and all(
            sum(w * x for w, x in zip(weights, point, strict=True)) <= border
            for weights, border in limits
        ):
            yield point


def min_cost(tree: Tree, row: np.ndarray, prices: list[Any], fixed: set[int]) -> Fraction | None:
    """Return the minimum cost of all corners of the closures of leaves with other predictions."""
    start = [Fraction(value) for value in row.tolist()]
    here = int(tree.predict_index(row[None])[0])
    costs = [
        sum(
            (
                Fraction(str(price)) * abs(x - s)
                for price, x, s in zip(prices, point, start, strict=True)
            ),
            Fraction(0),
        )
        for box in boxes_of(tree)
        if int(tree.prediction[box.leaf]) != here
        for point in corners(tree, box, start, fixed)
    ]
    return min(costs, default=None)


def rounding_bound(tree: Tree, changed: np.ndarray, row: np.ndarray, prices: list[float]) -> float:
    """Return a bound, a thousand times too large, on the cost that rounding of the sums adds."""
    bound = 0.0
    for weights in np.array(tree.surfaces.weights):
        size = abs(tree.threshold).max() + abs(weights) @ np.maximum(abs(changed), abs(row))
        bound = max(bound, 1e-12 * size * max(prices) / abs(weights[weights != 0]).min())
    return bound


def check(tree: Tree, row: np.ndarray, prices: list[float], fixed: set[int]) -> bool:
    """Compare the reported change with all corners; return whether both or neither exist.

    Both may differ by roundings: the tree rounds its sums, and so sends some examples to the other
    side of an exact border.
    """
    explanation = explain(tree, row, costs=prices, fixed=fixed, exact=True)
    minimum = min_cost(tree, row, prices, fixed)
    if explanation.change is None:
        assert minimum is None or "roundings" in explanation.sentence
        return minimum is None
    changed = row.copy()
    for name, value in explanation.change.values.items():
        changed[tree.feature_names.index(name)] = value
    assert tree.predict(changed[None])[0] == explanation.change.prediction != explanation.prediction
    assert tree.apply(changed[None])[0] == explanation.change.leaf
    assert not {tree.feature_names.index(name) for name in explanation.change.values} & fixed
    cost = sum(
        (Fraction(str(p)) * abs(Fraction(a) - Fraction(b)))
        for p, a, b in zip(prices, changed.tolist(), row.tolist(), strict=True)
    )
    assert explanation.change.cost == float(cost)
    assert minimum is not None
    sizes = sum(p * max(abs(a), abs(b)) for p, a, b in zip(prices, changed, row, strict=True))
    rounded = Fraction(float(sizes)) / 10**9 + Fraction(rounding_bound(tree, changed, row, prices))
    assert minimum - rounded <= cost <= minimum * (1 + SLACK) + rounded
    return True


def test_no_corner_is_nearer() -> None:
    """Twelve optimal trees, some with thresholds and hyperplanes, and four examples of each."""
    rng = np.random.default_rng(0)
    changes = 0
    for number in range(12):
        X = rng.integers(0, 10, (9, 2 + number % 2)) / 10
        rules = Hyperplanes() if number % 3 else Mixed([AxisParallel(), Hyperplanes()])
        limits = xt.Limits(max_depth=2)
        tree = xt.solve(xt.Problem(X, rng.integers(0, 3, 9), rules=rules, limits=limits)).tree
        assert tree is not None
        for row in X[:4]:
            prices = rng.choice([0.25, 1.0, 3.0], X.shape[1]).tolist()
            fixed = {f for f in range(X.shape[1]) if rng.random() < 0.2}
            changes += check(tree, row, prices, fixed)
    assert changes == 48


numbers = st.sampled_from([-3.0, -1.0, -0.3, 0.1, 0.5, 2.0, 7.0, 1e3, 1e-3])


@settings(deadline=None)
@given(data=st.data())
def test_no_corner_is_nearer_in_any_tree(data: Any) -> None:
    """Weights and values of very different sizes, and prices of 0."""
    d = data.draw(st.integers(2, 3))
    weights = [[data.draw(numbers) for _ in range(d)] for _ in range(3)]
    thresholds = [data.draw(numbers) for _ in range(3)]
    tree = complete(d, weights, thresholds)
    row = np.array([data.draw(numbers) for _ in range(d)])
    prices = [data.draw(st.sampled_from([0.0, 0.1, 1.0, 50.0])) for _ in range(d)]
    fixed = {f for f in range(d) if data.draw(st.integers(0, 5)) == 0}
    check(tree, row, prices, fixed)


def complete(d: int, weights: list[list[float]], thresholds: list[float]) -> Tree:
    """Return a tree of depth two whose three nodes split on sums, with leaves of two classes."""
    leaf = {"feature": -2, "threshold": -2.0, "comparison": ""}
    order = [0, 1, None, None, 2, None, None]
    return Tree(
        children_left=[1, 2, -1, -1, 5, -1, -1],
        children_right=[4, 3, -1, -1, 6, -1, -1],
        feature=[leaf["feature"] if k is None else d + k for k in order],
        comparison=["" if k is None else "<=" for k in order],
        threshold=[-2.0 if k is None else thresholds[k] for k in order],
        value=[[2.0, 2.0], [1, 1], [1, 0], [0, 1], [1, 1], [1, 0], [0, 1]],
        prediction=[0, 0, 0, 1, 0, 0, 1],
        n_node_samples=[4, 2, 1, 1, 2, 1, 1],
        errors=[2.0, 1, 0, 0, 1, 0, 0],
        classes=np.array(["a", "b"]),
        feature_names=tuple(f"x{f}" for f in range(d)),
        named=False,
        surfaces=Surfaces(
            tuple(tuple(int(f == g) for f in range(d)) for g in range(d)),
            tuple(map(tuple, weights)),
        ),
    )


def test_a_sum_equal_to_the_threshold_goes_left() -> None:
    """A change to the right child ends at the next number that the tree sends there."""
    tree = complete(2, [[1.0, 1.0]] * 3, [1.0, 0.0, 2.0])
    left = explain(tree, [0.25, 0.5], costs=[1.0, 2.0], exact=True)
    assert left.prediction == "b"
    assert left.change is not None
    assert left.change.values == {"x0": pytest.approx(0.5)}
    assert left.change.cost == pytest.approx(0.25)
    assert left.change.values["x0"] > 0.5
    assert explain(tree, [5.0, 5.0], to="a", exact=True).change.cost == pytest.approx(8.0)


def test_changes_of_levels_and_of_sums_are_combined() -> None:
    """The root splits on a sum and its children on the colour; the fourth label needs both changes.

    The label is 2 if the sum is above 1, plus 1 for red: from y to 3 - y both change.
    """
    rng = np.random.default_rng(0)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rng.integers(0, 10, (16, 2)) / 10, columns=["a", "b"])
    frame["colour"] = rng.choice(["red", "blue"], 16)
    y = (frame.a + frame.b > 1).astype(int) * 2 + (frame.colour == "red")
    rules = Mixed([AxisParallel(), Hyperplanes(features=["a", "b"])])
    tree = xt.solve(xt.Problem(frame, y, rules=rules, limits=xt.Limits(max_depth=2))).tree
    assert tree is not None
    assert tree.feature.tolist() == [3, 2, -2, -2, 2, -2, -2], "3 is the sum, 2 the colour"
    for number in range(len(frame)):
        row = frame.iloc[[number]]
        opposite = 3 - int(tree.predict(row)[0])
        changed = row.copy()
        change = explain(tree, row, to=opposite).change
        assert change is not None
        assert "colour" in change.values
        assert set(change.values) & {"a", "b"}
        for name, value in change.values.items():
            changed[name] = [value]
        assert tree.predict(changed)[0] == change.prediction == opposite


def test_without_a_feature_that_can_change_there_is_no_change() -> None:
    tree = complete(2, [[1.0, 1.0]] * 3, [1.0, 0.0, 2.0])
    explanation = explain(tree, [0.25, 0.5], fixed=[0, 1])
    assert explanation.change is None
    assert "no change of the features that are not fixed" in explanation.sentence


def test_a_leaf_that_no_example_can_reach_is_ignored() -> None:
    """The tree is empty where the sum is at most 1 and above 2; leaf 6 needs a sum above 2."""
    tree = complete(2, [[1.0, 1.0]] * 3, [1.0, 2.0, 2.0])
    explanation = explain(tree, [0.0, 0.0], exact=True)
    assert explanation.prediction == "a"
    assert explanation.change is not None
    assert explanation.change.leaf == 6
    assert explanation.change.cost == pytest.approx(2.0)


def test_a_leaf_that_only_roundings_reach_is_reported_or_named_as_the_obstacle() -> None:
    """Leaf 3 needs a sum between two neighbouring numbers: rounding may make it empty."""
    tree = complete(2, [[0.1, 0.3]] * 3, [1.0, np.nextafter(1.0, 0), 1e6])
    explanation = explain(tree, [0.0, 0.0], exact=True)
    assert explanation.prediction == "a"
    assert explanation.change is None or explanation.change.leaf == 3
    if explanation.change is None:
        assert "because of roundings" in explanation.sentence


def test_weights_that_the_linear_programme_would_round_to_zero_are_refused() -> None:
    """The second feature costs nothing, and only a change of it by 4e7 reaches the leaf."""
    weights = [[7.0, 123456.789], [0.0, -0.0669], [0.5, -1e-7]]
    tree = complete(2, weights, [-0.279, -0.66, 1e-3])
    explanation = explain(tree, [7.0, -0.2835], costs=[1.0, 0.0])
    assert explanation.change is None
    assert "because of roundings" in explanation.sentence


def test_curves_have_a_path_but_no_change() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 10, (9, 2)) / 10, rng.integers(0, 3, 9)
    limits = xt.Limits(max_depth=2)
    tree = xt.solve(xt.Problem(X, y, rules=Hypersurfaces(2), limits=limits)).tree
    assert tree is not None
    explanation = explain(tree, X[0])
    assert explanation.path
    assert explanation.change is None
    assert "not known for trees with surfaces other than hyperplanes" in explanation.sentence
