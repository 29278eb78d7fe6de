"""A limit on the leaves of any one class: one search for each class, and the best of their trees.

Theorem 3.6 of Kobourov et al. (AAAI 2023) bounds the time by the leaves of one class, and tries
both of two classes. A tree meets the limit for some class if and only if it is within the limits of
one of the problems here. So the best of their trees is optimal, and the minimum of their lower
bounds is valid.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import as_tuple
from exactree.stopping import Deadline

__all__ = ["best_over_classes", "limits_any_class"]


def limits_any_class(problem: Problem) -> bool:
    """Return whether `max_leaves_of` is a number, a limit for any one class.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return isinstance(problem.limits.max_leaves_of, int)


def best_over_classes(
    problem: Problem, solve: Callable[..., Outcome], time_limit: float | None
) -> Outcome:
    """Return the best tree or ensemble that keeps the limit for one of the classes.

    Parameters
    ----------
    problem : Problem
        Its `max_leaves_of` is a number.
    solve : callable
        Takes a problem, whose `max_leaves_of` names one class, and a time limit.
    time_limit : float or None
        Seconds for all searches together; the remaining classes share the remaining time.

    Returns
    -------
    Outcome
        The outcome of the search that found the best tree; "classes" in its `stats` has the
        statistics of each search by label.
    """
    labels = problem.dataset.classes.tolist()
    most: Any = problem.limits.max_leaves_of
    deadline, found, stats = Deadline(time_limit), list[Outcome](), dict[Any, Any]()
    for at, label in enumerate(labels):
        limits = replace(problem.limits, max_leaves_of={label: most})
        left = deadline.left()
        share = None if left is None else max(left / (len(labels) - at), 1e-3)
        found.append(solve(problem.within(limits), time_limit=share))
        stats[label] = found[-1].stats
        if found[-1].stopped_by in ("interrupt", "callback"):
            break
    return _best(found, complete=len(found) == len(labels), stats=stats)


def _best(found: list[Outcome], *, complete: bool, stats: dict[Any, Any]) -> Outcome:
    """Combine the outcomes of all classes."""
    trees = [one for one in found if one.cost is not None]
    best = min(trees, key=lambda one: as_tuple(one.cost or 0), default=found[-1])
    stopped_by = next((one.stopped_by for one in found[::-1] if one.stopped_by), None)
    possible = [one.lower_bound for one in found if one.status is not Status.INFEASIBLE]
    if complete and not possible:
        return replace(best, stats={**best.stats, "classes": stats})
    bounds = [*possible, best.cost] if best.cost is not None else possible
    lower_bound: Any = min(bounds, key=as_tuple) if bounds else 0
    if not complete:  # classes that were not tried have no lower bound
        lower_bound = min(lower_bound, _nothing_proved(lower_bound), key=as_tuple)
    proved = best.cost is not None and lower_bound == best.cost
    status = Status.OPTIMAL if proved else Status.FEASIBLE if trees else Status.STOPPED
    return replace(
        best,
        status=status,
        lower_bound=lower_bound,
        stopped_by=stopped_by if not proved or stopped_by == "interrupt" else None,
        reason=None,
        stats={**best.stats, "classes": stats},
    )


def _nothing_proved(like: Any) -> Any:
    """Return zeros of the form of a cost."""
    return tuple(0 for _ in like) if isinstance(like, tuple) else 0
