"""The objective "precision_error": one less the precision."""

from fractions import Fraction

from exactree.objectives.rates import RateError

__all__ = ["PrecisionError"]


class PrecisionError(RateError):
    """The share of the false among the predicted positives; 1 if none is predicted.

    That is how scikit-learn reads 0/0, too: a precision of 0.
    """

    def rate(self, false_positives: int, false_negatives: int) -> Fraction:
        """Return one less the precision."""
        predicted = false_positives + self.positives - false_negatives
        return Fraction(false_positives, predicted) if predicted else Fraction(1)
