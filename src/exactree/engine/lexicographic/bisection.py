"""Lexicographic minima of errors, size and depth, by a search that minimizes errors alone.

Errors are of any kind, and include the prices of leaves and features. One search finds their
minimum within limits. The minimum size or depth at which a tree meets the limits, or reaches errors
that an earlier stage has proved minimal, is found by bisection with the same search, because more
nodes or levels never increase the minimum errors.

*Rounding.* Searches for some kinds of errors round costs, so a tree that such a search reports as
optimal may cost a little more than the minimum. `_proved_bound` is a lower bound that holds without
this tolerance. The stage of errors has the tolerance of such a search. Later stages need a tree
whose reported errors are at most the errors of that stage. Their decisions are exact: a size or
depth is enough if a tree within it has been found with so few errors, and too small if
`_proved_bound` is greater than these errors. If neither is proved, because the minimum errors
within the size or depth differ from these errors by too little, the outcome is feasible, and the
reason is the rounding.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from math import ulp
from typing import Any

from exactree.engine.lexicographic.run import SearchRun, search_options
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.limits import Limits
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import Cost, Number, as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.trees import Tree

__all__ = ["lexicographic_tree"]

_LIMIT_OF = {"size": "max_size", "depth": "max_depth"}


class _Ended(Exception):
    """Signal that the search ends before every minimum is proved.

    Parameters
    ----------
    bound : int, Fraction, float or None
        The lower bound on the current quantity; None if no tree meets the limits.
    """

    def __init__(self, bound: Number | None) -> None:
        super().__init__()
        self.bound = bound


def lexicographic_tree(
    problem: Problem,
    *,
    solve: Callable[..., Outcome],
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
) -> Outcome:
    """Return the best tree by errors and other quantities in lexicographic order.

    Parameters
    ----------
    problem : Problem
        The problem, whose `minimize` is a tuple.
    solve : callable
        Solves the problem that minimizes the errors alone.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress, switches, incumbent
        As in `branch_and_bound`.

    Returns
    -------
    Outcome
        The outcome of the search.
    """
    options = search_options(memory_limit, n_jobs, switches)
    run = SearchRun(problem, options, time_limit, stop_at_gap)
    stages = _Stages(run, solve, on_progress)
    if incumbent is not None and incumbent.exact:
        stages.offer(incumbent.tree)
    try:
        for name in problem.quantities:
            stages.minimize(name)
    except _Ended as end:
        if end.bound is None:
            return replace(infeasible(problem), stats=run.all_stats)
        bound = stages.bound(end.bound)
        status = Status.STOPPED if stages.tree is None else Status.FEASIBLE
        return Outcome(status, stages.cost, bound, stages.tree, run.all_stats, run.stopped_by)
    # An interrupt is passed on even if the proof was just complete.
    proved = (Status.OPTIMAL, stages.cost, stages.bound(), stages.tree)
    return Outcome(*proved, run.all_stats, run.stopped_by)


class _Stages:
    """The proved minima of the quantities so far, and the incumbent."""

    def __init__(
        self, run: SearchRun, solve: Callable[..., Outcome], listener: Listener | None
    ) -> None:
        self.run, self.solve, self.listener = run, solve, listener
        self.errors_problem = run.problem.with_errors_alone()
        self.limits = self.errors_problem.limits
        self.proved: list[Number] = []
        self.errors: Number | None = None
        self.tree: Tree | None = None
        self.cost: Cost | None = None

    def minimize(self, name: str) -> None:
        """Prove the minimum of the next quantity, given the minima of the previous quantities."""
        if name == self.run.problem.error_term:
            self.minimize_errors()
            return
        minimum = self.minimum(name, _max_value(self.run.problem, name))
        at_minimum: dict[str, Any] = {_LIMIT_OF[name]: minimum}
        self.limits = replace(self.limits, **at_minimum)
        self.proved.append(minimum)

    def minimize_errors(self) -> None:
        """Prove the minimum errors within the limits, up to rounding."""
        outcome, _ = self.search(self.limits, 0)
        if outcome.status is Status.INFEASIBLE:
            raise _Ended(None)
        if outcome.status is not Status.OPTIMAL:
            raise _Ended(as_tuple(outcome.lower_bound)[0])
        assert self.cost is not None
        # The incumbent also meets the limits. Because of rounding, it may cost less than the tree
        # that this search proved optimal.
        self.errors = self._errors_of(self.cost)
        self.proved.append(self.errors)

    def minimum(self, name: str, max_value: int) -> int:
        """Return the minimum size or depth at which a tree meets the limits and the errors."""
        lower = 0
        upper: int | None = None if self.tree is None else getattr(self.tree, name)
        while upper is None or lower < upper:
            if lower > max_value:
                raise _Ended(None)
            if upper is not None and upper - lower <= self.run.stop_at_gap * upper:
                self.run.stopped_by = self.run.stopped_by or "gap"
                raise _Ended(lower)
            # Searches for small trees are fast: until there is a tree, the limit is doubled.
            value = min(2 * lower, max_value) if upper is None else (lower + upper) // 2
            limit: dict[str, Any] = {_LIMIT_OF[name]: value}
            within = replace(self.limits, **limit)
            outcome, ended_here = self.search(within, lower)
            if ended_here and not (self.reached(outcome.cost) or self.missed(outcome)):
                # The search ended because of a reported cost or bound, which is rounded and may
                # differ from that of its outcome. A complete search decides.
                outcome, _ = self.search(within, lower, ends_early=False)
            if self.reached(outcome.cost):
                upper = int(getattr(outcome.tree, name))
            elif self.missed(outcome):
                lower = value + 1
            else:
                self.run.stopped_by = self.run.stopped_by or ROUNDED
                raise _Ended(lower)
        return upper

    def reached(self, cost: Cost | None) -> bool:
        """Return whether a tree reaches the errors; before they are known, every tree does."""
        return cost is not None and (self.errors is None or as_tuple(cost)[0] <= self.errors)

    def missed(self, outcome: Outcome) -> bool:
        """Return whether an outcome proves that no tree within its limits reaches the errors."""
        if outcome.status is Status.INFEASIBLE:
            return True
        problem = self.errors_problem
        return self.errors is not None and _proved_bound(problem, outcome) > self.errors

    def search(self, limits: Limits, lower: int, ends_early: bool = True) -> tuple[Outcome, bool]:
        """Search for the minimum errors within limits.

        A search for the minimum size or depth ends early, unless `ends_early` is false or errors
        are rounded, as soon as its incumbent reaches the errors of an earlier stage, or its lower
        bound proves that no tree does. `lower` is the proved lower bound on that size or depth.

        Returns
        -------
        outcome : Outcome
            The outcome of the search.
        ended_here : bool
            Whether the search was ended for one of these two reasons.
        """
        run = self.run
        is_errors_stage = run.problem.quantities[len(self.proved)] == run.problem.error_term
        ends_early = ends_early and not is_errors_stage and run.problem.exact_errors
        ended_by_user = False

        def callback(progress: Progress) -> bool:
            nonlocal ended_by_user
            current = as_tuple(progress.lower_bound)[0] if is_errors_stage else lower
            if self.listener is not None:
                reported = Progress(self.cost, self.bound(current), run.seconds + progress.seconds)
                ended_by_user = bool(self.listener(reported))
            bound = as_tuple(progress.lower_bound)[0]
            missed = self.errors is not None and bound > self.errors
            return ended_by_user or (ends_early and (missed or self.reached(progress.cost)))

        gap = run.stop_at_gap if is_errors_stage else 0.0
        options = {**run.options, "time_limit": run.seconds_left, "stop_at_gap": gap}
        if is_errors_stage and self.tree is not None:
            options["incumbent"] = Incumbent(self.tree)
        problem = self.errors_problem.within(limits)
        outcome = self.solve(problem, on_progress=callback, **options)
        ended_here = outcome.stopped_by == "callback" and not ended_by_user
        run.add_stats(outcome.stats, None if ended_here else outcome.stopped_by)
        if "rounding" in outcome.stats:
            run.stats["rounding"] = max(run.stats.get("rounding", 0.0), outcome.stats["rounding"])
        if outcome.tree is not None:
            self.offer(outcome.tree)
        if run.stopped_by is not None and not is_errors_stage:
            raise _Ended(lower)
        return outcome, ended_here

    def offer(self, tree: Tree) -> None:
        """Make a tree within the limits the incumbent if it costs less."""
        cost = cost_of_found(self.run.problem, tree)
        if self.cost is None or as_tuple(cost) < as_tuple(self.cost):
            self.tree, self.cost = tree, cost
            if self.errors is not None and self._errors_of(cost) < self.errors:
                # Because of rounding, the errors of an earlier stage were not minimal. The minima
                # of size and depth that were proved for more errors are also lower bounds for
                # fewer errors, and this tree attains them, because it meets all current limits.
                self.errors = self.proved[self._index_of_errors] = self._errors_of(cost)
            self.run.progress.append(Progress(cost, self.bound(), self.run.seconds))

    def bound(self, current: Number | None = None) -> Cost:
        """Return the lower bound on the cost.

        It consists of the proved minima, the lower bound `current` on the next quantity, and zeros.
        """
        bound = (*self.proved, *(() if current is None else (current,)))
        full = (*bound, *(0,) * (len(self.run.problem.quantities) - len(bound)))
        return full if self.cost is None else min(full, as_tuple(self.cost))

    def _errors_of(self, cost: Cost) -> Number:
        return as_tuple(cost)[self._index_of_errors]

    @property
    def _index_of_errors(self) -> int:
        return self.run.problem.quantities.index(self.run.problem.error_term)


def _proved_bound(problem: Problem, outcome: Outcome) -> Number:
    """Return a lower bound on the errors, as they are reported, that holds without tolerance.

    The bound of an optimal outcome is the cost of its tree. In a search that rounds, other trees
    may cost less: by up to ``stats["rounding"]`` because the cost of a tree is rounded, by as much
    because the bound is rounded, and by the rounding of both results to floats.
    """
    bound = as_tuple(outcome.lower_bound)[0]
    if problem.exact_errors or outcome.status is not Status.OPTIMAL:
        return bound
    return float(bound) - 2 * float(outcome.stats.get("rounding", 0.0)) - 4 * ulp(float(bound))


def _max_value(problem: Problem, name: str) -> int:
    """Return the maximum size or depth of a tree within the limits."""
    max_size, max_depth = problem.max_leaves - 1, problem.limits.max_depth
    return max_size if name == "size" or max_depth is None else min(max_size, max_depth)
