"""The objective "errors": misclassified weight, plus a price per leaf."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.objective import Additive, Law, plain

__all__ = ["Errors", "plain", "weight_by_class"]


@dataclass(frozen=True)
class Errors(Additive):
    """Misclassified weight; a leaf predicts its heaviest class."""

    declared: ClassVar[frozenset[Law]] = frozenset(Law)

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int | Fraction:
        """Return the weight of all classes but the heaviest, and the price of the leaf."""
        totals = weight_by_class(dataset, subset)
        return sum(totals) - max(totals) + self.leaf_price

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return the weight of the row: at worst it is misclassified."""
        return self.value(int(dataset.weights[row]))


def weight_by_class(dataset: Dataset, subset: NDArray[np.int64] | None = None) -> list[int]:
    """Return the exact weight of every class in a subset, or in the whole table.

    Parameters
    ----------
    dataset : Dataset
        The table.
    subset : ndarray of int64, optional
        Rows of the table; all by default.

    Returns
    -------
    list of int
        One total per class.
    """
    rows = slice(None) if subset is None else subset
    totals = np.zeros(len(dataset.classes), dtype=np.int64)
    np.add.at(totals, dataset.labels[rows], dataset.weights[rows])  # together below 2**62
    by_class: list[int] = totals.tolist()
    return by_class
