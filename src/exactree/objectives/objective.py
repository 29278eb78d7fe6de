"""`Objective`, its laws (`Law`), and the base class `Additive` of sums over leaves."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset

__all__ = ["Additive", "Law", "Objective", "WithReach", "plain"]


CostT = TypeVar("CostT")


class Law(Enum):
    """A law on which lower bounds rest and which not every objective satisfies.

    An objective declares its laws in `Objective.laws`; a bound whose law is not declared must
    not be used. `exactree.testing.check_objective` tests what is declared.
    """

    NEVER_CHEAPER = "never cheaper with more examples"
    """A leaf never costs less when an example is added. Interval bounds and relaxations need it."""

    REACH = "reach"
    """Adding an example raises the cost of a leaf by at most `WithReach.reach`. Similarity bounds
    need it."""

    SUPER_ADDITIVE = "super-additive"
    """A leaf of the union of two disjoint subsets costs at least the sum of their two leaves.
    Bounds that add up blocks of equal or neighbouring examples need it."""


class Objective(Protocol[CostT]):
    """A cost of trees that is computed from the leaves upwards and minimized.

    Three laws, tested by `exactree.testing.check_objective`, make searching by subsets correct:

    - *monotone*: replacing a child by one of no greater cost never increases the cost of the join,
      so optimal subtrees make an optimal tree;
    - *inflating*: the cost of a join is at least that of each child, so a tree with a child that is
      too expensive can be pruned;
    - *faithful*: the value of the cost joined from the leaves upwards equals the cost measured on
      the whole tree, and `order` compares two costs as their values compare.
    """

    @property
    def laws(self) -> frozenset[Law]:
        """The laws of `Law` that hold for the objective; declaring none is always correct."""
        ...

    def leaf(self, dataset: Dataset, subset: NDArray[np.int64]) -> CostT:
        """Return the cost of a leaf that holds the subset."""
        ...

    def join(self, left: CostT, right: CostT) -> CostT:
        """Return the cost of a node from the costs of its two children."""
        ...

    def order(self, first: CostT, second: CostT) -> bool:
        """Return whether the first cost is at most the second."""
        ...

    def value(self, cost: CostT) -> int | Fraction:
        """Return the cost as the user reads it: exact, in the user's unit."""
        ...


@runtime_checkable
class WithReach(Objective[CostT], Protocol[CostT]):
    """An objective that declares `Law.REACH`."""

    def reach(self, dataset: Dataset, row: int) -> int | Fraction:
        """Return an upper bound, in the unit of `value`, on the cost that a row adds to a leaf."""
        ...


@dataclass(frozen=True)
class Additive:
    """Errors of the leaves plus `leaf_price` per leaf, in units of the integer weights.

    Attributes
    ----------
    leaf_price : int or Fraction
        The absolute price of a leaf: the leaf penalty times `ProblemProperties.price_unit`.
    weight_scale : int
        The integer weight of a user's weight of 1.
    """

    declared: ClassVar[frozenset[Law]] = frozenset()

    leaf_price: int | Fraction = 0
    weight_scale: int = 1

    @property
    def laws(self) -> frozenset[Law]:
        """The laws of the errors; two leaves pay two prices, so a price breaks super-additivity."""
        return self.declared - {Law.SUPER_ADDITIVE} if self.leaf_price else self.declared

    def join(self, left: int | Fraction, right: int | Fraction) -> int | Fraction:
        """Return the sum: errors and leaves of the two children are disjoint."""
        return left + right

    def order(self, first: int | Fraction, second: int | Fraction) -> bool:
        """Return whether the first cost is at most the second."""
        return first <= second

    def value(self, cost: int | Fraction) -> int | Fraction:
        """Return the cost in units of the user's weights."""
        return plain(Fraction(cost) / self.weight_scale)


def plain(number: int | Fraction) -> int | Fraction:
    """Return a whole fraction as an int, anything else as it is."""
    return number.numerator if number.denominator == 1 else number
