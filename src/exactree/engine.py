"""The border to the native search: the only importer of `exactree._native`."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.errors import InternalError, MethodRefused
from exactree.objectives.errors import plain
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.reasons import infeasible_at_once
from exactree.problem.recount import cost_of_found, write_replay
from exactree.trees.arrays import grow

__all__ = ["accelerators", "accepts", "branch_and_bound", "largest_difference"]


def accelerators() -> dict[str, str]:
    """Return the name and the reason of every switch of the native search.

    Returns
    -------
    dict
        Each can be turned off by ``branch_and_bound(..., switches={name: False})`` without
        changing any optimum.
    """
    return dict(_native.accelerators())


def accepts(problem: Problem) -> str | None:
    """Return None for a problem the native engine accepts, else in one clause why not.

    Parameters
    ----------
    problem : Problem
        What is asked.
    """
    later = "comes in a later version"
    if problem.n_trees > 1:
        return f"its native form for ensembles {later}"
    if problem.minimize != "errors":
        return f"its native form for minimize={problem.minimize!r} {later}"
    if problem.limits.max_leaves_of is not None:
        return f"its native form with max_leaves_of {later}"
    if problem.limits.max_total_size is not None:
        return f"its native form with max_total_size {later}"
    if problem.leaf_penalty and problem.max_errors is not None:
        return f"its native form with leaf_penalty and max_errors together {later}"
    return None


def largest_difference(ranks: NDArray[np.int64], labels: NDArray[np.int64]) -> int:
    """Return the largest number of features in which two examples of different classes differ.

    Parameters
    ----------
    ranks : ndarray of int64, shape (n, d)
        Non-negative numbers below 2**32, equal in a feature iff the examples' values are.
    labels : ndarray of int64, shape (n,)
        Class indices.

    Returns
    -------
    int
        delta_max; 0 with a single class. Ctrl-C raises `KeyboardInterrupt` at once.
    """
    return _native.largest_difference(ranks.astype(np.uint32), labels.astype(np.uint32))


def branch_and_bound(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    stop_at_gap: float = 0.0,
    on_progress: Callable[[Progress], object] | None = None,
    switches: Mapping[str, bool] | None = None,
) -> Outcome:
    """Return the best tree for a problem by the native engine.

    Parameters
    ----------
    problem : Problem
        What is asked.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Soft limit on the bytes of the memo of proved parts.
    stop_at_gap : float
        Stop when the gap is at most this.
    on_progress : callable, optional
        Called with a `Progress` at most ten times a second; returning True stops. An exception
        in it stops the search and is raised.
    switches : mapping of str to bool, optional
        Accelerators to turn off or on, by name (see `accelerators`).

    Returns
    -------
    Outcome
        However the search ended.

    Raises
    ------
    ValueError
        If a switch does not exist.
    MethodRefused
        If the problem is not for this engine (see `accepts`).
    InternalError
        If the core failed; the message names a file with the problem.
    """
    why = accepts(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    at_once = infeasible_at_once(problem)
    if at_once is not None:
        return at_once
    settings = {
        "error_price": problem.leaf_price.error_price,
        "leaf_price": problem.leaf_price.leaf_price,
        "max_depth": problem.limits.max_depth,
        "max_size": problem.limits.max_size,
        "min_rows": problem.min_rows,
        "below": _below(problem),
        "time_limit": time_limit,
        "memory_limit": memory_limit,
        "stop_at_gap": stop_at_gap,
        "switches": dict(switches or {}),
    }
    dataset = problem.dataset
    try:
        result = _native.solve(
            dataset.X,
            dataset.labels.astype(np.uint32),
            dataset.weights.astype(np.uint64),
            len(dataset.classes),
            settings,
            _listener(problem, on_progress),
        )
    except _native.CoreError as error:
        path = write_replay(problem, [str(error)])
        raise InternalError(
            f"{error}. Please report this defect of exactree with the file {path}, which holds "
            "the problem."
        ) from error
    return _outcome(problem, result)


def _below(problem: Problem) -> int | None:
    """Return the cost from which on a tree breaks `max_errors`, None without that limit."""
    if problem.most_errors is None:
        return None
    return (problem.most_errors + 1) * problem.leaf_price.error_price


def _listener(
    problem: Problem, on_progress: Callable[[Progress], object] | None
) -> Callable[[int | None, int, float], object] | None:
    if on_progress is None:
        return None

    def listen(cost: int | None, lower_bound: int, seconds: float) -> object:
        shown = None if cost is None else _cost_of(problem, cost)
        return on_progress(Progress(shown, _bound_of(problem, lower_bound, shown), seconds))

    return listen


def _outcome(problem: Problem, result: dict[str, Any]) -> Outcome:
    """Turn the answer of the core into an outcome in the user's units."""
    status, nodes = Status(result["status"]), result["nodes"]
    tree = None if nodes is None else grow(problem.dataset, nodes)
    cost = None if tree is None else cost_of_found(problem, tree)
    assert not isinstance(cost, tuple)  # `accepts` takes one quantity only
    lower_bound = _bound_of(problem, result["lower_bound"], cost)
    if status is Status.OPTIMAL and cost is not None:
        lower_bound = cost  # the same number; a substituted leaf price would round the bound
    stats = dict(result["stats"])
    if stats["first_incumbent"] is not None:
        stats["first_incumbent"] = _cost_of(problem, stats["first_incumbent"])
    reason = None
    if status is Status.INFEASIBLE:
        reason = (
            f"max_errors={problem.limits.max_errors}, but every tree within the other limits "
            f"makes at least {lower_bound} errors"
        )
    return Outcome(status, cost, lower_bound, tree, stats, result["stopped_by"], reason)


def _cost_of(problem: Problem, cost: int) -> int | Fraction:
    """Turn a cost of the core into the user's units, up to a substituted leaf price."""
    price, scale = problem.leaf_price.error_price, problem.dataset.weight_scale
    return plain(Fraction(cost, price * scale))


def _bound_of(problem: Problem, lower_bound: int, cost: int | Fraction | None) -> int | Fraction:
    """Turn a lower bound of the core into one in the user's units, never above the cost."""
    exact = problem.leaf_price.exact_lower_bound(lower_bound)
    bound = plain(exact / problem.dataset.weight_scale)
    return bound if cost is None else min(bound, cost)
