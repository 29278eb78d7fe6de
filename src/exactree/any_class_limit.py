"""A limit on the leaves of at least one class: one search for each class, and the best result.

Theorem 3.6 of Kobourov et al. (AAAI 2023) bounds the time by the leaves of one class, and tries
each of two classes. A tree keeps the limit for some class iff it is within the limits of one of the
problems solved here. So the best of their trees is optimal, and the minimum of their lower bounds
is a lower bound.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import as_tuple
from exactree.stopping import Deadline

__all__ = ["best_over_classes", "limited_for_each_class"]


def limited_for_each_class(problem: Problem) -> list[Problem]:
    """Return a problem whose `max_leaves_of` names the class, for each class in its order.

    Parameters
    ----------
    problem : Problem
        A problem whose `max_leaves_of` is a number.
    """
    limit: Any = problem.limits.max_leaves_of
    return [
        problem.within(replace(problem.limits, max_leaves_of={label: limit}))
        for label in problem.dataset.classes.tolist()
    ]


def best_over_classes(
    problem: Problem,
    solve: Callable[..., Outcome],
    time_limit: float | None,
    incumbent: Any = None,
) -> Outcome:
    """Return the best tree or ensemble that keeps the limit for one of the classes.

    Parameters
    ----------
    problem : Problem
        A problem whose `max_leaves_of` is a number.
    solve : callable
        Solves a problem whose `max_leaves_of` names one class, within a time limit, from an
        incumbent.
    time_limit : float or None
        Seconds for all searches together; the remaining classes share the remaining time.
    incumbent : Tree or fitted estimator, optional
        A tree from which searches start. Classes whose limits it cannot be pruned to come last and
        are searched without it.

    Returns
    -------
    Outcome
        The outcome of the search that found the best tree; "classes" in its `stats` has the
        statistics of each search by label.

    Raises
    ------
    ValueError
        If the incumbent can be pruned to the limits of no class; raised before any work.
    """
    labels = problem.dataset.classes.tolist()
    waiting = [
        (*pair, incumbent) for pair in zip(labels, limited_for_each_class(problem), strict=True)
    ]
    deadline, found, refusals = Deadline(time_limit), dict[Any, Outcome](), 0
    while waiting:
        label, one, start = waiting.pop(0)
        left = deadline.left()
        share = None if left is None else max(left / (len(waiting) + 1), 1e-3)
        try:
            found[label] = solve(one, time_limit=share, incumbent=start)
        except ValueError:
            refusals += 1
            if start is None or refusals == len(labels):
                raise
            waiting.append((label, one, None))
            continue
        if found[label].stopped_by in ("interrupt", "callback"):
            break
    stats = {label: outcome.stats for label, outcome in found.items()}
    return _best([*found.values()], complete=len(found) == len(labels), stats=stats)


def _best(outcomes: list[Outcome], *, complete: bool, stats: dict[Any, Any]) -> Outcome:
    """Combine the outcomes of the classes into one."""
    with_trees = [outcome for outcome in outcomes if outcome.cost is not None]
    best = min(with_trees, key=lambda outcome: as_tuple(outcome.cost or 0), default=outcomes[-1])
    reasons = (outcome.stopped_by for outcome in outcomes[::-1])
    stopped_by = next((reason for reason in reasons if reason), None)
    feasible = [outcome for outcome in outcomes if outcome.status is not Status.INFEASIBLE]
    lower_bounds = [outcome.lower_bound for outcome in feasible]
    if complete and not lower_bounds:
        return replace(best, stats={**best.stats, "classes": stats})
    bounds = [*lower_bounds, best.cost] if best.cost is not None else lower_bounds
    lower_bound: Any = min(bounds, key=as_tuple) if bounds else 0
    if not complete:  # nothing is proved about the classes that were not searched
        lower_bound = min(lower_bound, _zero_like(lower_bound), key=as_tuple)
    proved = best.cost is not None and lower_bound == best.cost
    status = Status.OPTIMAL if proved else Status.FEASIBLE if with_trees else Status.STOPPED
    return replace(
        best,
        status=status,
        lower_bound=lower_bound,
        stopped_by=stopped_by if not proved or stopped_by == "interrupt" else None,
        reason=None,
        stats={**best.stats, "classes": stats},
    )


def _zero_like(cost: Any) -> Any:
    """Return a cost of zero, a tuple if this cost is one."""
    return tuple(0 for _ in cost) if isinstance(cost, tuple) else 0
