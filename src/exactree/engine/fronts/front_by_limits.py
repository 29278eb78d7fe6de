"""The front of an error term and the size or depth: one search for each size or depth.

The error term may be of any kind, and the trees may have constraints.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from exactree.engine.fronts.parallel import ParallelSolver
from exactree.problem import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import Cost

__all__ = ["errors_problem_of", "front_by_limits", "reason_to_refuse_front_by_limits"]

_LIMIT_OF = {"size": "max_size", "depth": "max_depth"}


def reason_to_refuse_front_by_limits(problem: Problem) -> str | None:
    """Return why one search for each size or depth cannot find a front; None if it can.

    Parameters
    ----------
    problem : Problem
        The problem; its `minimize` is the tuple of quantities.
    """
    others = [name for name in problem.quantities if name != problem.error_term]
    if len(problem.quantities) == 2 and len(others) == 1:
        return None
    return "its native front of such errors takes exactly one other quantity, the size or the depth"


def errors_problem_of(problem: Problem) -> Problem:
    """Return the problem that minimizes the error alone, without `max_errors` if all trees keep it.

    Parameters
    ----------
    problem : Problem
        The problem of the front.
    """
    restricted = problem.minimizing((problem.error_term,))
    limit = restricted.max_error_weight
    if limit is None or limit < problem.dataset.total_weight:
        return restricted
    return restricted.within(replace(restricted.limits, max_errors=None))


def front_by_limits(problem: Problem, solver: ParallelSolver) -> list[Outcome]:
    """Return one outcome for each non-dominated cost.

    Parameters
    ----------
    problem : Problem
        The problem; its `minimize` is the pair of quantities.
    solver : ParallelSolver
        Solves problems of minimum error within limits.

    Returns
    -------
    list of Outcome
        By increasing first quantity; empty when nothing meets the limits. When a search is
        stopped, its outcome is the last.
    """
    measure = next(name for name in problem.quantities if name != problem.error_term)
    errors_problem = errors_problem_of(problem)
    found: list[Outcome] = []
    if problem.infeasible_reason is not None:
        return found
    for outcome in _outcomes_by_limit(errors_problem, measure, _maximum(problem, measure), solver):
        stopped = outcome.stopped_by not in (None, ROUNDED) or outcome.status is Status.STOPPED
        if outcome.cost is None and not stopped:
            continue  # larger trees may meet the limits and constraints
        point = _as_point(problem, measure, outcome)
        if stopped:
            return [*_in_order(problem, found), point]
        if not found or _error(problem, point.cost) < _error(problem, found[-1].cost):
            found.append(point)
        if problem.leaf_penalty == 0 and outcome.cost == (0.0,):
            break
    return _in_order(problem, found)


def _outcomes_by_limit(
    errors_problem: Problem, measure: str, maximum: int, solver: ParallelSolver
) -> Iterator[Outcome]:
    """Yield the outcome for each size or depth, searching as many in parallel as possible."""
    limits: list[dict[str, Any]] = [{_LIMIT_OF[measure]: value} for value in range(maximum + 1)]
    for start in range(0, len(limits), solver.jobs):
        batch = limits[start : start + solver.jobs]
        yield from solver(
            [errors_problem.within(replace(errors_problem.limits, **limit)) for limit in batch]
        )


def _maximum(problem: Problem, measure: str) -> int:
    """Return the maximum size or depth of a tree within the limits."""
    max_size, max_depth = problem.max_leaves - 1, problem.limits.max_depth
    return max_size if measure == "size" or max_depth is None else min(max_size, max_depth)


def _as_point(problem: Problem, measure: str, outcome: Outcome) -> Outcome:
    """Return an outcome of minimum error with both quantities as its cost and lower bound."""

    def both(error: Any, number: int) -> Cost:
        return tuple(error if name == problem.error_term else number for name in problem.quantities)

    (bound,) = outcome.lower_bound if isinstance(outcome.lower_bound, tuple) else (0,)
    if outcome.tree is None or not isinstance(outcome.cost, tuple):
        return replace(outcome, lower_bound=both(bound, 0))
    number = getattr(outcome.tree, measure)
    # A stopped search proves nothing about the size or depth.
    lower = number if outcome.status is Status.OPTIMAL else 0
    return replace(outcome, cost=both(outcome.cost[0], number), lower_bound=both(bound, lower))


def _error(problem: Problem, cost: Any) -> Any:
    return cost[problem.quantities.index(problem.error_term)]


def _in_order(problem: Problem, found: list[Outcome]) -> list[Outcome]:
    """Return the outcomes by increasing first quantity; they were found by size or depth."""
    return found[::-1] if problem.quantities[0] == problem.error_term else found
