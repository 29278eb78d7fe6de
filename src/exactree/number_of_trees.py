"""The number of trees of the ensemble of minimum total size, proved over all numbers of trees."""

from dataclasses import replace
from typing import Any

from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.parameters import MAX_TREES, positive_seconds, whole_number
from exactree.problem.quantities import Cost
from exactree.solve import check_problem, solve
from exactree.stopping import Deadline, Interruptible
from exactree.trees import Ensemble

__all__ = ["solve_number_of_trees"]


def solve_number_of_trees(
    problem: Problem,
    max_trees: int,
    *,
    time_limit: float | None = None,
    on_progress: Listener | None = None,
    **how: Any,
) -> Outcome:
    """Return the ensemble of minimum total size with at most a given number of trees.

    One number of trees is searched after the other, from one tree up; each search may take an
    equal share of the time that is left. Of equal total sizes the fewest trees win.

    Parameters
    ----------
    problem : Problem
        The problem to solve; it minimizes the total size. Its own number of trees does not matter.
    max_trees : int
        Most trees.
    time_limit : float, optional
        Seconds for all numbers together.
    on_progress : callable, optional
        As in `solve`; the lower bound in its progress is 0, as one search proves nothing of the
        others.
    **how
        As in `solve`, for each search.

    Returns
    -------
    Outcome
        Always with an ensemble, if only of one tree. The lower bound holds for every number of
        trees up to `max_trees`; `stats["by_number"]` has the total size found with each number,
        None if none smaller than with fewer trees was found, and the lower bound for it.

    Raises
    ------
    ValueError
        If something else than the total size is minimized, or `max_trees` is no number >= 1.
    """
    check_problem(problem)
    allowed = f"an integer >= 1 and <= {MAX_TREES:,}"
    max_trees = whole_number("max_trees", max_trees, 1, allowed, MAX_TREES)
    if problem.quantities not in (("total_size",), ("size",)):
        raise ValueError(
            'n_trees="auto" finds the number of trees with the least total size, so minimize must '
            f'be "total_size", got {problem.minimize!r}.'
        )
    with Interruptible() as call:
        deadline = Deadline(positive_seconds(time_limit))
        outcome = _searched(problem, max_trees, deadline, on_progress, how)
        call.answered = outcome.stopped_by == "interrupt"
        return outcome


def _searched(
    problem: Problem,
    max_trees: int,
    deadline: Deadline,
    on_progress: Listener | None,
    how: dict[str, Any],
) -> Outcome:
    """Search one number of trees after the other."""
    best: Outcome | None = None
    searches: list[Outcome] = []
    by_number: dict[int, tuple[Cost | None, Cost | None]] = {}
    for n_trees in range(1, max_trees + 1):
        if best is not None and deadline.stopped_by() is not None:
            break
        left = deadline.left()
        restated = problem.with_trees(n_trees)
        if best and not how.get("stop_at_gap"):  # a gap needs some ensemble, even a larger one
            restated = _smaller(restated, best)
        outcome = solve(
            restated,
            time_limit=None if left is None else max(left, 1e-3) / (max_trees + 1 - n_trees),
            on_progress=_listener(on_progress, best),
            **how,
        )
        searches.append(outcome)
        infeasible = outcome.status is Status.INFEASIBLE
        lower_bound = best.cost if best is not None and infeasible else outcome.lower_bound
        by_number[n_trees] = (outcome.cost, lower_bound)
        if outcome.trees and (best is None or _size(outcome) < _size(best)):
            best = outcome
        if outcome.stopped_by in ("interrupt", "callback") or (best and best.cost == 0):
            break
    together = _together(best, searches, max_trees, deadline.stopped_by())
    return replace(together, stats={**searches[-1].stats, "by_number": by_number})


def _size(outcome: Outcome) -> int:
    """Return the total size that was found."""
    assert isinstance(outcome.cost, int)
    return outcome.cost


def _smaller(problem: Problem, best: Outcome) -> Problem:
    """Return the problem with a total size below the best total size, which is at least 1."""
    # The best ensemble meets the limit of the problem, so this limit is tighter.
    return problem.within(replace(problem.limits, max_total_size=_size(best) - 1))


def _listener(on_progress: Listener | None, best: Outcome | None) -> Listener | None:
    """Report the best of all searches; a lower bound for one number does not hold for all."""
    if on_progress is None:
        return None

    def listen(progress: Progress) -> object:
        known = [cost for cost in (progress.cost, best and best.cost) if isinstance(cost, int)]
        return on_progress(Progress(min(known, default=None), 0, progress.seconds))

    return listen


def _together(
    best: Outcome | None, searches: list[Outcome], max_trees: int, ended_by: str | None
) -> Outcome:
    """Combine the outcomes of all searches, and the reason if some did not run."""
    lower = [one.lower_bound for one in searches if one.status is not Status.INFEASIBLE]
    if len(searches) < max_trees:
        lower.append(0)  # of the numbers that nobody looked at
    if not lower:
        return searches[-1]
    if best is None:
        return replace(searches[-1], status=Status.STOPPED, lower_bound=min(lower), reason=None)
    # Searches that found nothing were limited to less than the best size; so are their bounds.
    lower_bound = min(_size(best), *lower)
    proved = lower_bound == best.cost
    stopped = [by for by in (*(one.stopped_by for one in searches), ended_by) if by is not None]
    interrupted = "interrupt" in stopped
    return Outcome(
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        cost=best.cost,
        lower_bound=lower_bound,
        tree=None,
        stopped_by="interrupt" if interrupted else stopped[-1] if stopped and not proved else None,
        ensemble=Ensemble(best.trees),
    )
