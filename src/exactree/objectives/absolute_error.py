"""The objective "absolute_error": weighted distances from the median, plus a price per leaf."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.objective import Additive, Law

__all__ = ["AbsoluteError"]


@dataclass(frozen=True)
class AbsoluteError(Additive):
    """Sum of weighted distances from the lower weighted median, the prediction of a leaf.

    The lower weighted median is the smallest label such that labels up to it have at least half of
    the weight. It minimizes the sum of distances, possibly together with other numbers.
    """

    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int | Fraction:
        """Return the exact sum of distances, and the price of the leaf."""
        return self.measured(dataset, subset)[0]

    def measured(self, dataset: Dataset, subset: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        """Return the cost and the prediction of a leaf."""
        sums = dataset.target_sums
        codes, weights = sums.by_code(dataset.labels[subset], dataset.weights[subset])
        cumulative = np.cumsum(weights)  # below 2**62
        median = int(codes[np.searchsorted(cumulative, -(-int(cumulative[-1]) // 2))])
        return sums.distances(codes, weights, median) + self.leaf_price, sums.number(median)

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return the weighted distance from the farthest label, as if the median did not move."""
        sums = dataset.target_sums
        own = sums.number(int(dataset.labels[row]))
        farthest = max(abs(own - sums.number(code)) for code in (0, len(dataset.classes) - 1))
        return self.value(int(dataset.weights[row]) * farthest)
