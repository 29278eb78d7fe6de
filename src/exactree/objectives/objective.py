"""What an objective is: four operations on costs, three laws, and the further laws of bounds."""

from enum import Enum
from fractions import Fraction
from typing import Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset

__all__ = ["Law", "Objective", "WithReach"]

CostT = TypeVar("CostT")


class Law(Enum):
    """A law on which lower bounds rest and which not every objective obeys.

    An objective declares its laws in `Objective.laws`; a bound whose law is not declared is not
    used. `exactree.testing.check_objective` tests what is declared.
    """

    NEVER_CHEAPER = "never cheaper with more examples"
    """A leaf never costs less when an example is added. Interval bounds and relaxations need it."""

    REACH = "reach"
    """Adding an example raises the cost of a leaf by at most `WithReach.reach`. Similarity bounds
    need it."""

    SUPER_ADDITIVE = "super-additive"
    """A leaf of two disjoint subsets costs at least as much as a leaf of each. Bounds that add up
    blocks of equal or neighbouring examples need it."""


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

    @property
    def laws(self) -> frozenset[Law]:
        """The further laws it obeys; the empty set is always right."""
        ...

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


@runtime_checkable
class WithReach(Objective[CostT], Protocol[CostT]):
    """An objective that declares `Law.REACH`."""

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return the most, in the unit of `value`, that adding a row to a leaf adds to its cost."""
        ...
