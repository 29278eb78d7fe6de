"""The objective "absolute_error": weighted distances from the median, plus a price per leaf."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.additive import Additive

__all__ = ["AbsoluteError"]


@dataclass(frozen=True)
class AbsoluteError(Additive):
    """Sum of weighted distances from the lower weighted median, which a leaf predicts.

    The lower weighted median is the least label such that labels up to it have at least half of
    the weight. Of all numbers it has the least sum of distances; others may have as little.
    """

    def leaf(self, dataset: Dataset, part: NDArray[np.int64]) -> int | Fraction:
        """Return the exact sum of distances, and the price of the leaf."""
        return self.measured(dataset, part)[0]

    def measured(self, dataset: Dataset, part: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        """Return what a leaf costs and what it predicts."""
        sums = dataset.target_sums
        codes, weights = sums.by_code(dataset.labels[part], dataset.weights[part])
        upto = np.cumsum(weights)  # below 2**62
        median = int(codes[np.searchsorted(upto, -(-int(upto[-1]) // 2))])
        return sums.distances(codes, weights, median) + self.leaf_price, sums.number(median)
