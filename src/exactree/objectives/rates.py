"""Rates of wrong predictions of two classes, as functions of false positives and false negatives.

A rate is not a sum over leaves, and a leaf need not predict its heaviest class. But each rate is
non-decreasing in both numbers. So there is an optimal tree whose pair of numbers is dominated by no
pair of another tree, and each subtree can be replaced by a subtree whose pair dominates its pair.
"""

from abc import abstractmethod
from dataclasses import dataclass
from fractions import Fraction

from exactree.objectives.objective import Additive

__all__ = ["F1Error", "PrecisionError", "RateError", "RecallError"]


@dataclass(frozen=True)
class RateError(Additive):
    """A rate between 0 and 1, in units of 1 / `weight_scale`, plus leaf prices.

    Attributes
    ----------
    positive : int
        Index of the positive class, one of two classes.
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
        """Return the rate, which is non-decreasing in both numbers."""


class F1Error(RateError):
    """1 - F1: the wrong predictions w divided by w + 2 (true positives).

    It is never 0/0: every positive is a true positive or a false negative, and there are positives.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - F1."""
        wrong = false_positives + false_negatives
        return Fraction(wrong, wrong + 2 * (self.positives - false_negatives))


class PrecisionError(RateError):
    """1 - precision: the share of negatives among the predicted positives; 1 if there are none.

    Scikit-learn also defines the precision without predicted positives (0/0) as 0.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - precision."""
        predicted = false_positives + self.positives - false_negatives
        return Fraction(false_positives, predicted) if predicted else Fraction(1)


class RecallError(RateError):
    """1 - recall: the share of the positives that are predicted negative; there are positives."""

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - recall."""
        return Fraction(false_negatives, self.positives)
