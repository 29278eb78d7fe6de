"""The objective "squared_error": the weighted sum of squares about the mean, plus leaf prices."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.data.exact_sums import TargetSums
from exactree.objectives.objective import Additive, Law

__all__ = ["SquaredError"]


@dataclass(frozen=True)
class SquaredError(Additive):
    """Sum of weighted squared distances from the weighted mean, which a leaf predicts."""

    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int | Fraction:
        """Return the exact sum of squares about the exact mean, and the price of the leaf."""
        sums = dataset.target_sums.of(dataset.labels[subset], dataset.weights[subset])
        return self._cost(dataset.target_sums, *sums)

    def measured(self, dataset: Dataset, subset: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        """Return the cost and the prediction of a leaf."""
        sums = dataset.target_sums
        weight, total, squares = sums.of(dataset.labels[subset], dataset.weights[subset])
        return self._cost(sums, weight, total, squares), sums.ratio(total, weight, 1)

    def _cost(self, sums: TargetSums, weight: int, total: int, squares: int) -> Fraction:
        errors = sums.ratio(squares * weight - total * total, weight, 2)
        return errors + self.leaf_price if self.leaf_price else errors

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return the weighted square of the distance from the farthest label.

        If the leaf kept the mean of its other rows, the row would add its squared distance from
        that mean, which lies between the smallest and the largest label.
        """
        sums = dataset.target_sums
        own = sums.number(int(dataset.labels[row]))
        farthest = max(abs(own - sums.number(code)) for code in (0, len(dataset.classes) - 1))
        return self.value(int(dataset.weights[row]) * farthest**2)
