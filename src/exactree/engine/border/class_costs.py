"""Calls that count costs of classes: the tree of least costs, and pairs of both kinds of errors."""

from typing import Any

from exactree import _native
from exactree.engine.asked import Heard, How
from exactree.engine.border.answer import answer
from exactree.problem import Problem

__all__ = ["least_class_costs", "pairs_between"]


def least_class_costs(
    problem: Problem, costs: dict[str, Any], how: dict[str, Any], heard: Heard | None
) -> dict[str, Any]:
    """Search for the tree of least costs of classes.

    Parameters
    ----------
    problem : Problem
        The table and its limits; rules are thresholds.
    costs : dict
        What leaves cost, for the native module.
    how : dict
        Limits of the search: time_limit, memory_limit, n_jobs, stop_at_gap and switches.
    heard : callable or None
        As in `How`.

    Returns
    -------
    dict
        What the native module answers; costs in its integers.
    """
    settings = costs | {
        "max_depth": problem.limits.max_depth,
        "max_size": problem.most_size,
        "min_rows": problem.min_rows,
        "stop_at_gap": how["stop_at_gap"],
        "threads": how["n_jobs"],
    }
    told = How(how["time_limit"], how["memory_limit"], 0.0, heard, how["switches"])
    return answer(_native.class_costs_tree, problem, settings, told)


def pairs_between(
    problem: Problem,
    prices: tuple[int, int],
    ends: tuple[tuple[int, int], tuple[int, int]],
    time_limit: float | None,
) -> dict[str, Any]:
    """List all best pairs of false positives and negatives that lie between two of them.

    Parameters
    ----------
    problem : Problem
        The table of two classes and its limits; rules are thresholds.
    prices : pair of int
        Of both kinds of errors, by which the search discards; positive.
    ends : pair of pairs of int
        Integer weights; no tree beats either.
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
        "min_rows": problem.min_rows,
        "stop_at_gap": 0.0,
        "threads": 1,
    }
    return answer(_native.pairs_between, problem, settings, How.within(time_limit))
