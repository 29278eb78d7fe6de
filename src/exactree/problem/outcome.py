"""What a search answers: a tree, what is proved about it, and why it stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from math import inf
from typing import Any

from exactree.trees.tree import Tree

__all__ = ["Outcome", "Progress", "Status"]


class Status(StrEnum):
    """What is proved."""

    OPTIMAL = "optimal"
    """The tree is best."""
    FEASIBLE = "feasible"
    """Stopped early; the tree and the lower bound are valid."""
    INFEASIBLE = "infeasible"
    """No tree meets the limits."""
    STOPPED = "stopped"
    """Stopped early without a tree; the lower bound is valid."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The answer to a problem.

    Attributes
    ----------
    status : Status
        What is proved.
    cost : int, Fraction or None
        Errors plus leaf penalty times total weight times leaves, in units of the user's
        weights; None without a tree.
    lower_bound : int or Fraction
        No tree within the limits costs less. Of an infeasible problem: no tree within the limits
        other than `max_errors` does.
    tree : Tree or None
        The best tree found.
    stats : mapping
        Counts of what the search did.
    stopped_by : str or None
        "time limit", "interrupt", "callback" or "gap" when something ended the search early.
    reason : str or None
        Of an infeasible problem: which limit cannot be met.
    """

    status: Status
    cost: int | Fraction | None
    lower_bound: int | Fraction
    tree: Tree | None
    stats: Mapping[str, Any] = field(default_factory=dict)
    stopped_by: str | None = None
    reason: str | None = None

    @property
    def gap(self) -> float:
        """The relative distance (cost - lower_bound) / cost; 0 when equal, inf without a tree."""
        if self.cost is None:
            return inf
        if self.cost == self.lower_bound:
            return 0.0
        return float(Fraction(self.cost - self.lower_bound) / Fraction(self.cost))

    def __str__(self) -> str:
        why = f"stopped by the {self.stopped_by}" if self.stopped_by else "not proved"
        match self.status:
            case Status.OPTIMAL:
                return f"optimal, proved: {self._found()}"
            case Status.FEASIBLE:
                bound = f"lower bound {_shown(self.lower_bound)}, gap {self.gap:.1%}"
                return f"{why}: {self._found()}; {bound}"
            case Status.INFEASIBLE:
                return f"infeasible, proved: {self.reason}"
            case Status.STOPPED:
                return f"{why} without a tree; lower bound {_shown(self.lower_bound)}"

    def _found(self) -> str:
        assert self.cost is not None
        assert self.tree is not None
        size, depth = self.tree.size, self.tree.depth
        return f"cost {_shown(self.cost)} by a tree of size {size} and depth {depth}"


@dataclass(frozen=True)
class Progress:
    """What a running search knows.

    Attributes
    ----------
    cost : int, Fraction or None
        Cost of the incumbent, None while there is none.
    lower_bound : int or Fraction
        Proved so far.
    seconds : float
        Time since the search began.
    """

    cost: int | Fraction | None
    lower_bound: int | Fraction
    seconds: float


def _shown(number: int | Fraction) -> str:
    return f"{number:,}" if isinstance(number, int) else f"{float(number):,.6g}"
