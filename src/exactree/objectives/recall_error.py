"""The objective "recall_error": one less the recall."""

from fractions import Fraction

from exactree.objectives.rates import RateError

__all__ = ["RecallError"]


class RecallError(RateError):
    """The share of the positives that are predicted negative; never 0/0, as there are positives."""

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return one less the recall."""
        return Fraction(false_negatives, self.positives)
