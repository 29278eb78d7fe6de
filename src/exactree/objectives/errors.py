"""The objective "errors": misclassified weight, plus a price per leaf."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset

__all__ = ["Errors", "class_weights", "plain"]


@dataclass(frozen=True)
class Errors:
    """Misclassified weight plus `leaf_price` per leaf, in units of the integer weights.

    Attributes
    ----------
    leaf_price : int or Fraction
        Leaf penalty times the total integer weight.
    weight_scale : int
        Integer weights per unit of a user's weight.
    """

    leaf_price: int | Fraction = 0
    weight_scale: int = 1

    def leaf(self, dataset: Dataset, part: NDArray[np.int64]) -> int | Fraction:
        """Return the weight of all classes but the heaviest, and the price of the leaf."""
        totals = class_weights(dataset, part)
        return sum(totals) - max(totals) + self.leaf_price

    def join(self, left: int | Fraction, right: int | Fraction) -> int | Fraction:
        """Return the sum: errors and leaves of the two sides are disjoint."""
        return left + right

    def order(self, first: int | Fraction, second: int | Fraction) -> bool:
        """Tell whether the first cost is at most the second."""
        return first <= second

    def value(self, cost: int | Fraction) -> int | Fraction:
        """Return the cost in units of the user's weights."""
        return plain(Fraction(cost) / self.weight_scale)


def class_weights(dataset: Dataset, part: NDArray[np.int64]) -> list[int]:
    """Return the exact weight of every class in a part.

    Parameters
    ----------
    dataset : Dataset
        The table.
    part : ndarray of int64
        Rows of the table.

    Returns
    -------
    list of int
        One total per class; Python's integers, which no sum overflows.
    """
    totals = [0] * len(dataset.classes)
    labels, weights = dataset.labels[part].tolist(), dataset.weights[part].tolist()
    for label, weight in zip(labels, weights, strict=True):
        totals[label] += weight
    return totals


def plain(number: int | Fraction) -> int | Fraction:
    """Return a whole fraction as an int, anything else as it is."""
    return number.numerator if number.denominator == 1 else number
