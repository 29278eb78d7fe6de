"""The nearest example with another prediction, exact if leaves are boxes.

Leaves below weighted sums are polyhedra, see `linear_change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from fractions import Fraction
from itertools import count
from math import isfinite, isnan, nextafter
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.parameters import shown
from exactree.export.boxes import LeafBox, Values, boxes_of
from exactree.export.linear_change import (
    NotSolved,
    features_in_sums,
    nearest_by_sums,
    why_not_linear,
)
from exactree.export.wording import number, one_line
from exactree.problem.parameters import exact_number
from exactree.trees.routing import AT_MOST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.trees import Tree


@dataclass(frozen=True, repr=False)
class Change:
    """A change of an example that changes its prediction.

    Attributes
    ----------
    values : mapping of str to object
        The new values of the features that change, by name: numbers, levels or codes.
    prediction : object
        The new prediction.
    leaf : int
        The leaf that the changed example reaches.
    cost : float
        The cost of the change, rounded once.
    """

    values: Mapping[str, Any]
    prediction: Any
    leaf: int
    cost: float

    def __str__(self) -> str:
        changed = (
            f"{one_line(name)} were "
            f"{number(value) if isinstance(value, float) else one_line(value)}"
            for name, value in self.values.items()
        )
        return f"it would be {one_line(self.prediction)} if {' and '.join(changed)}"

    def __repr__(self) -> str:
        return f"<Change: {self}>"


# Digits of a rounded value where neither the old value nor the threshold is a short decimal.
_DIGITS = 6
_NOT_KNOWN = "the nearest change is not known because of roundings of weighted sums"


@dataclass(frozen=True)
class _Reached:
    """The nearest change that leads to a leaf.

    Attributes
    ----------
    leaf : int
        The leaf.
    values : mapping of int to float
        The new values of the features that change.
    cost : Fraction or None
        Their cost; None if no change was found although there may be one.
    upper_bound : Fraction
        An upper bound on the minimum cost.
    """

    leaf: int
    values: Mapping[int, float]
    cost: Fraction | None
    upper_bound: Fraction


def nearest_change(
    tree: Tree,
    row: NDArray[Any],
    leaf: int,
    to: Any,
    costs: Mapping[str | int, float] | Sequence[float] | None,
    fixed: Iterable[str | int],
    exact: bool,
) -> tuple[Change | None, str]:
    """Return the nearest change, or None and the reason; see `explain`.

    The change of a feature that is needed to reach a box does not depend on other features. So the
    nearest example in a box has the nearest possible value of every feature, and the nearest
    example of all is in the nearest box. The features in sums above a leaf change together, the
    others as in a box. A nearest change is reported only if no leaf for which none was
    found could be nearer.

    Parameters
    ----------
    tree : Tree
        The tree.
    row : ndarray of float64
        The example.
    leaf : int
        The leaf that it reaches.
    to, costs, fixed, exact
        As for `explain`.
    """
    prices = _prices(tree, costs, {_feature_index(tree, feature) for feature in fixed})
    targets = _target_classes(tree, leaf, to)
    if len(tree.surfaces) and (why_not := why_not_linear(tree)):
        return None, why_not
    boxes = (box for box in boxes_of(tree) if int(tree.prediction[box.leaf]) in targets)
    try:
        reached = [
            change for box in boxes if (change := _reached(tree, box, row, prices)) is not None
        ]
    except NotSolved:
        return None, _NOT_KNOWN
    if not reached:
        return None, "no change of the features that are not fixed gives another prediction"
    found = [change for change in reached if change.cost is not None]
    best = min(found, key=lambda change: (change.cost, len(change.values)), default=None)
    if (
        best is None
        or best.cost is None
        or min(change.upper_bound for change in reached) < best.cost
    ):
        return None, _NOT_KNOWN
    if not exact:
        best = _shortened(tree, row, best, prices)
    changed = {
        tree.feature_names[f]: _user_value(tree, f, value) for f, value in best.values.items()
    }
    predicted = tree.classes.tolist()[tree.prediction[best.leaf]]
    cost = _cost(tree, row, best.values, prices)
    return Change(changed, predicted, best.leaf, float(cost)), ""


def _shortened(
    tree: Tree, row: NDArray[Any], found: _Reached, prices: list[Fraction | None]
) -> _Reached:
    """Return a change with its numbers rounded away from the old ones, to short decimals.

    The decimals are longer where shorter ones lead to another leaf.
    """
    for more_digits in count():
        values = {
            feature: new
            if _by_code(tree, feature)
            else _outward(float(row[feature]), new, more_digits)
            for feature, new in found.values.items()
        }
        changed = np.array(row, dtype=np.float64)[None, :]
        changed[0, list(values)] = list(values.values())
        if values == found.values or int(tree.leaf_index(changed)[0]) == found.leaf:
            return replace(found, values=values)
    raise AssertionError("with all its digits a number is not rounded")


def _outward(old: float, new: float, more_digits: int) -> float:
    """Return a short decimal that is as far from the old number as the new one, or farther.

    It has the decimal places of the old number or of the threshold next to the new one, whichever
    has more.
    """
    short = max(_last_place(new), _last_place(nextafter(new, old)))
    exact = Decimal(repr(new))
    place = max(min(0, _last_place(old), short), exact.adjusted() - _DIGITS + 1) - more_digits
    if _last_place(new) >= place:
        return new
    unit = Decimal(1).scaleb(place)
    units = (exact / unit).to_integral_value(ROUND_CEILING if new > old else ROUND_FLOOR)
    rounded = float(units * unit)
    return rounded if isfinite(rounded) else new


def _last_place(number: float) -> int:
    """Return the power of ten of the last digit that is not zero."""
    return int(Decimal(repr(number)).normalize().as_tuple().exponent)


def _cost(
    tree: Tree, row: NDArray[Any], values: Mapping[int, float], prices: list[Fraction | None]
) -> Fraction:
    """Return the exact cost of new values of features."""
    return sum(
        (
            (prices[feature] or Fraction(0))
            * (1 if _by_code(tree, feature) else abs(Fraction(new) - Fraction(float(row[feature]))))
            for feature, new in values.items()
        ),
        Fraction(0),
    )


def _target_classes(tree: Tree, leaf: int, to: Any) -> set[int]:
    """Return the classes to which the prediction may change."""
    labels, present = tree.classes.tolist(), int(tree.prediction[leaf])
    if to is None:
        return set(range(len(labels))) - {present}
    if to not in labels:
        raise ValueError(f"to must be a label that the tree predicts, got {shown(to)}.")
    if labels.index(to) == present:
        raise ValueError(f"to must differ from the predicted label, which is {to!r}.")
    return {labels.index(to)}


def _prices(
    tree: Tree, costs: Mapping[str | int, float] | Sequence[float] | None, fixed: set[int]
) -> list[Fraction | None]:
    """Return the exact price of each feature, None for features that cannot change."""
    prices: list[Fraction | None] = [Fraction(1)] * tree.n_features
    if costs is not None:
        if not isinstance(costs, Mapping):
            if len(costs) != tree.n_features:
                raise ValueError(
                    f"costs must have {tree.n_features} numbers, one for each feature, got "
                    f"{len(costs)}."
                )
            costs = dict(enumerate(costs))
        for feature, cost in costs.items():
            prices[_feature_index(tree, feature)] = exact_number(
                "costs", cost, "finite numbers from 0 on"
            )
    return [None if feature in fixed else price for feature, price in enumerate(prices)]


def _feature_index(tree: Tree, feature: str | int) -> int:
    """Return the index of a feature that is given by name or index."""
    if isinstance(feature, str) and feature in tree.feature_names:
        return tree.feature_names.index(feature)
    is_index = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
    if is_index and 0 <= int(feature) < tree.n_features:
        return int(feature)
    raise ValueError(f"costs and fixed name features; the tree has no feature {shown(feature)}.")


def _reached(
    tree: Tree, box: LeafBox, row: NDArray[Any], prices: list[Fraction | None]
) -> _Reached | None:
    """Return the nearest change that leads to a leaf, None if there is none."""
    sums = {int(tree.feature[node]) for node, _ in box.surfaces}
    summed = {feature for operand in sums for feature in tree.features_of_operand(operand)}
    changed = {}
    for feature, values in box.values.items():
        value, price = float(row[feature]), prices[feature]
        if feature in summed or (values.missing if isnan(value) else value in values):
            continue
        if isnan(value) or price is None:
            return None
        by_code = _by_code(tree, feature)
        new = _other_code(tree, feature, values) if by_code else values.nearest(value)
        if new is None:
            return None
        changed[feature] = new
    cost = _cost(tree, row, changed, prices)
    if not summed:
        return _Reached(box.leaf, changed, cost, cost)
    nearest = nearest_by_sums(tree, box, row, prices)
    if nearest is None:
        return None
    upper_bound = cost + Fraction(nearest.upper_bound)
    if nearest.values is None:
        return _Reached(box.leaf, changed, None, upper_bound)
    changed |= nearest.values
    return _Reached(box.leaf, changed, _cost(tree, row, changed, prices), upper_bound)


def _by_code(tree: Tree, feature: int) -> bool:
    """Return whether nodes compare only codes of a feature, which have no distances."""
    at_most = (tree.feature == feature) & (tree.comparison == AT_MOST)
    has_threshold = (at_most & (abs(tree.threshold) < float("inf"))).any()
    return feature in tree.levels or not (has_threshold or feature in features_in_sums(tree))


def _other_code(tree: Tree, feature: int, values: Values) -> float | None:
    """Return the first code in a box: a level's code, or else any integer from 0 on."""
    if values.only is not None:
        return values.nearest(0.0)
    n_codes = len(tree.levels[feature]) if feature in tree.levels else len(values.without) + 1
    return next((float(code) for code in range(n_codes) if code in values), None)


def _user_value(tree: Tree, feature: int, value: float) -> Any:
    """Return a new value in the user's form: a number, a level or a code."""
    if feature in tree.levels:
        return tree.levels[feature][int(value)]
    return int(value) if _by_code(tree, feature) else value
