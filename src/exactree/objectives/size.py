"""The objective "size": the number of nodes of a tree."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.objective import Law

__all__ = ["Size"]


@dataclass(frozen=True)
class Size:
    """The number of inner nodes; a single leaf has size 0."""

    # Leaves cost nothing: no bound on subsets follows from them.
    laws: ClassVar[frozenset[Law]] = frozenset()

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int:
        """Return 0: a leaf is not an inner node."""
        return 0

    def join(self, left: int, right: int) -> int:
        """Return the size of both children plus 1 for the node that joins them."""
        return left + right + 1

    def order(self, first: int, second: int) -> bool:
        """Return whether the first size is at most the second."""
        return first <= second

    def value(self, cost: int) -> int | Fraction:
        """Return the size."""
        return cost
