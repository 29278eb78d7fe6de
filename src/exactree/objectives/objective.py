"""What an objective is: four operations on costs, and three laws."""

from fractions import Fraction
from typing import Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset

__all__ = ["Objective"]

CostT = TypeVar("CostT")


class Objective(Protocol[CostT]):
    """A way to measure a tree from its leaves upwards; less is better.

    Three laws, tested by `exactree.testing.check_objective`, make searching by parts correct:

    - *monotone*: replacing a side by one of no greater cost never makes the join greater, so
      a best tree can be made of best sides;
    - *inflating*: a join is at least as great as each of its sides, so a side that costs too
      much cannot be made up for;
    - *faithful*: the value of the cost joined from the leaves upwards is what is measured on the
      whole tree, and `order` compares two costs as their values compare.
    """

    def leaf(self, dataset: Dataset, part: NDArray[np.int64]) -> CostT:
        """Return the cost of a leaf that holds the part."""
        ...

    def join(self, left: CostT, right: CostT) -> CostT:
        """Return the cost of a node from the costs of its two sides."""
        ...

    def order(self, first: CostT, second: CostT) -> bool:
        """Tell whether the first cost is at most the second."""
        ...

    def value(self, cost: CostT) -> int | Fraction:
        """Return the cost as the user reads it: exact, in the user's unit."""
        ...
