"""The objective "log_loss": the logarithmic loss of the shares in the leaves, plus leaf prices."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from exactree.data.dataset import Dataset
from exactree.objectives.errors import class_weights
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

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return w (2 + log(S / (w + a))): w the weight of the row, a what is added to its class.

        S is the smoothed weight of the whole table. The derivative of the cost of a leaf by the
        weight of class c is at most log(s / s_c) + 1, with s and s_c the smoothed weights of the
        leaf and of the class in it, which are at most S and at least a + t after t of w has been
        added. The integral of log(S / (a + t)) over t from 0 to w is at most
        w (1 + log(S / (a + w))).
        """
        weight, more = int(dataset.weights[row]), self.added[dataset.labels[row]]
        whole = sum(class_weights(dataset)) + sum(self.added)
        return self.value(weight * (2 + _log(Fraction(whole) / (weight + more))))


@lru_cache(maxsize=4096)
def _log(ratio: Fraction) -> Fraction:
    """Return the natural logarithm of a fraction."""
    with localcontext(prec=_DIGITS):
        numerator, denominator = Decimal(ratio.numerator), Decimal(ratio.denominator)
        return Fraction((numerator / denominator).ln())
