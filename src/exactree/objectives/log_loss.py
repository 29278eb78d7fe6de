"""The objective "log_loss": how little the leaves expect the labels they hold, plus leaf prices."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from exactree.objectives.smoothed import Smoothed

__all__ = ["LogLoss"]

# Logarithms are held to so many digits.
_DIGITS = 60


class LogLoss(Smoothed):
    """Weight times the negative natural logarithm of the share that the leaf gives its class."""

    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the sum over the classes."""
        whole = sum(weights) + sum(self.added)
        pairs = zip(weights, self.added, strict=True)
        return sum((w * _log(whole / (w + more)) for w, more in pairs if w), Fraction(0))


@lru_cache(maxsize=4096)
def _log(ratio: Fraction) -> Fraction:
    """Return the natural logarithm of a fraction."""
    with localcontext(prec=_DIGITS):
        numerator, denominator = Decimal(ratio.numerator), Decimal(ratio.denominator)
        return Fraction((numerator / denominator).ln())
