"""The objective "depth": the number of nodes on the longest path of a tree."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives.objective import Law

__all__ = ["Depth"]


@dataclass(frozen=True)
class Depth:
    """The number of nodes on the longest path; a single leaf has depth 0."""

    # Leaves cost nothing: no bound on subsets follows from them.
    laws: ClassVar[frozenset[Law]] = frozenset()

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> int:
        """Return 0: a leaf has no inner node."""
        return 0

    def join(self, left: int, right: int) -> int:
        """Return one more than the depth of the deeper child."""
        return max(left, right) + 1

    def order(self, first: int, second: int) -> bool:
        """Return whether the first depth is at most the second."""
        return first <= second

    def value(self, cost: int) -> int | Fraction:
        """Return the depth."""
        return cost
