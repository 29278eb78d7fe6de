"""The nearest change below hyperplanes, against all corners of all leaves in exact fractions."""

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

NEAR = Fraction(1, 10**6)


def borders(tree: Tree, box: LeafBox) -> list[tuple[list[Fraction], Fraction]]:
    """Return the closure of a leaf: exact weights and what their sum is at most."""
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


def solved(rows: list[tuple[list[Fraction], Fraction]]) -> list[Fraction] | None:
    """Return where as many sums as there are features have given values; None unless one place."""
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
    """Return where the least cost of a leaf can be: borders meet there, or values that stay."""
    limits = borders(tree, box)
    unit = [[Fraction(int(f == g)) for f in range(len(row))] for g in range(len(row))]
    stays = list(zip(unit, row, strict=True))
    needed = [stays[f] for f in fixed]
    others = limits + [stays[f] for f in range(len(row)) if f not in fixed]
    for chosen in itertools.combinations(others, len(row) - len(needed)):
        place = solved(needed + list(chosen))
        if place is not None and all(
            sum(w * x for w, x in zip(weights, place, strict=True)) <= border
            for weights, border in limits
        ):
            yield place


def min_cost(tree: Tree, row: np.ndarray, prices: list[Any], fixed: set[int]) -> Fraction | None:
    """Return the least cost of all corners of the closures of leaves with other predictions."""
    start = [Fraction(value) for value in row.tolist()]
    here = int(tree.predict_index(row[None])[0])
    costs = [
        sum(
            (
                Fraction(str(price)) * abs(x - s)
                for price, x, s in zip(prices, place, start, strict=True)
            ),
            Fraction(0),
        )
        for box in boxes_of(tree)
        if int(tree.prediction[box.leaf]) != here
        for place in corners(tree, box, start, fixed)
    ]
    return min(costs, default=None)


def lost(tree: Tree, changed: np.ndarray, row: np.ndarray, prices: list[float]) -> float:
    """Return a generous bound, a thousand times too large, on the cost of rounding the sums."""
    found = 0.0
    for weights in np.array(tree.surfaces.weights):
        size = abs(tree.threshold).max() + abs(weights) @ np.maximum(abs(changed), abs(row))
        found = max(found, 1e-12 * size * max(prices) / abs(weights[weights != 0]).min())
    return found


def check(tree: Tree, row: np.ndarray, prices: list[float], fixed: set[int]) -> bool:
    """Compare what is reported with all corners; tell whether a change is known.

    The tree rounds its sums, so that it sends some examples across an exact border.
    """
    told = explain(tree, row, costs=prices, fixed=fixed)
    least = min_cost(tree, row, prices, fixed)
    if told.change is None:
        assert least is None or "roundings" in told.sentence
        return least is None
    changed = row.copy()
    for name, value in told.change.values.items():
        changed[tree.feature_names.index(name)] = value
    assert tree.predict(changed[None])[0] == told.change.prediction != told.prediction
    assert tree.apply(changed[None])[0] == told.change.leaf
    assert not {tree.feature_names.index(name) for name in told.change.values} & fixed
    cost = sum(
        (Fraction(str(p)) * abs(Fraction(a) - Fraction(b)))
        for p, a, b in zip(prices, changed.tolist(), row.tolist(), strict=True)
    )
    assert told.change.cost == float(cost)
    assert least is not None
    sizes = sum(p * max(abs(a), abs(b)) for p, a, b in zip(prices, changed, row, strict=True))
    rounded = Fraction(float(sizes)) / 10**9 + Fraction(lost(tree, changed, row, prices))
    assert least - rounded <= cost <= least * (1 + NEAR) + rounded
    return True


def test_no_corner_is_nearer() -> None:
    """Optimal trees, some with thresholds as well as hyperplanes."""
    rng = np.random.default_rng(0)
    known = 0
    for number in range(12):
        X = rng.integers(0, 10, (9, 2 + number % 2)) / 10
        rules = Hyperplanes() if number % 3 else Mixed([AxisParallel(), Hyperplanes()])
        limits = xt.Limits(max_depth=2)
        tree = xt.solve(xt.Problem(X, rng.integers(0, 3, 9), rules=rules, limits=limits)).tree
        assert tree is not None
        for row in X[:4]:
            prices = rng.choice([0.25, 1.0, 3.0], X.shape[1]).tolist()
            fixed = {f for f in range(X.shape[1]) if rng.random() < 0.2}
            known += check(tree, row, prices, fixed)
    assert known == 48


numbers = st.sampled_from([-3.0, -1.0, -0.3, 0.1, 0.5, 2.0, 7.0, 1e3, 1e-3])


@settings(deadline=None)
@given(data=st.data())
def test_no_corner_is_nearer_in_any_tree(data: Any) -> None:
    """Trees of depth two with sums of any weights, values of very different sizes, prices of 0."""
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


def test_at_the_border_the_sum_goes_left() -> None:
    """The way to the right ends at the next number that the tree sends there."""
    tree = complete(2, [[1.0, 1.0]] * 3, [1.0, 0.0, 2.0])
    left = explain(tree, [0.25, 0.5], costs=[1.0, 2.0])
    assert left.prediction == "b"
    assert left.change is not None
    assert left.change.values == {"x0": pytest.approx(0.5)}
    assert left.change.cost == pytest.approx(0.25)
    assert left.change.values["x0"] > 0.5
    assert explain(tree, [5.0, 5.0], to="a").change.cost == pytest.approx(8.0)


def test_levels_beside_hyperplanes() -> None:
    """A level changes for itself; a sum of the other features is a programme."""
    rng = np.random.default_rng(1)
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(rng.integers(0, 10, (12, 2)) / 10, columns=["a", "b"])
    frame["colour"] = rng.choice(["red", "blue"], 12)
    y = (frame.a + frame.b > 1).astype(int) * 2 + (frame.colour == "red")
    rules = Mixed([AxisParallel(), Hyperplanes(features=["a", "b"])])
    tree = xt.solve(xt.Problem(frame, y, rules=rules, limits=xt.Limits(max_depth=2))).tree
    assert tree is not None
    assert len(tree.surfaces) or tree.errors[tree.children_left < 0].sum() == 0
    for at in range(len(frame)):
        row = frame.iloc[[at]]
        told = explain(tree, row)
        changed = row.copy()
        assert told.change is not None
        for name, value in told.change.values.items():
            changed[name] = [value]
        assert tree.predict(changed)[0] == told.change.prediction != told.prediction


def test_what_cannot_change_leaves_no_change() -> None:
    tree = complete(2, [[1.0, 1.0]] * 3, [1.0, 0.0, 2.0])
    told = explain(tree, [0.25, 0.5], fixed=[0, 1])
    assert told.change is None
    assert "no change of the features that are not fixed" in told.sentence


def test_leaves_that_are_empty_count_for_nothing() -> None:
    """Below a sum that is at most 1, it is never above 2."""
    tree = complete(2, [[1.0, 1.0]] * 3, [1.0, 2.0, 2.0])
    told = explain(tree, [0.0, 0.0])
    assert told.prediction == "a"
    assert told.change is not None
    assert told.change.leaf == 6
    assert told.change.cost == pytest.approx(2.0)


def test_leaves_lost_in_roundings_are_not_passed_over() -> None:
    """A sum between two numbers next to each other: the nearer leaf may have no example at all."""
    tree = complete(2, [[0.1, 0.3]] * 3, [1.0, np.nextafter(1.0, 0), 1e6])
    told = explain(tree, [0.0, 0.0])
    assert told.prediction == "a"
    assert told.change is None or told.change.leaf == 3
    if told.change is None:
        assert "because of roundings" in told.sentence


def test_weights_that_a_programme_would_lose_are_refused() -> None:
    """The second feature costs nothing, and only a change of it by 4e7 reaches the leaf."""
    weights = [[7.0, 123456.789], [0.0, -0.0669], [0.5, -1e-7]]
    tree = complete(2, weights, [-0.279, -0.66, 1e-3])
    told = explain(tree, [7.0, -0.2835], costs=[1.0, 0.0])
    assert told.change is None
    assert "because of roundings" in told.sentence


def test_curves_have_a_path_but_no_change() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 10, (9, 2)) / 10, rng.integers(0, 3, 9)
    limits = xt.Limits(max_depth=2)
    tree = xt.solve(xt.Problem(X, y, rules=Hypersurfaces(2), limits=limits)).tree
    assert tree is not None
    told = explain(tree, X[0])
    assert told.path
    assert told.change is None
    assert "not known for trees with surfaces other than hyperplanes" in told.sentence
