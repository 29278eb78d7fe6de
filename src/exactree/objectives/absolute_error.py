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
        targets, scale = dataset.whole_targets
        median = _median(dataset, part)
        pairs = zip(part.tolist(), dataset.weights[part].tolist(), strict=True)
        distances = sum(w * abs(targets[row] - median) for row, w in pairs)
        return Fraction(distances, scale) + self.leaf_price

    def predicted(self, dataset: Dataset, part: NDArray[np.int64]) -> Fraction:
        """Return the lower weighted median, exact."""
        return Fraction(_median(dataset, part), dataset.whole_targets[1])


def _median(dataset: Dataset, part: NDArray[np.int64]) -> int:
    """Return the lower weighted median in integers of the labels' scale."""
    targets, _ = dataset.whole_targets
    by_label = part[np.argsort(dataset.labels[part], kind="stable")]
    upto = np.cumsum(dataset.weights[by_label])  # below 2**62
    half = -(-int(upto[-1]) // 2)
    return targets[int(by_label[np.searchsorted(upto, half)])]
