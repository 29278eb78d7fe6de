"""The objective "gini": the Gini impurity of the leaves times their weight, plus leaf prices."""

from collections.abc import Sequence
from fractions import Fraction

from exactree.data.dataset import Dataset
from exactree.objectives.smoothed import Smoothed

__all__ = ["Gini"]


class Gini(Smoothed):
    """Weight times the Gini impurity, 1 - the sum of the squared shares."""

    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the impurity of the smoothed shares, times the weight of the leaf."""
        shares = [w + more for w, more in zip(weights, self.added, strict=True)]
        squares = sum(share * share for share in shares)
        return sum(weights) * (1 - Fraction(squares) / sum(shares) ** 2)

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return twice the weight of the row.

        With shares p and smoothed weight S of a leaf of weight W, the derivative by the weight of
        class c is 1 - sum p² + 2 W / S (sum p² - p_c), at most 1 + sum p², at most 2.
        """
        return self.value(2 * int(dataset.weights[row]))
