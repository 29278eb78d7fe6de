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

    @abstractmethod
    def prices(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """Return the prices of false positives and of false negatives that decide about a ratio.

        A rate is a quotient N / D of sums over leaves. It is less than the ratio q if and only if
        N - q D < 0 and D > 0, which says that the errors with these prices cost less than
        `threshold`.

        Parameters
        ----------
        ratio : Fraction
            At least 0, and less than 1 unless the prices may be 0.
        """

    @abstractmethod
    def threshold(self, ratio: Fraction) -> Fraction:
        """Return the cost of errors with `prices`, in integer weights, at which N - q D = 0."""

    @property
    def least_denominator(self) -> int:
        """A lower bound on every denominator that is not 0, in integer weights."""
        return self.positives


class F1Error(RateError):
    """1 - F1: the wrong predictions w divided by w + 2 (true positives).

    It is never 0/0: every positive is a true positive or a false negative, and there are positives.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - F1."""
        wrong = false_positives + false_negatives
        return Fraction(wrong, wrong + 2 * (self.positives - false_negatives))

    def prices(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """Return the prices in FP + FN - q (2 P + FP - FN)."""
        return 1 - ratio, 1 + ratio

    def threshold(self, ratio: Fraction) -> Fraction:
        """Return 2 q P."""
        return 2 * ratio * self.positives


class PrecisionError(RateError):
    """1 - precision: the share of negatives among the predicted positives; 1 if there are none.

    Scikit-learn also defines the precision without predicted positives (0/0) as 0.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - precision."""
        predicted = false_positives + self.positives - false_negatives
        return Fraction(false_positives, predicted) if predicted else Fraction(1)

    def prices(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """Return the prices in FP - q (P + FP - FN); without predicted positives it is 0."""
        return 1 - ratio, ratio

    def threshold(self, ratio: Fraction) -> Fraction:
        """Return q P."""
        return ratio * self.positives

    @property
    def least_denominator(self) -> int:
        """1: a leaf that predicts positive holds some weight."""
        return 1


class RecallError(RateError):
    """1 - recall: the share of the positives that are predicted negative; there are positives."""

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return 1 - recall."""
        return Fraction(false_negatives, self.positives)

    def prices(self, ratio: Fraction) -> tuple[Fraction, Fraction]:
        """Return the prices in FN - q P."""
        return Fraction(0), Fraction(1)

    def threshold(self, ratio: Fraction) -> Fraction:
        """Return q P."""
        return ratio * self.positives
