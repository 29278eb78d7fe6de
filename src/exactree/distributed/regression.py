"""Regression by many workers: conversion of a problem to a request, and of its result."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

from exactree.distributed.irreducible import irreducible
from exactree.distributed.pool import Cluster, WorkerCount
from exactree.distributed.regression_request import RegressionRequest
from exactree.distributed.scheduler import shared
from exactree.engine.native.border import RegressionStats
from exactree.engine.native.regression import MinimumDeviation, minimum_deviation
from exactree.engine.native.request import SearchOptions
from exactree.problem import Problem
from exactree.stopping import Deadline, Stopped

__all__ = ["is_shared_regression", "shared_regression"]

BoundListener = Callable[[float | None, float, float], object]


def is_shared_regression(problem: Problem) -> bool:
    """Return whether workers share the search of a regression.

    They do not with a limit on the size that is stricter than the depth, because the two children
    of the root can divide it between them in many ways, each of which needs separate searches.

    Parameters
    ----------
    problem : Problem
        The regression problem to solve.
    """
    depth, size = problem.limits.max_depth, problem.max_tree_size
    deep = depth is None or depth > 2
    limited = size is not None and (depth is None or size < 2**depth - 1)
    return deep and not limited and len(problem.quantities) == 1


def shared_regression(
    problem: Problem,
    *,
    cluster: Cluster,
    resume: Path | None,
    worker_count: WorkerCount,
    time_limit: float | None,
    stop_at_gap: float,
    on_progress: BoundListener | None,
    max_size: int | None,
    **settings: Any,
) -> MinimumDeviation:
    """Search for the tree of minimum squared or absolute error, with all workers.

    Parameters
    ----------
    problem : Problem
        A problem in columns, for which `is_shared_regression` is true.
    cluster, resume, worker_count
        As in `exactree.distributed.scheduler.shared`.
    time_limit, stop_at_gap, on_progress
        As in `minimum_deviation`.
    max_size : int or None
        Without effect: if `is_shared_regression` is true, it is not stricter than the depth.
    **settings
        Other keywords of `minimum_deviation`.

    Returns
    -------
    MinimumDeviation
        As returned by `minimum_deviation`.
    """
    dataset = problem.dataset
    table = (dataset.X, dataset.targets, dataset.weights)
    settings["deviation"] = problem.error_term
    deadline = Deadline(time_limit)
    leaf = minimum_deviation(*table, **settings | {"max_depth": 0, "time_limit": time_limit})
    if leaf.cost is None:  # stopped before the cost was computed
        return leaf
    request = RegressionRequest(*table, leaf.cost, settings)
    units = request.units

    def callback(cost: int | None, lower_bound: int, seconds: float) -> object:
        assert on_progress is not None
        value = None if cost is None else units.value(cost)
        return on_progress(value, units.value(lower_bound), seconds)

    listener = None if on_progress is None else callback
    options = SearchOptions(
        deadline.left(), None, stop_at_gap, listener, settings["switches"], settings["n_jobs"]
    )
    try:
        found = shared(
            request, options, below=None, cluster=cluster, resume=resume, worker_count=worker_count
        )
    except Stopped as stopped:
        leaf_stats: RegressionStats = {**leaf.stats, "progress": []}
        return MinimumDeviation(leaf.nodes, leaf.cost, 0.0, stopped.by, leaf_stats)
    stats: dict[str, Any] = {**found.stats}
    rounding = stats.get("rounding", 0)
    stats["rounding"] = units.value(rounding)
    stats["progress"] = [
        (None if cost is None else units.value(cost), units.value(bound), seconds)
        for cost, bound, seconds in stats["progress"]
    ]
    nodes = None if found.nodes is None else irreducible(problem, found.nodes)
    cost = None if found.cost is None else units.value(found.cost)
    lower_bound = units.value(max(found.lower_bound - rounding, 0))
    all_stats = cast(RegressionStats, stats)  # with statistics of the run
    return MinimumDeviation(nodes, cost, lower_bound, found.stopped_by, all_stats)
