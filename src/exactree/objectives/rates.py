"""Rates of wrong predictions of two classes, told by false positives and false negatives.

A rate is no sum over leaves, and a leaf need not predict its heaviest class. But each rate grows
with both numbers: so a best tree is one whose pair of numbers no other tree beats, and a side of
it can always be replaced by one with a better pair.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from exactree.objectives.additive import Additive

__all__ = ["RateError"]


@dataclass(frozen=True)
class RateError(Additive):
    """A rate between 0 and 1, in units of which `weight_scale` are one, plus leaf prices.

    Attributes
    ----------
    positive : int
        Index of the positive class; there is one other.
    positives : int
        The integer weight of the positive class in the whole table, more than 0.
    """

    positive: int = 1
    positives: int = 1

    def errors(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return the rate in the unit of `value`.

        Parameters
        ----------
        false_positives, false_negatives : int
            Integer weights.
        """
        return self.rate(false_positives, false_negatives) * self.weight_scale

    @abstractmethod
    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return the rate, which grows with both numbers."""
