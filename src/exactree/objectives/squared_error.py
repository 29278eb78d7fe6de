"""The objective "squared_error": the weighted sum of squares about the mean, plus leaf prices."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.additive import Additive

__all__ = ["SquaredError"]


@dataclass(frozen=True)
class SquaredError(Additive):
    """Sum of weighted squared distances from the weighted mean, which a leaf predicts."""

    def leaf(self, dataset: Dataset, part: NDArray[np.int64]) -> int | Fraction:
        """Return the exact sum of squares about the exact mean, and the price of the leaf."""
        weight, total, squares, scale = _sums(dataset, part)
        return Fraction(squares * weight - total**2, weight * scale**2) + self.leaf_price

    def predicted(self, dataset: Dataset, part: NDArray[np.int64]) -> Fraction:
        """Return the weighted mean, exact."""
        weight, total, _, scale = _sums(dataset, part)
        return Fraction(total, weight * scale)


def _sums(dataset: Dataset, part: NDArray[np.int64]) -> tuple[int, int, int, int]:
    """Return the sums of weights, of labels and of their squares as integers; the labels' scale."""
    targets, scale = dataset.whole_targets
    weight = total = squares = 0
    for row, w in zip(part.tolist(), dataset.weights[part].tolist(), strict=True):
        t = targets[row]
        weight += w
        total += w * t
        squares += w * t * t
    return weight, total, squares, scale
