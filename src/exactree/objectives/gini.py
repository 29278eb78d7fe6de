"""The objective "gini": the Gini impurity of the leaves times their weight, plus leaf prices."""

from collections.abc import Sequence
from fractions import Fraction

from exactree.data.dataset import Dataset
from exactree.objectives.smoothed import Smoothed

__all__ = ["Gini"]


class Gini(Smoothed):
    """Weight times the Gini impurity, 1 - the sum of the squared shares.

    `Law.NEVER_CHEAPER` holds for any smoothing. Let a leaf have the class weights w_c with sum W,
    the smoothed weights s_c = w_c + a_c with sum S, and the shares p_c = s_c / S; let P be the sum
    of the p_c². The cost is W (1 - P), and P changes with w_c at the rate 2 (p_c - P) / S, so the
    derivative of the cost by w_c is 1 - P + 2 (W / S) (P - p_c).

    - If p_c <= P, it is at least 1 - P >= 0.
    - If p_c > P, it is at least 1 - P + 2 (P - p_c) = 1 + P - 2 p_c because W <= S, and that is at
      least 1 + p_c² - 2 p_c = (1 - p_c)² >= 0 because P >= p_c².

    An empty leaf costs 0, and no leaf costs less.
    """

    def of_weights(self, weights: Sequence[int]) -> Fraction:
        """Return the impurity of the smoothed shares, times the weight of the leaf."""
        smoothed = [w + added for w, added in zip(weights, self.added, strict=True)]
        squares = sum(weight * weight for weight in smoothed)
        return sum(weights) * (1 - Fraction(squares) / sum(smoothed) ** 2)

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return twice the weight of the row.

        With shares p and smoothed weight S of a leaf of weight W, the derivative by the weight of
        class c is 1 - sum p² + 2 W / S (sum p² - p_c), at most 1 + sum p², at most 2.
        """
        return self.value(2 * int(dataset.weights[row]))
