"""What a rule and a family of rules are."""

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

__all__ = ["Rule", "RuleFamily"]


class Rule(Protocol):
    """A yes/no question about an example; for a given table, the examples it holds for.

    The examples it holds for go left.
    """

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell for every row of a table whether the rule holds."""
        ...


@runtime_checkable
class RuleFamily(Protocol):
    """A set of rules a problem allows.

    Laws (`exactree.testing.check_rule_family`): for every part, the rules of
    `distinct` have two non-empty sides, no two of them hold for the same examples of the part,
    and a rule of any larger part that divides this part holds here for the same examples as
    one of them.
    """

    def distinct(self, X: NDArray[np.float64], part: NDArray[np.int64]) -> Iterator[Rule]:
        """List the rules that divide the part, one for each way to divide it."""
        ...
