"""Calls of the searches for class costs: the cheapest tree, and pairs of both kinds of errors."""

from typing import Any

from exactree import _native
from exactree.engine.native.call import answer
from exactree.engine.native.request import ProgressCallback, SearchOptions
from exactree.problem import Problem

__all__ = ["least_class_costs", "pairs_between"]


def least_class_costs(
    problem: Problem,
    costs: dict[str, Any],
    options: dict[str, Any],
    callback: ProgressCallback | None,
) -> dict[str, Any]:
    """Search for the tree of minimum class costs.

    Parameters
    ----------
    problem : Problem
        The table and its limits; rules are thresholds.
    costs : dict
        The costs of leaves, for the native module.
    options : dict
        Limits of the search: time_limit, memory_limit, n_jobs, stop_at_gap and switches.
    callback : callable or None
        As in `SearchOptions`.

    Returns
    -------
    dict
        The result of the native module; costs in its integers.
    """
    settings = costs | {
        "max_depth": problem.limits.max_depth,
        "max_size": problem.most_size,
        "min_samples_leaf": problem.min_rows,
        "stop_at_gap": options["stop_at_gap"],
        "threads": options["n_jobs"],
    }
    search_options = SearchOptions(
        options["time_limit"], options["memory_limit"], 0.0, callback, options["switches"]
    )
    return answer(_native.class_costs_tree, problem, settings, search_options)


def pairs_between(
    problem: Problem,
    prices: tuple[int, int],
    ends: tuple[tuple[int, int], tuple[int, int]],
    time_limit: float | None,
) -> dict[str, Any]:
    """List all nondominated pairs of false positives and negatives between two given pairs.

    Parameters
    ----------
    problem : Problem
        The table of two classes and its limits; rules are thresholds.
    prices : pair of int
        The prices of both kinds of errors, by which the search prunes; positive.
    ends : pair of pairs of int
        The given pairs in integer weights; no tree dominates either.
    time_limit : float or None
        Seconds.

    Returns
    -------
    dict
        "pairs" has the weights, the nodes of a tree, and the classes its leaves predict.
    """
    by_class = [[0, prices[0]], [prices[1], 0]]
    if problem.positive == 0:
        by_class = [[0, prices[1]], [prices[0], 0]]
    settings = {
        "kind": "matrix",
        "by_class": by_class,
        "leaf_price": 0,
        "prices": prices,
        "positive": problem.positive,
        "ends": ends,
        "max_depth": problem.limits.max_depth,
        "max_size": problem.most_size,
        "min_samples_leaf": problem.min_rows,
        "stop_at_gap": 0.0,
        "threads": 1,
    }
    return answer(_native.pairs_between, problem, settings, SearchOptions.within(time_limit))
