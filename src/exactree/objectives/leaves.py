"""The number of leaves that predict one class, for the limit `max_leaves_of`."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.errors import weight_by_class
from exactree.objectives.objective import Law

__all__ = ["LeavesOf"]


def heaviest(totals: list[int]) -> int:
    """Return the class of greatest weight, ties to the earlier class."""
    return totals.index(max(totals))


@dataclass(frozen=True)
class LeavesOf:
    """The number of leaves that predict a class; an objective like any other, used as a limit.

    Attributes
    ----------
    label : int
        Index of the class.
    predicted : callable
        Returns the class that a leaf predicts from the weights of its classes.
    """

    # Another example can change the class that a leaf predicts.
    laws: ClassVar[frozenset[Law]] = frozenset()

    label: int
    predicted: Callable[[list[int]], int] = heaviest

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int:
        """Return 1 if the leaf for the subset predicts the class, else 0."""
        return int(self.predicted(weight_by_class(dataset, subset)) == self.label)

    def join(self, left: int, right: int) -> int:
        """Return the sum: no leaf belongs to both children."""
        return left + right

    def order(self, first: int, second: int) -> bool:
        """Return whether the first number is at most the second."""
        return first <= second

    def value(self, cost: int) -> int | Fraction:
        """Return the number of leaves."""
        return cost
