"""What a search answers: a tree, what is proved about it, and why it stopped."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from exactree.data.features import count
from exactree.problem.cost import Cost, relative_gap, shown_cost
from exactree.trees.ensemble import Ensemble
from exactree.trees.tree import Tree

__all__ = ["Outcome", "Progress", "Status"]


class Status(StrEnum):
    """What is proved."""

    OPTIMAL = "optimal"
    """The tree or ensemble is best."""
    FEASIBLE = "feasible"
    """Stopped early; what was found and the lower bound are valid."""
    INFEASIBLE = "infeasible"
    """Nothing meets the limits."""
    STOPPED = "stopped"
    """Stopped early with nothing found; the lower bound is valid."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """The answer to a problem.

    Attributes
    ----------
    status : Status
        What is proved.
    cost : int, Fraction, float, tuple or None
        The minimized quantity, or a tuple of them in the order of `minimize`; errors are in units
        of the user's weights, with leaf penalty times total weight times leaves added. Exact; the
        squared or absolute error of a regression is the float nearest to the exact one. None when
        nothing was found.
    lower_bound : int, Fraction, float or tuple
        Nothing within the limits costs less. Of an infeasible problem: nothing within the limits
        other than `max_errors` does.
    tree : Tree or None
        The best tree found, of problems with one tree; a `RegressionTree` where labels are numbers.
    stats : mapping
        Counts of what the search did; of a native search for one tree "progress", a list of
        `Progress` for every moment when the incumbent or the lower bound got better (lower bounds
        within one percent of the time are one moment); of an ensemble also "tied_rows", the rows of
        the table about which several classes have most votes, so that the earliest of them wins.
    stopped_by : str or None
        "time limit", "memory limit", "interrupt", "callback", "gap" or "loss of the cluster" when
        something ended the search early; never None where the status is `FEASIBLE` or `STOPPED`.
    reason : str or None
        Of an infeasible problem: which limit cannot be met, or which rows contradict each other.
    ensemble : Ensemble or None
        The best ensemble found, of problems with several trees.
    problem_text : str or None
        The problem in words: what is minimized, within which limits, over which rules; None
        where `solve` did not state it.
    """

    status: Status
    cost: Cost | None
    lower_bound: Cost
    tree: Tree | None
    stats: Mapping[str, Any] = field(default_factory=dict)
    stopped_by: str | None = None
    reason: str | None = None
    ensemble: Ensemble | None = None
    problem_text: str | None = None

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees of what was found: one, those of the ensemble, or none."""
        if self.ensemble is not None:
            return self.ensemble.trees
        return () if self.tree is None else (self.tree,)

    @property
    def gap(self) -> float:
        """The relative distance (cost - lower_bound) / cost; 0 when equal, inf without a cost.

        Of tuples it is that of the first component where they differ.
        """
        return relative_gap(self.cost, self.lower_bound)

    @property
    def left_out(self) -> str:
        """What to say of the ways to divide the table that no tree uses; empty without any."""
        missing = self.stats.get("surfaces_left_out", 0)
        if not missing:
            return ""
        ways = missing + self.stats["surfaces"]
        return (
            f"; {missing:,} of {ways:,} ways to divide the table are left out, as no sum in "
            "floating point was found for them"
        )

    def __str__(self) -> str:
        return self._ended() + self.left_out

    def _ended(self) -> str:
        why = f"stopped by the {self.stopped_by}" if self.stopped_by else "not proved"
        match self.status:
            case Status.OPTIMAL:
                return f"optimal, proved: {self._found()}"
            case Status.FEASIBLE:
                bound = f"lower bound {shown_cost(self.lower_bound)}, gap {self.gap:.1%}"
                return f"{why}: {self._found()}; {bound}"
            case Status.INFEASIBLE:
                return f"infeasible, proved: {self.reason}"
            case Status.STOPPED:
                return f"{why} without a tree; lower bound {shown_cost(self.lower_bound)}"

    def _found(self) -> str:
        assert self.cost is not None
        return f"cost {shown_cost(self.cost)} by {self._measures()}"

    def _measures(self) -> str:
        if self.ensemble is None:
            assert self.tree is not None
            return f"a tree of size {self.tree.size} and depth {self.tree.depth}"
        sizes = ", ".join(str(tree.size) for tree in self.ensemble.trees)
        tied = self.stats.get("tied_rows", 0)
        ties = f"; where votes tie, in {count(tied, 'row')}, the earlier class wins" if tied else ""
        return f"{len(self.ensemble.trees)} trees of sizes {sizes}{ties}"


@dataclass(frozen=True)
class Progress:
    """What a running search knows.

    Attributes
    ----------
    cost : int, Fraction, float, tuple or None
        Cost of the incumbent, None while there is none.
    lower_bound : int, Fraction, float or tuple
        Proved so far.
    seconds : float
        Time since the search began.
    workers : int or None
        How many workers of a cluster there are; None while there is none.
    """

    cost: Cost | None
    lower_bound: Cost
    seconds: float
    workers: int | None = None
