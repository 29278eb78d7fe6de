"""State of a sequence of searches for one problem: incumbent, lower bound, time left, callback."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from exactree.objectives.objective import plain
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.stopping import Deadline
from exactree.trees import Tree

__all__ = ["SearchRun", "search_options"]


def search_options(
    memory_limit: int | None, n_jobs: int, switches: Mapping[str, bool] | None
) -> dict[str, Any]:
    """Return the keywords that all searches of a run share."""
    chosen = {} if switches is None else {"switches": dict(switches)}
    return {"memory_limit": memory_limit, "n_jobs": n_jobs, **chosen}


@dataclass
class SearchRun:
    """The state of a sequence of searches, in the user's unit.

    Attributes
    ----------
    problem : Problem
        The problem to solve.
    options : dict
        memory_limit, n_jobs and switches of the searches, and what else they all take.
    time_limit : float or None
        Seconds for all searches together.
    stop_at_gap : float
        Stop when the gap is at most this.
    listener : callable or None
        Called with a `Progress`; returning True stops.
    tree, cost
        The incumbent and its cost, if one quantity is minimized.
    cost_bound : callable
        Maps a lower bound on the quantity within the searched limits to a lower bound on every
        cost.
    stopped_by : str or None
        The reason if the run was stopped.
    seconds : float
        Duration of the finished searches.
    stats : dict
        Counts summed over the searches.
    progress : list of Progress
        The reported changes of incumbent and lower bound.
    bound : Fraction
        The greatest lower bound on the cost so far.
    """

    problem: Problem
    options: dict[str, Any]
    time_limit: float | None = None
    stop_at_gap: float = 0.0
    listener: Listener | None = None
    tree: Tree | None = None
    cost: Fraction | None = None
    cost_bound: Callable[[Fraction], Fraction] = lambda value: value
    stopped_by: str | None = None
    seconds: float = 0.0
    stats: dict[str, Any] = field(default_factory=dict)
    progress: list[Progress] = field(default_factory=list)
    bound: Fraction = Fraction(0)

    def __post_init__(self) -> None:
        self.deadline = Deadline(self.time_limit)

    @property
    def all_stats(self) -> dict[str, Any]:
        """The statistics of all searches, for the outcome."""
        return {**self.stats, "seconds": self.seconds, "progress": self.progress}

    @property
    def rounded(self) -> bool:
        """Whether weights of a search were rounded, so that its lower bound is below its cost."""
        return bool(self.stats.get("rounding", 0.0))

    @property
    def seconds_left(self) -> float | None:
        """Remaining seconds."""
        return self.deadline.left()

    def reported_cost(self, cost: Fraction) -> Cost:
        """Return a cost as the problem reports it."""
        plain_cost = plain(cost)
        return plain_cost if isinstance(self.problem.minimize, str) else (plain_cost,)

    def take(self, tree: Tree) -> None:
        """Take a tree within all limits as incumbent if it is cheaper."""
        (cost,) = as_tuple(cost_of_found(self.problem, tree))
        if self.cost is None or cost < self.cost:
            self.cost, self.tree = Fraction(cost), tree

    def report(self, value: Fraction, more: float = 0.0) -> bool:
        """Report a lower bound within the searched limits; return whether to stop."""
        self.bound = max(self.bound, self.cost_bound(value))
        bound = self.bound if self.cost is None else min(self.bound, self.cost)
        cost = None if self.cost is None else self.reported_cost(self.cost)
        moment = Progress(cost, self.reported_cost(bound), self.seconds + more)
        if not self.progress or (self.progress[-1].cost, self.progress[-1].lower_bound) != (
            moment.cost,
            moment.lower_bound,
        ):
            self.progress.append(moment)
        if self.listener is not None and self.listener(moment):
            self.stopped_by = "callback"
        near = self.cost is not None and self.cost - bound <= self.stop_at_gap * self.cost
        if self.stopped_by is None and self.stop_at_gap > 0 and near:
            self.stopped_by = "gap"
        return self.stopped_by is not None

    def add_stats(self, stats: Mapping[str, Any], stopped_by: str | None) -> None:
        """Add the statistics of one search, and the reason if it ended early."""
        self.seconds += stats.get("seconds", 0.0)
        for name in ("nodes", "cache_lookups", "cache_hits"):
            self.stats[name] = self.stats.get(name, 0) + stats.get(name, 0)
        self.stats["searches"] = self.stats.get("searches", 0) + 1
        self.stopped_by = self.stopped_by or stopped_by

    def outcome(self, bound: Fraction | None) -> Outcome:
        """Return the outcome of the run.

        Parameters
        ----------
        bound : Fraction or None
            A lower bound on the cost of every tree; None if no tree meets the limits.
        """
        if bound is None:
            return replace(infeasible(self.problem), stats=self.all_stats)
        bound = max(bound, self.bound)
        if self.tree is None or self.cost is None:
            reported = self.reported_cost(bound)
            return Outcome(Status.STOPPED, None, reported, None, self.all_stats, self.stopped_by)
        if self.stopped_by is None and self.rounded and bound < self.cost:
            self.stopped_by = ROUNDED
        proved = self.stopped_by is None or bound >= self.cost
        status = Status.OPTIMAL if proved else Status.FEASIBLE
        # An interrupt is passed on even if the proof is already complete.
        stopped_by = self.stopped_by if not proved or self.stopped_by == "interrupt" else None
        cost = self.reported_cost(self.cost)
        lower_bound = cost if proved else self.reported_cost(bound)
        return Outcome(status, cost, lower_bound, self.tree, self.all_stats, stopped_by)
