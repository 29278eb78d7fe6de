"""Costs of numbers as integers, and how much a tree that is called best may cost too much."""

from dataclasses import dataclass
from math import floor, frexp, ldexp

__all__ = ["Units"]

# Bits of the cost of a single leaf.
_BITS = 56
# What a tree that is called best may cost too much: of its cost, and of that of a single leaf. Less
# than `engine/regression_tree.py` tolerates, so that roundings have room.
_OF_COST, _OF_LEAF = 4e-10, 4e-16


@dataclass(frozen=True)
class Units:
    """Costs as integers: so small that a single leaf has 56 bits.

    Attributes
    ----------
    leaf : float
        The cost of a single leaf.
    """

    leaf: float

    @property
    def _shift(self) -> int:
        return _BITS - frexp(self.leaf)[1]

    def at_least(self, bound: float) -> int:
        """Return a lower bound in units; what is rounded makes it lower."""
        return max(floor(ldexp(bound, self._shift)), 0)

    def to_beat(self, cost: float) -> int:
        """Return what others have to cost less than to be better than a tree beyond tolerance.

        Parameters
        ----------
        cost : float
            Of the tree.
        """
        return self.at_least(cost - max(_OF_COST * cost, _OF_LEAF * self.leaf))

    def value(self, units: int) -> float:
        """Return so many units as a cost."""
        return ldexp(float(units), -self._shift)
