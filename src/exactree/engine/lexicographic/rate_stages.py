"""Lexicographic stages with a rate of errors of two classes, and size or depth.

The minimum rate within limits is found by the search for a single rate. The minimum size or depth
at which a tree reaches a rate, or meets limits on precision and recall, is found by bisection with
the same search, because more nodes or levels never increase the minimum rate.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from exactree.engine.single_objective.rate_search import RateRun
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.limits import Limits
from exactree.problem.quantities import Cost, Number, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.trees import Tree

__all__ = ["lexicographic_rate"]

_LIMIT_OF = {"size": "max_size", "depth": "max_depth"}


class _Ended(Exception):
    """Signal that the search ends before every minimum is proved.

    Parameters
    ----------
    bound : int, Fraction or None
        The lower bound on the current quantity; None if no tree meets the limits.
    """

    def __init__(self, bound: Number | None) -> None:
        super().__init__()
        self.bound = bound


def lexicographic_rate(
    run: RateRun,
    minimize_rate: Callable[..., Outcome],
    listener: Callable[[Progress], object] | None,
) -> Outcome:
    """Return the best tree by a rate and other quantities in lexicographic order.

    Parameters
    ----------
    run : RateRun
        The problem, whose `minimize` is a tuple, without leaf penalty, and the limits of time,
        memory and gap.
    minimize_rate : callable
        Minimizes the rate alone.
    listener : callable or None
        Called with a `Progress`; returning True stops.
    """
    stages = _Stages(run, minimize_rate, listener)
    try:
        for name in run.problem.quantities:
            stages.minimize(name)
    except _Ended as end:
        if end.bound is None:
            return replace(infeasible(run.problem), stats=run.all_stats)
        bound = stages.bound(end.bound)
        status = Status.STOPPED if stages.tree is None else Status.FEASIBLE
        return Outcome(status, stages.cost, bound, stages.tree, run.all_stats, run.stopped_by)
    # An interrupt is passed on even if the proof was just complete.
    proved = (Status.OPTIMAL, stages.cost, stages.bound(), stages.tree)
    return Outcome(*proved, run.all_stats, run.stopped_by)


class _Stages:
    """The proved minima of the quantities so far, and the incumbent."""

    def __init__(
        self,
        run: RateRun,
        minimize_rate: Callable[..., Outcome],
        listener: Callable[[Progress], object] | None,
    ) -> None:
        self.run, self.minimize_rate, self.listener = run, minimize_rate, listener
        self.errors_problem = run.problem.minimizing(run.problem.error_term)
        self.limits = run.problem.limits
        self.proved: list[Number] = []
        self.rate: Number | None = None
        self.tree: Tree | None = None
        self.cost: Cost | None = None

    def minimize(self, name: str) -> None:
        """Prove the minimum of the next quantity, given the minima of the previous quantities."""
        if name == self.run.problem.error_term:
            outcome = self.search(self.limits, 0)
            if outcome.status is not Status.OPTIMAL:
                infeasible_here = outcome.status is Status.INFEASIBLE
                raise _Ended(None if infeasible_here else as_tuple(outcome.lower_bound)[0])
            assert outcome.cost is not None
            self.rate = as_tuple(outcome.cost)[0]
            self.proved.append(self.rate)
            return
        minimum = self.minimum(name, _max_value(self.run.problem, name))
        at_minimum: dict[str, Any] = {_LIMIT_OF[name]: minimum}
        self.limits = replace(self.limits, **at_minimum)
        self.proved.append(minimum)

    def minimum(self, name: str, max_value: int) -> int:
        """Return the minimum size or depth at which a tree meets the limits and the rate."""
        lower = 0
        upper: int | None = None if self.tree is None else getattr(self.tree, name)
        while upper is None or lower < upper:
            if lower > max_value:
                raise _Ended(None)
            # Searches for small trees are fast: until there is a tree, the limit is doubled.
            value = min(2 * lower, max_value) if upper is None else (lower + upper) // 2
            limit: dict[str, Any] = {_LIMIT_OF[name]: value}
            outcome = self.search(replace(self.limits, **limit), lower)
            if outcome.tree is not None and self.reached(outcome.cost):
                upper = int(getattr(outcome.tree, name))
            elif outcome.status is Status.INFEASIBLE or self.missed(outcome.lower_bound):
                lower = value + 1
            else:
                raise _Ended(lower)
        return upper

    def reached(self, cost: Cost | None) -> bool:
        """Return whether a tree reaches the rate; before the rate is known, every tree does."""
        return cost is not None and (self.rate is None or as_tuple(cost)[0] <= self.rate)

    def missed(self, lower_bound: Cost) -> bool:
        """Return whether no tree reaches the rate."""
        return self.rate is not None and as_tuple(lower_bound)[0] > self.rate

    def search(self, limits: Limits, lower: int) -> Outcome:
        """Search for the minimum rate within limits, or until it reaches or misses a known rate.

        `lower` is the proved lower bound on a size or depth that is minimized.
        """
        run = self.run
        is_rate_stage = len(self.proved) == self._index_of_rate
        ended_by_user = False

        def callback(progress: Progress) -> bool:
            nonlocal ended_by_user
            current = as_tuple(progress.lower_bound)[0] if is_rate_stage else lower
            if self.listener is not None:
                reported = Progress(self.cost, self.bound(current), run.seconds + progress.seconds)
                ended_by_user = bool(self.listener(reported))
            enough = self.reached(progress.cost) or self.missed(progress.lower_bound)
            return ended_by_user or (enough and not is_rate_stage)

        gap = run.stop_at_gap if is_rate_stage and not self.proved else 0.0
        options = {**run.options, "time_limit": run.seconds_left, "stop_at_gap": gap}
        problem = self.errors_problem.within(limits)
        outcome = self.minimize_rate(problem, on_progress=callback, **options)
        ended_here = outcome.stopped_by == "callback" and not ended_by_user
        run.add_stats(outcome.stats, None if ended_here else outcome.stopped_by)
        if "rounding" in outcome.stats:
            run.stats["rounding"] = max(run.stats.get("rounding", 0.0), outcome.stats["rounding"])
        if outcome.tree is not None:
            self.offer(outcome.tree)
        if run.stopped_by is not None and not is_rate_stage:
            raise _Ended(lower)
        return outcome

    @property
    def _index_of_rate(self) -> int:
        return self.run.problem.quantities.index(self.run.problem.error_term)

    def offer(self, tree: Tree) -> None:
        """Offer a tree within the limits as incumbent."""
        cost = cost_of_found(self.run.problem, tree)
        if self.cost is None or as_tuple(cost) < as_tuple(self.cost):
            self.tree, self.cost = tree, cost
            self.run.progress.append(Progress(cost, self.bound(), self.run.seconds))

    def bound(self, current: Number | None = None) -> Cost:
        """Return the lower bound on the cost: proved minima, then that on the next quantity."""
        bound = (*self.proved, *(() if current is None else (current,)))
        full = (*bound, *(0,) * (len(self.run.problem.quantities) - len(bound)))
        return full if self.cost is None else min(full, as_tuple(self.cost))


def _max_value(problem: Problem, name: str) -> int:
    """Return the maximum size or depth of a tree within the limits."""
    max_size, max_depth = problem.max_leaves - 1, problem.limits.max_depth
    return max_size if name == "size" or max_depth is None else min(max_size, max_depth)
