"""The values that features can have in each leaf: an interval, codes, or missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import TYPE_CHECKING

from exactree.trees.routing import AT_MOST

if TYPE_CHECKING:
    from exactree.trees import Tree


@dataclass(frozen=True)
class Values:
    """Possible values of a feature: numbers or codes in an interval (low, high], or missing.

    Attributes
    ----------
    low, high : float
        The numbers are above `low` and at most `high`.
    only : frozenset of float or None
        The allowed codes; None for any number.
    without : frozenset of float
        The excluded codes.
    missing : bool
        Whether the value can be missing.
    """

    low: float = -inf
    high: float = inf
    only: frozenset[float] | None = None
    without: frozenset[float] = frozenset()
    missing: bool = True

    def divided(self, tree: Tree, node: int) -> tuple[Values, Values]:
        """Return the values that go left and right at a node that splits on this feature.

        Parameters
        ----------
        tree : Tree
            The tree.
        node : int
            The node.
        """
        missing_left = bool(tree.missing_go_to_left[node])
        left = replace(self, missing=self.missing and missing_left)
        right = replace(self, missing=self.missing and not missing_left)
        threshold = float(tree.threshold[node])
        if tree.comparison[node] == AT_MOST:
            left = replace(left, high=min(self.high, threshold))
            return left, replace(right, low=max(self.low, threshold))
        codes = frozenset(map(float, tree.level_set_at(node) or (threshold,)))
        left = replace(left, only=codes if self.only is None else self.only & codes)
        return left, replace(right, without=self.without | codes)

    def __contains__(self, number: float) -> bool:
        allowed = self.only is None or number in self.only
        return allowed and self.low < number <= self.high and number not in self.without

    def nearest(self, number: float) -> float | None:
        """Return the possible float64 number nearest to a number, the lower of two; None if none.

        The numbers above a threshold begin with the next float64 number.

        Parameters
        ----------
        number : float
            Any finite number.
        """
        if self.only is not None:
            near = sorted(code for code in self.only if code in self)
        else:
            below = self._first(min(number, self.high), -inf)
            above = self._first(max(number, nextafter(self.low, inf)), inf)
            near = [found for found in (below, above) if found is not None]
        return min(near, key=lambda found: abs(Fraction(found) - Fraction(number)), default=None)

    def _first(self, number: float, towards: float) -> float | None:
        """Return the first allowed number from `number` on, None if it is outside the interval."""
        while number in self.without:
            number = nextafter(number, towards)
        return number if self.low < number <= self.high and isfinite(number) else None


@dataclass(frozen=True)
class LeafBox:
    """All examples that reach a leaf.

    Attributes
    ----------
    leaf : int
        The leaf; an inner node while the boxes are divided.
    values : mapping of int to Values
        The possible values of each feature that is used on the path.
    surfaces : tuple of (int, bool)
        The nodes on the path that split on surfaces, and whether the examples go left there.
    """

    leaf: int = 0
    values: Mapping[int, Values] = field(default_factory=dict)
    surfaces: tuple[tuple[int, bool], ...] = ()

    def _divided(self, tree: Tree) -> tuple[LeafBox, LeafBox]:
        """Return the boxes of the two children of the node."""
        node, operand = self.leaf, int(tree.feature[self.leaf])
        left = replace(self, leaf=int(tree.children_left[node]))
        right = replace(self, leaf=int(tree.children_right[node]))
        if operand >= tree.n_features:
            surfaces = self.surfaces
            return (
                replace(left, surfaces=(*surfaces, (node, True))),
                replace(right, surfaces=(*surfaces, (node, False))),
            )
        values_left, values_right = self.values.get(operand, Values()).divided(tree, node)
        return (
            replace(left, values={**self.values, operand: values_left}),
            replace(right, values={**self.values, operand: values_right}),
        )


def boxes_of(tree: Tree) -> Iterator[LeafBox]:
    """Return the boxes of the leaves, from left to right.

    Parameters
    ----------
    tree : Tree
        Any tree.
    """
    stack = [LeafBox()]
    while stack:
        box = stack.pop()
        if tree.is_leaf(box.leaf):
            yield box
        else:
            stack += reversed(box._divided(tree))
