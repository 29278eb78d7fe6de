"""The nearest example with another prediction, exact if leaves are boxes.

Leaves below weighted sums are polyhedra, see `linear_change`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.features import shown
from exactree.export.boxes import LeafBox, Values, boxes_of
from exactree.export.linear_change import (
    NotSolved,
    features_in_sums,
    nearest_by_sums,
    why_not_linear,
)
from exactree.export.wording import one_line
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
            f"{one_line(name)} were {repr(value) if isinstance(value, float) else one_line(value)}"
            for name, value in self.values.items()
        )
        return f"it would be {one_line(self.prediction)} if {' and '.join(changed)}"

    def __repr__(self) -> str:
        return f"<Change: {self}>"


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
    to, costs, fixed
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
    changed = {
        tree.feature_names[f]: _user_value(tree, f, value) for f, value in best.values.items()
    }
    predicted = tree.classes.tolist()[tree.prediction[best.leaf]]
    return Change(changed, predicted, best.leaf, float(best.cost)), ""


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
    cost, changed = Fraction(0), {}
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
        cost += price * (1 if by_code else abs(Fraction(new) - Fraction(value)))
        changed[feature] = new
    if not summed:
        return _Reached(box.leaf, changed, cost, cost)
    nearest = nearest_by_sums(tree, box, row, prices)
    if nearest is None:
        return None
    upper_bound = cost + Fraction(nearest.upper_bound)
    if nearest.values is None:
        return _Reached(box.leaf, changed, None, upper_bound)
    for feature, new in nearest.values.items():
        cost += (prices[feature] or 0) * abs(Fraction(new) - Fraction(float(row[feature])))
        changed[feature] = new
    return _Reached(box.leaf, changed, cost, upper_bound)


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
