"""Costs by the shares of the classes in a leaf, which are smoothed on request."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactree.objectives.class_costs import ClassCosts
from exactree.objectives.objective import Law, plain

__all__ = ["Smoothed", "added_weights"]

# Costs that agree in that many decimals count as equal.
_DECIMALS = 40


def added_weights(
    smoothing: float | str | Fraction | None, totals: Sequence[int], weight_scale: int
) -> tuple[Fraction, ...]:
    """Return what smoothing adds to the integer weight of each class in a leaf.

    Parameters
    ----------
    smoothing : "laplace", number or None
        As in `exactree.trees.shares.shares_of_classes`.
    totals : sequence of int
        The integer weight of each class in the whole table.
    weight_scale : int
        Integer weights per unit of a user's weight.
    """
    if smoothing is None:
        return (Fraction(0),) * len(totals)
    if smoothing == "laplace":
        return (Fraction(weight_scale),) * len(totals)
    more = Fraction(str(smoothing)) * weight_scale
    return tuple(more * total / sum(totals) for total in totals)


@dataclass(frozen=True)
class Smoothed(ClassCosts):
    """Costs that mind the shares of all classes in a leaf, not only which one is heaviest.

    Attributes
    ----------
    added : tuple of Fraction
        What smoothing adds to the integer weight of each class.
    """

    exact: ClassVar[bool] = False
    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    added: tuple[Fraction, ...] = ()

    @property
    def laws(self) -> frozenset[Law]:
        """Smoothed shares are drawn together, more so in smaller leaves: costs are not added up."""
        return super().laws - {Law.SUPER_ADDITIVE} if any(self.added) else super().laws

    def order(self, first: int | Fraction, second: int | Fraction) -> bool:
        """Return whether the first cost is at most the second, as far as decimals are held."""
        return self.value(first) <= self.value(second)

    def value(self, cost: int | Fraction) -> int | Fraction:
        """Return the cost in units of the user's weights, to forty decimals."""
        return plain(round(Fraction(cost) / self.weight_scale, _DECIMALS))
