"""Ensembles of minimum total size over all numbers of trees up to a maximum, with a proof."""

from dataclasses import replace
from typing import Any

from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.advice import time_advice
from exactree.problem.outcome import Suggestion
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
    **options: Any,
) -> Outcome:
    """Return the ensemble of minimum total size among those with at most `max_trees` trees.

    Each number of trees is searched, in increasing order; each search may take an equal share of
    the remaining time. Of ensembles with the same total size the one with the fewest trees is
    returned.

    Parameters
    ----------
    problem : Problem
        The problem to solve; it minimizes the total size. Its own number of trees does not matter.
    max_trees : int
        Maximum number of trees.
    time_limit : float, optional
        Seconds for all searches together.
    on_progress : callable, optional
        As in `solve`. The lower bound of the progress is 0, because a search proves nothing about
        other numbers of trees.
    **options
        As in `solve`, for each search.

    Returns
    -------
    Outcome
        An outcome with an ensemble, possibly of one tree. The lower bound holds for every number of
        trees up to `max_trees`. For each number of trees `stats["by_number"]` has the pair of total
        size and lower bound; the size is None if no ensemble was found that is smaller than the
        best ensemble with fewer trees.

    Raises
    ------
    ValueError
        If the total size is not minimized, or `max_trees` is not an integer >= 1.
    """
    check_problem(problem)
    allowed = f"an integer >= 1 and <= {MAX_TREES:,}"
    max_trees = whole_number("max_trees", max_trees, 1, allowed, MAX_TREES)
    if problem.quantities not in (("total_size",), ("size",)):
        raise ValueError(
            'n_trees="auto" finds the number of trees with the minimum total size, so minimize '
            f'must be "total_size", got {problem.minimize!r}.'
        )
    with Interruptible() as call:
        deadline = Deadline(positive_seconds(time_limit))
        outcome = _search_all(problem, max_trees, deadline, on_progress, options)
        call.answered = outcome.stopped_by == "interrupt"
        return outcome


def _search_all(
    problem: Problem,
    max_trees: int,
    deadline: Deadline,
    on_progress: Listener | None,
    options: dict[str, Any],
) -> Outcome:
    """Search every number of trees, in increasing order."""
    best: Outcome | None = None
    searches: list[Outcome] = []
    by_number: dict[int, tuple[Cost | None, Cost | None]] = {}
    for n_trees in range(1, max_trees + 1):
        if best is not None and deadline.stopped_by() is not None:
            break
        seconds_left = deadline.left()
        restricted = problem.with_trees(n_trees)
        if best and not options.get("stop_at_gap"):  # with a gap the search needs an incumbent
            restricted = _smaller(restricted, best)
        searches_left = max_trees + 1 - n_trees
        outcome = solve(
            restricted,
            time_limit=None if seconds_left is None else max(seconds_left, 1e-3) / searches_left,
            on_progress=_listener(on_progress, best),
            **options,
        )
        searches.append(outcome)
        infeasible = outcome.status is Status.INFEASIBLE
        lower_bound = best.cost if best is not None and infeasible else outcome.lower_bound
        by_number[n_trees] = (outcome.cost, lower_bound)
        if outcome.trees and (best is None or _size(outcome) < _size(best)):
            best = outcome
        if outcome.stopped_by in ("interrupt", "callback") or (best and best.cost == 0):
            break
    combined = _combined(best, searches, max_trees, deadline.stopped_by())
    stats = {**searches[-1].stats, "by_number": by_number}
    return replace(combined, stats=stats, advice=_advice(combined, max_trees, deadline.limit))


def _advice(outcome: Outcome, max_trees: int, time_limit: float | None) -> tuple[Suggestion, ...]:
    """Return what would help if the time limit has ended the search."""
    if outcome.stopped_by != "time limit":
        return ()
    fewer = Suggestion("max_trees", "a smaller", note=f"{max_trees} now")
    return (time_advice(time_limit), fewer)


def _size(outcome: Outcome) -> int:
    """Return the total size that was found."""
    assert isinstance(outcome.cost, int)
    return outcome.cost


def _smaller(problem: Problem, best: Outcome) -> Problem:
    """Limit the total size to less than that of the best ensemble, which has at least one node."""
    # The best ensemble keeps the user's limit, so this limit is tighter.
    return problem.within(replace(problem.limits, max_total_size=_size(best) - 1))


def _listener(on_progress: Listener | None, best: Outcome | None) -> Listener | None:
    """Return a listener that reports the best of all searches, without a lower bound."""
    if on_progress is None:
        return None

    def listen(progress: Progress) -> object:
        costs = [cost for cost in (progress.cost, best and best.cost) if isinstance(cost, int)]
        return on_progress(Progress(min(costs, default=None), 0, progress.seconds))

    return listen


def _combined(
    best: Outcome | None, searches: list[Outcome], max_trees: int, ended_by: str | None
) -> Outcome:
    """Combine the outcomes of all searches; `ended_by` is the reason if some are missing."""
    lower_bounds = [
        search.lower_bound for search in searches if search.status is not Status.INFEASIBLE
    ]
    if len(searches) < max_trees:
        lower_bounds.append(0)  # for the numbers of trees that were not searched
    if not lower_bounds:
        return searches[-1]
    if best is None:
        lower_bound = min(lower_bounds)
        return replace(searches[-1], status=Status.STOPPED, lower_bound=lower_bound, reason=None)
    # An infeasible search after the best ensemble was limited to smaller total sizes, so the best
    # size is a lower bound for its number of trees too.
    lower_bound = min(_size(best), *lower_bounds)
    proved = lower_bound == best.cost
    stops = (*(search.stopped_by for search in searches), ended_by)
    stopped = [by for by in stops if by is not None]
    interrupted = "interrupt" in stopped
    return Outcome(
        status=Status.OPTIMAL if proved else Status.FEASIBLE,
        cost=best.cost,
        lower_bound=lower_bound,
        tree=None,
        stopped_by="interrupt" if interrupted else stopped[-1] if stopped and not proved else None,
        ensemble=Ensemble(best.trees),
        cost_names=best.cost_names,
    )
