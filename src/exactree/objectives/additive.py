"""What errors of all kinds have in common: they are added up over leaves, which have a price."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactree.objectives.objective import Law

__all__ = ["Additive", "plain"]


@dataclass(frozen=True)
class Additive:
    """Errors of the leaves plus `leaf_price` per leaf, in units of the integer weights.

    Attributes
    ----------
    leaf_price : int or Fraction
        Leaf penalty times the total integer weight.
    weight_scale : int
        Integer weights per unit of a user's weight.
    """

    declared: ClassVar[frozenset[Law]] = frozenset()

    leaf_price: int | Fraction = 0
    weight_scale: int = 1

    @property
    def laws(self) -> frozenset[Law]:
        """The laws of the errors; two leaves have two prices, so with a price none are added up."""
        return self.declared - {Law.SUPER_ADDITIVE} if self.leaf_price else self.declared

    def join(self, left: int | Fraction, right: int | Fraction) -> int | Fraction:
        """Return the sum: errors and leaves of the two sides are disjoint."""
        return left + right

    def order(self, first: int | Fraction, second: int | Fraction) -> bool:
        """Tell whether the first cost is at most the second."""
        return first <= second

    def value(self, cost: int | Fraction) -> int | Fraction:
        """Return the cost in units of the user's weights."""
        return plain(Fraction(cost) / self.weight_scale)


def plain(number: int | Fraction) -> int | Fraction:
    """Return a whole fraction as an int, anything else as it is."""
    return number.numerator if number.denominator == 1 else number
