"""The state of a search in words, with costs in the unit of the user."""

from exactree.data.parameters import count
from exactree.problem import Problem, Progress
from exactree.problem.quantities import cost_in_words, relative_gap, shown_cost

__all__ = ["duration", "limits_in_words", "state_in_words"]


def duration(seconds: float, digits: str = ".1f") -> str:
    """Return a duration in seconds, minutes or hours.

    Parameters
    ----------
    seconds : float
        For example 75.2, which is "1:15 min".
    digits : str
        The format of durations up to a minute.
    """
    whole = int(seconds)
    if seconds <= 60:
        return f"{seconds:{digits}} s"
    if whole < 3600:
        return f"{whole // 60}:{whole % 60:02} min"
    return f"{whole // 3600}:{whole // 60 % 60:02} h"


def state_in_words(progress: Progress, problem: Problem | None = None) -> str:
    """Return incumbent, lower bound and gap of a search as text.

    Parameters
    ----------
    progress : Progress
        The state of the search.
    problem : Problem, optional
        The problem, which determines the units; without it costs are shown without units.

    Returns
    -------
    str
        For example ``"61 errors, lower bound 20, gap 67.2%"``.
    """
    bound = f"lower bound {shown_cost(progress.lower_bound)}"
    if progress.cost is None:
        text = f"{'no tree' if _has_one_tree(problem) else 'no ensemble'} yet, {bound}"
    else:
        gap = relative_gap(progress.cost, progress.lower_bound)
        names = () if problem is None else problem.cost_names
        text = f"{cost_in_words(progress.cost, names)}, {bound}, gap {gap:.1%}"
    return text if progress.workers is None else f"{text}, {count(progress.workers, 'worker')}"


def limits_in_words(problem: Problem) -> str:
    """Return the limits that one search of a front has on the quantities of the front.

    Parameters
    ----------
    problem : Problem
        The problem of the search.

    Returns
    -------
    str
        For example ``"size at most 3"``; empty without limits.
    """
    limits = {
        "size": problem.limits.max_size,
        "depth": problem.limits.max_depth,
        "total size": problem.limits.max_total_size,
        "errors": problem.max_errors,
    }
    clauses = (
        f"{name} at most {shown_cost(limit)}" for name, limit in limits.items() if limit is not None
    )
    return ", ".join(clauses)


def _has_one_tree(problem: Problem | None) -> bool:
    return problem is None or problem.n_trees == 1
