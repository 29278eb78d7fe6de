"""The objective "log_loss": the logarithmic loss of the shares in the leaves, plus leaf prices."""

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import lru_cache

from exactree.data.dataset import Dataset
from exactree.objectives.errors import weight_by_class
from exactree.objectives.smoothed import Smoothed

__all__ = ["LogLoss"]

# Decimal digits of the logarithms.
_DIGITS = 60


class LogLoss(Smoothed):
    """Weight times the negative natural logarithm of the share that the leaf gives its class.

    `Law.NEVER_CHEAPER` holds for any smoothing. Let a leaf have the class weights w_c with sum W
    and the smoothed weights s_c = w_c + a_c with sum S. The cost is the sum of w_c log(S / s_c), so
    its derivative by w_c, where s_c > 0, is

        log(S / s_c) - w_c / s_c + W / S.

    As log(1 / u) >= 1 - u, here with u = s_c / S, it is at least

        1 - s_c / S - w_c / s_c + W / S = a_c (1 / s_c - 1 / S) + (W - w_c) / S,

    and both terms are non-negative because s_c <= S and w_c <= W. The cost is continuous where s_c
    is 0, so adding weight to a class never makes it smaller.
    """

    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the sum over the classes."""
        total = sum(weights) + sum(self.added)
        pairs = zip(weights, self.added, strict=True)
        return sum((w * _log(total / (w + added)) for w, added in pairs if w), Fraction(0))

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return w (2 + log(S / (w + a))): w the weight of the row, a the smoothing of its class.

        S is the smoothed weight of the whole table. The derivative of the cost of a leaf by the
        weight of class c is at most log(s / s_c) + 1, with s the smoothed weight of the leaf and
        s_c that of the class in the leaf. Here s is at most S, and s_c is at least a + t once the
        part t of the weight w has been added. The integral of log(S / (a + t)) over t from 0 to w
        is at most w (1 + log(S / (a + w))).
        """
        weight, added = int(dataset.weights[row]), self.added[dataset.labels[row]]
        total = sum(weight_by_class(dataset)) + sum(self.added)
        return self.value(weight * (2 + _log(Fraction(total) / (weight + added))))


@lru_cache(maxsize=4096)
def _log(ratio: Fraction) -> Fraction:
    """Return the natural logarithm of a fraction."""
    with localcontext(prec=_DIGITS):
        numerator, denominator = Decimal(ratio.numerator), Decimal(ratio.denominator)
        return Fraction((numerator / denominator).ln())
