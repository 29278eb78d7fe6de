"""The objective "f1_error": one less F1, the harmonic mean of precision and recall."""

from fractions import Fraction

from exactree.objectives.rates import RateError

__all__ = ["F1Error"]


class F1Error(RateError):
    """Wrong predictions as a share of them and twice the true positives.

    It is never 0/0: there are positives, and each is a true positive or a false negative.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return one less F1."""
        wrong = false_positives + false_negatives
        return Fraction(wrong, wrong + 2 * (self.positives - false_negatives))
