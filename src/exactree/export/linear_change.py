"""The nearest example in a leaf below weighted sums, by linear programming.

The examples of such a leaf are a polyhedron in the features of its sums; some of its faces do not
belong to it. A linear programme over its closure gives the minimum cost, and a programme with faces
that are moved inwards gives a point inside. On the segment from the first point to the second the
cost increases, and the segment enters the leaf once, so bisection finds a nearest point of the
leaf. Whether a point is in the leaf is decided by the tree itself, with its rounded sums.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import inf, nextafter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from exactree.export.boxes import LeafBox, Values
from exactree.trees.routing import AT_MOST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from exactree.trees import Tree

__all__ = ["Nearest", "NotSolved", "features_in_sums", "nearest_by_sums", "why_not_linear"]

# Tolerances of a programme, in units of the largest distance in it.
_PRECISION = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
# Minimum relative size of weights; smaller ones may be lost (HiGHS drops those below 1e-9).
_MIN_WEIGHT = 1e-6
# Distances by which faces are moved inwards, in the same unit, until a point inside is found.
_INWARDS = (1e-7, 1e-5, 1e-3, 1e-1)
# Uncertainty of a cost: a share of the cost itself, and of the cost of the values and sums.
_OF_COST, _OF_VALUES = 1e-6, 1e-9
_HALVINGS = 100


class NotSolved(Exception):
    """Raised if the programme was not solved or is too badly scaled."""


@dataclass(frozen=True)
class Nearest:
    """The nearest example in a leaf, in the features of its sums.

    Attributes
    ----------
    values : dict of int to float, or None
        The new values of the features that change; None if no point in the leaf was found.
    upper_bound : float
        An upper bound on the minimum cost, including its uncertainty.
    """

    values: dict[int, float] | None
    upper_bound: float


def features_in_sums(tree: Tree) -> frozenset[int]:
    """Return the features of all weighted sums that nodes of a tree use.

    Parameters
    ----------
    tree : Tree
        Any tree.
    """
    sums = (int(operand) for operand in tree.feature if operand >= tree.n_features)
    return frozenset(feature for operand in sums for feature in tree.features_of_operand(operand))


def why_not_linear(tree: Tree) -> str:
    """Return why a linear programme cannot find the nearest change; empty if it can.

    Parameters
    ----------
    tree : Tree
        Any tree.
    """
    terms = [term for surface in range(len(tree.surfaces)) for term in tree.surfaces.terms(surface)]
    if any(sum(monomial) > 1 for monomial, _ in terms):
        return "the nearest change is not known for trees with surfaces other than hyperplanes"
    summed = features_in_sums(tree)
    coded = {*tree.levels, *tree.feature[(tree.children_left >= 0) & (tree.comparison != AT_MOST)]}
    if summed & {int(feature) for feature in coded}:
        return "the nearest change is not known for trees with codes in weighted sums"
    return ""


def nearest_by_sums(
    tree: Tree, box: LeafBox, row: NDArray[Any], prices: Sequence[Fraction | None]
) -> Nearest | None:
    """Return the nearest example in a leaf, in the features of its sums; None if there is none.

    Parameters
    ----------
    tree : Tree
        A tree whose sums are linear.
    box : LeafBox
        The leaf, below at least one sum.
    row : ndarray of float64
        The example.
    prices : sequence of Fraction or None
        The price of each feature, None for features that cannot change.

    Raises
    ------
    NotSolved
        If the programme was not solved.
    """
    region = _region_of_leaf(tree, box, row, prices)
    if (region.low > region.high).any():
        return None
    if region.holds(region.start):
        return Nearest({}, 0.0)
    solution = region.solved(0.0)
    if solution is None:
        return None
    closest = solution.values
    found = _entry_point(region, closest)
    sizes = np.maximum(abs(closest), abs(region.start))
    sums = abs(region.borders) + abs(region.matrix) @ sizes
    cost = float(region.prices @ abs(closest - region.start))
    uncertainty = _OF_VALUES * float(region.prices @ sizes + solution.border_prices @ sums)
    upper_bound = cost * (1 + _OF_COST) + uncertainty
    if float(region.prices @ solution.precision) > upper_bound - cost:
        raise NotSolved
    if found is None:
        return Nearest(None, upper_bound)
    changed = np.flatnonzero(found != region.start).tolist()
    return Nearest({region.features[k]: float(found[k]) for k in changed}, upper_bound)


def _entry_point(region: _LeafRegion, closest: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the point where the segment from the closest point enters the leaf, or None."""
    if region.holds(closest):
        return closest
    for inwards in _INWARDS:
        solution = region.solved(inwards)
        if solution is not None and region.holds(solution.values):
            break
    else:
        return None
    inside = entered = solution.values
    outer, inner = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (outer + inner) / 2
        point = region.clipped(closest + middle * (inside - closest))
        if region.holds(point):
            inner, entered = middle, point
        else:
            outer = middle
    return entered


class _Solution(NamedTuple):
    """The cheapest values of a linear programme, in the features of the sums.

    Attributes
    ----------
    values : ndarray of float64
        The values.
    border_prices : ndarray of float64
        For each border the change in cost if it moves by 1 (the dual solution).
    precision : ndarray of float64
        The precision of each value.
    """

    values: NDArray[np.float64]
    border_prices: NDArray[np.float64]
    precision: NDArray[np.float64]


@dataclass(frozen=True)
class _LeafRegion:
    """The conditions for reaching a leaf, in the features of its sums only.

    Attributes
    ----------
    tree, box, row
        As for `nearest_by_sums`.
    features : list of int
        The features of the sums.
    start, low, high : ndarray of float64
        Their values in the example, and their smallest and largest possible values.
    prices : ndarray of float64
        Their prices, 0 for features that cannot change.
    matrix, borders : ndarray of float64
        Each row of the matrix times the change of the values must be at most its border.
    """

    tree: Tree
    box: LeafBox
    row: NDArray[Any]
    features: list[int]
    start: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    prices: NDArray[np.float64]
    matrix: NDArray[np.float64]
    borders: NDArray[np.float64]

    def clipped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the values, limited to the possible range."""
        return np.clip(values, self.low, self.high)

    def holds(self, values: NDArray[np.float64]) -> bool:
        """Return whether the tree sends an example with these values to the leaf, at all sums."""
        changed = np.array(self.row, dtype=np.float64)[None, :]
        changed[0, self.features] = values
        within = ((self.low <= values) & (values <= self.high)).all()
        return bool(within) and all(
            bool(self.tree.goes_left(node, changed)[0]) == left for node, left in self.box.surfaces
        )

    def solved(self, inwards: float) -> _Solution | None:
        """Return the cheapest values with borders moved inwards; None if there are none.

        The variables of a feature are its increase and its decrease. Rows, columns and the changes
        are first scaled to about 1.
        """
        from scipy.optimize import linprog

        with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
            columns = 1.0 / np.maximum(abs(self.matrix).max(axis=0), 1e-300)
            scaled = self.matrix * columns
            rows = 1.0 / np.maximum(abs(scaled).max(axis=1), 1e-300)
            scaled, borders = scaled * rows[:, None], self.borders * rows
            low, high = (self.low - self.start) / columns, (self.high - self.start) / columns
            required = np.maximum(np.maximum(low, -high), 0.0)
            unit = max(float(abs(borders).max()), float(required.max())) or 1.0
            costs = self.prices * columns
            max_cost = float(costs.max()) or 1.0
        finite = (np.isfinite(array).all() for array in (scaled, borders, np.array(unit)))
        if not all(finite) or (abs(scaled[scaled != 0]) < _MIN_WEIGHT).any():
            raise NotSolved
        ends = list(zip(low / unit, high / unit, strict=True))
        bounds = [(max(0.0, lower), max(0.0, upper)) for lower, upper in ends]
        bounds += [(max(0.0, -upper), max(0.0, -lower)) for lower, upper in ends]
        result = linprog(
            np.concatenate([costs, costs]) / max_cost,
            A_ub=np.concatenate([scaled, -scaled], axis=1),
            b_ub=borders / unit - inwards,
            bounds=bounds,
            method="highs",
            options=_PRECISION,
        )
        if result.status == 2:
            return None
        if result.status != 0:
            raise NotSolved
        increase, decrease = result.x[: len(columns)], result.x[len(columns) :]
        values = self.clipped(self.start + (increase - decrease) * unit * columns)
        precision = 10 * _PRECISION["primal_feasibility_tolerance"] * unit * columns
        return _Solution(values, abs(result.ineqlin.marginals) * max_cost * rows, precision)


def _region_of_leaf(
    tree: Tree, box: LeafBox, row: NDArray[Any], prices: Sequence[Fraction | None]
) -> _LeafRegion:
    """Return the conditions for reaching a leaf; the current sums are subtracted exactly."""
    sums = [(int(tree.feature[node]) - tree.n_features, node, left) for node, left in box.surfaces]
    operands = {int(tree.feature[node]) for node, _ in box.surfaces}
    features = sorted({f for operand in operands for f in tree.features_of_operand(operand)})
    column_of = {feature: k for k, feature in enumerate(features)}
    matrix, borders = np.zeros((len(sums), len(features))), np.zeros(len(sums))
    for k, (surface, node, left) in enumerate(sums):
        border = Fraction(float(tree.threshold[node]))
        for monomial, weight in tree.surfaces.terms(surface):
            feature = monomial.index(1) if any(monomial) else None
            value = Fraction(1) if feature is None else Fraction(float(row[feature]))
            border -= Fraction(weight) * value
            if feature is not None:
                matrix[k, column_of[feature]] += weight if left else -weight
        borders[k] = float(border if left else -border)
    start = np.array([float(row[feature]) for feature in features])
    ends = [_ends(box.values.get(f, Values()), float(row[f]), prices[f] is None) for f in features]
    return _LeafRegion(
        tree,
        box,
        row,
        features,
        start,
        np.array([low for low, _ in ends]),
        np.array([high for _, high in ends]),
        np.array([float(prices[feature] or 0) for feature in features]),
        matrix,
        borders,
    )


def _ends(values: Values, value: float, fixed: bool) -> tuple[float, float]:
    """Return the smallest and the largest value that a feature can have in a leaf."""
    low = values.low if values.low == -inf else nextafter(values.low, inf)
    if not fixed:
        return low, values.high
    return (value, value) if low <= value <= values.high else (inf, -inf)
