"""What the features of the examples of each leaf can be: an interval, codes, or missing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import inf, isfinite, nextafter
from typing import TYPE_CHECKING

from exactree.trees.shape import AT_MOST

if TYPE_CHECKING:
    from exactree.trees import Tree


@dataclass(frozen=True)
class Values:
    """The numbers in an interval (low, high], or some codes in it, without others; or missing.

    Attributes
    ----------
    low, high : float
        The numbers are above the one and at most the other.
    only : frozenset of float or None
        The codes that can be; None for any number.
    without : frozenset of float
        The codes that cannot be.
    missing : bool
        Whether the value can be missing.
    """

    low: float = -inf
    high: float = inf
    only: frozenset[float] | None = None
    without: frozenset[float] = frozenset()
    missing: bool = True

    def divided(self, tree: Tree, node: int) -> tuple[Values, Values]:
        """Return what goes left and what goes right at a node that asks this feature.

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
        codes = frozenset(map(float, tree.codes_of_set(node) or (threshold,)))
        left = replace(left, only=codes if self.only is None else self.only & codes)
        return left, replace(right, without=self.without | codes)

    def __contains__(self, number: float) -> bool:
        among = self.only is None or number in self.only
        return among and self.low < number <= self.high and number not in self.without

    def nearest(self, number: float) -> float | None:
        """Return the float64 number among these that is nearest to one, of two the lower.

        What is above a threshold begins with the next float64 number. None if there is no number.

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
        """Return the first number from one on that is not left out, if any is in the interval."""
        while number in self.without:
            number = nextafter(number, towards)
        return number if self.low < number <= self.high and isfinite(number) else None


@dataclass(frozen=True)
class LeafBox:
    """All examples that reach a leaf.

    Attributes
    ----------
    leaf : int
        The leaf.
    values : mapping of int to Values
        What a feature can be, for those that are used on the way.
    surfaces : tuple of (int, bool)
        The nodes on the way that ask surfaces, and whether the examples go left there.
    """

    leaf: int = 0
    values: Mapping[int, Values] = field(default_factory=dict)
    surfaces: tuple[tuple[int, bool], ...] = ()

    def _divided(self, tree: Tree) -> tuple[LeafBox, LeafBox]:
        """Return what goes left and what goes right at the node that is reached."""
        node, entry = self.leaf, int(tree.feature[self.leaf])
        left = replace(self, leaf=int(tree.children_left[node]))
        right = replace(self, leaf=int(tree.children_right[node]))
        if entry >= tree.n_features:
            surfaces = self.surfaces
            return (
                replace(left, surfaces=(*surfaces, (node, True))),
                replace(right, surfaces=(*surfaces, (node, False))),
            )
        low, high = self.values.get(entry, Values()).divided(tree, node)
        return (
            replace(left, values={**self.values, entry: low}),
            replace(right, values={**self.values, entry: high}),
        )


def boxes_of(tree: Tree) -> Iterator[LeafBox]:
    """Return the boxes of the leaves, from left to right.

    Parameters
    ----------
    tree : Tree
        Any tree.
    """
    ahead = [LeafBox()]
    while ahead:
        box = ahead.pop()
        if tree.is_leaf(box.leaf):
            yield box
        else:
            ahead += reversed(box._divided(tree))
