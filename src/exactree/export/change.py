"""The nearest example with another prediction: exact, as leaves are boxes of features."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any

from exactree.export.boxes import Box, Values, boxes_of
from exactree.export.wording import one_line
from exactree.trees.shape import AT_MOST

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.trees import Tree


@dataclass(frozen=True)
class Change:
    """What to change of an example so that its prediction changes.

    Attributes
    ----------
    values : mapping of str to object
        The new values of the features that change, by name: numbers, levels or codes.
    prediction : object
        What is predicted then.
    leaf : int
        The leaf that the changed example reaches.
    cost : float
        What the change costs, rounded once.
    """

    values: Mapping[str, Any]
    prediction: Any
    leaf: int
    cost: float

    def __str__(self) -> str:
        told = (
            f"{one_line(name)} were {repr(value) if isinstance(value, float) else one_line(value)}"
            for name, value in self.values.items()
        )
        return f"it would be {one_line(self.prediction)} if {' and '.join(told)}"


def nearest_change(
    tree: Tree,
    row: NDArray[Any],
    leaf: int,
    to: Any,
    costs: Mapping[str | int, float] | Sequence[float] | None,
    fixed: Iterable[str | int],
) -> tuple[Change | None, str]:
    """Return the nearest change, or None and why there is none; see `explain`.

    What changes a feature to reach a box does not depend on the other features. So the nearest
    example in a box has every feature at the nearest of its values there, and the nearest of all is
    that of the nearest box.

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
    prices = _prices(tree, costs, {_place(tree, feature) for feature in fixed})
    wanted = _wanted(tree, leaf, to)
    if len(tree.surfaces):
        return None, "the nearest change is not known of trees with hyperplanes or other surfaces"
    best: tuple[tuple[Fraction, int], Box, dict[int, float]] | None = None
    for box in boxes_of(tree):
        if int(tree.prediction[box.leaf]) in wanted:
            found = _reached(tree, box, row, prices)
            if found is not None and (best is None or found[0] < best[0]):
                best = (found[0], box, found[1])
    if best is None:
        return None, "no change of the features that can change would change it"
    (cost, _), box, values = best
    told = {tree.feature_names[f]: _told(tree, f, value) for f, value in values.items()}
    predicted = tree.classes.tolist()[tree.prediction[box.leaf]]
    return Change(told, predicted, box.leaf, float(cost)), ""


def _wanted(tree: Tree, leaf: int, to: Any) -> set[int]:
    """Return the classes to which the prediction may change."""
    labels, here = tree.classes.tolist(), int(tree.prediction[leaf])
    if to is None:
        return set(range(len(labels))) - {here}
    if to not in labels:
        raise ValueError(f"to must be a label that the tree predicts, got {to!r}.")
    if labels.index(to) == here:
        raise ValueError(f"to must be another label than the one predicted, which is {to!r}.")
    return {labels.index(to)}


def _prices(
    tree: Tree, costs: Mapping[str | int, float] | Sequence[float] | None, fixed: set[int]
) -> list[Fraction | None]:
    """Return the exact price of each feature, None for those that cannot change."""
    prices: list[Fraction | None] = [Fraction(1)] * tree.n_features
    if costs is not None:
        if not isinstance(costs, Mapping):
            if len(costs) != tree.n_features:
                raise ValueError(
                    f"costs must be {tree.n_features}, one for each feature, got {len(costs)}."
                )
            costs = dict(enumerate(costs))
        for feature, cost in costs.items():
            if not (isfinite(cost) and cost >= 0):
                raise ValueError(f"costs must be finite numbers from 0 on, got {cost!r}.")
            prices[_place(tree, feature)] = Fraction(cost)
    return [None if feature in fixed else price for feature, price in enumerate(prices)]


def _place(tree: Tree, feature: str | int) -> int:
    """Return the index of a feature that is given by name or index."""
    if isinstance(feature, str) and feature in tree.feature_names:
        return tree.feature_names.index(feature)
    if isinstance(feature, int) and 0 <= feature < tree.n_features:
        return feature
    raise ValueError(f"the tree has no feature {feature!r}.")


def _reached(
    tree: Tree, box: Box, row: NDArray[Any], prices: list[Fraction | None]
) -> tuple[tuple[Fraction, int], dict[int, float]] | None:
    """Return cost and number of the changes that lead into a box, and the new values."""
    cost, changed = Fraction(0), {}
    for feature, values in box.values.items():
        value, price = float(row[feature]), prices[feature]
        if values.missing if isnan(value) else value in values:
            continue
        if isnan(value) or price is None:
            return None
        by_code = _by_code(tree, feature)
        new = _other_code(tree, feature, values) if by_code else values.nearest(value)
        if new is None:
            return None
        cost += price * (1 if by_code else abs(Fraction(new) - Fraction(value)))
        changed[feature] = new
    return (cost, len(changed)), changed


def _by_code(tree: Tree, feature: int) -> bool:
    """Tell whether a feature is asked for codes only, which have no distances."""
    asked = (tree.feature == feature) & (tree.comparison == AT_MOST)
    return feature in tree.levels or not (asked & (abs(tree.threshold) < float("inf"))).any()


def _other_code(tree: Tree, feature: int, values: Values) -> float | None:
    """Return the first code in a box: of the levels, or else of all integers from 0 on."""
    if values.only is not None:
        return values.nearest(0.0)
    known = len(tree.levels[feature]) if feature in tree.levels else len(values.without) + 1
    return next((float(code) for code in range(known) if code in values), None)


def _told(tree: Tree, feature: int, value: float) -> Any:
    """Return a new value as the user has it: a number, a level or a code."""
    if feature in tree.levels:
        return tree.levels[feature][int(value)]
    return int(value) if _by_code(tree, feature) else value
