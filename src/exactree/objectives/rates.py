"""Rates of wrong predictions of two classes, told by false positives and false negatives.

A rate is no sum over leaves, and a leaf need not predict its heaviest class. But each rate grows
with both numbers: so a best tree is one whose pair of numbers no other tree beats, and a child of
it can always be replaced by one with a better pair.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from exactree.objectives.objective import Additive

__all__ = ["F1Error", "PrecisionError", "RateError", "RecallError"]


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


class F1Error(RateError):
    """Wrong predictions as a share of them and twice the true positives.

    It is never 0/0: there are positives, and each is a true positive or a false negative.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - F1."""
        wrong = false_positives + false_negatives
        return Fraction(wrong, wrong + 2 * (self.positives - false_negatives))


class PrecisionError(RateError):
    """The share of the false among the predicted positives; 1 if none is predicted.

    That is how scikit-learn reads 0/0, too: a precision of 0.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - precision."""
        predicted = false_positives + self.positives - false_negatives
        return Fraction(false_positives, predicted) if predicted else Fraction(1)


class RecallError(RateError):
    """The share of the positives that are predicted negative; never 0/0, as there are positives."""

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - recall."""
        return Fraction(false_negatives, self.positives)
