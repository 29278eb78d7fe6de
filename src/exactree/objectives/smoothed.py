"""Base class of costs that depend on the shares of the classes in a leaf, possibly smoothed."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from exactree.objectives.class_costs import ClassCosts
from exactree.objectives.objective import Law, plain

__all__ = ["Smoothed", "added_weights"]

# Costs that agree in this number of decimals count as equal.
_DECIMALS = 40


def added_weights(
    smoothing: float | str | Fraction | None, totals: Sequence[int], weight_scale: int
) -> tuple[Fraction, ...]:
    """Return the weight that smoothing adds to each class in a leaf, in integer weights.

    Parameters
    ----------
    smoothing : "laplace", number or None
        As in `exactree.trees.shares.shares_of_classes`.
    totals : sequence of int
        The integer weight of each class in the whole table.
    weight_scale : int
        The integer weight of a user's weight of 1.
    """
    if smoothing is None:
        return (Fraction(0),) * len(totals)
    if smoothing == "laplace":
        return (Fraction(weight_scale),) * len(totals)
    added = Fraction(str(smoothing)) * weight_scale
    return tuple(added * total / sum(totals) for total in totals)


@dataclass(frozen=True)
class Smoothed(ClassCosts):
    """Costs that depend on the shares of all classes in a leaf, not only on the heaviest class.

    All laws are declared: `LogLoss` and `Gini` prove `Law.NEVER_CHEAPER` in their docstrings and
    `Law.REACH` in `reach`. Without smoothing both are super-additive, because the impurity of a
    leaf is concave in its shares, and the shares of a union of two subsets are the weighted means
    of the shares of the subsets.

    Attributes
    ----------
    added : tuple of Fraction
        Weight that smoothing adds to each class, in integer weights.
    """

    exact: ClassVar[bool] = False
    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    added: tuple[Fraction, ...] = ()

    @property
    def laws(self) -> frozenset[Law]:
        """The laws; smoothing breaks super-additivity: it changes shares of small leaves more."""
        return super().laws - {Law.SUPER_ADDITIVE} if any(self.added) else super().laws

    def order(self, first: int | Fraction, second: int | Fraction) -> bool:
        """Return whether the first cost is at most the second, both rounded to forty decimals."""
        return self.value(first) <= self.value(second)

    def value(self, cost: int | Fraction) -> int | Fraction:
        """Return the cost in units of the user's weights, to forty decimals."""
        return plain(round(Fraction(cost) / self.weight_scale, _DECIMALS))
