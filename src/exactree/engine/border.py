"""Calls of the native module: arguments in, dictionaries out; its failures become errors.

Length: one function for each function of the native module, and what all of them share.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.engine.asked import Caps, Heard, How, Wanted
from exactree.engine.switches import switches_of
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Problem
from exactree.problem.recount import write_replay
from exactree.rules import AxisParallel

__all__ = [
    "cost_settings",
    "count_trees",
    "ensemble_method",
    "largest_difference",
    "least_class_costs",
    "least_errors",
    "least_size",
    "list_ensembles",
    "list_trees",
    "most_errors",
    "next_trees",
    "pairs_between",
    "paper_method",
    "proper_tree",
]

Answer = TypeVar("Answer")


def ensemble_method(method: str, problem: Problem, how: How) -> dict[str, Any]:
    """Search for the ensemble of fewest nodes, errors or least depth.

    Parameters
    ----------
    method : str
        "branch-and-bound", "witness" or "subsets".
    problem : Problem
        The table, the quantities to minimize, and the limits on sizes, depth and errors.
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; the lower bound is a list, one for every quantity, and a
        tree is a pair of its nodes and the classes of its leaves.

    Raises
    ------
    MethodRefused
        If the table is too large for the method.
    """
    settings = {
        "n_trees": problem.n_trees,
        "quantities": list(problem.quantities),
        "errors": most_errors(problem),
        "max_size": problem.limits.max_size,
        "max_depth": problem.limits.max_depth,
        "max_total_size": problem.limits.max_total_size,
        "stop_at_gap": how.stop_at_gap,
    }
    with _refusing(method):
        return _call(partial(_native.ensemble_method, method), problem, settings, how)


def most_errors(problem: Problem) -> int:
    """Return the integer weight that an ensemble may misclassify.

    Parameters
    ----------
    problem : Problem
        Its limit, or the weight of its table.
    """
    most = problem.most_errors
    return problem.dataset.total_weight if most is None else most


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


def least_errors(problem: Problem, caps: Caps, how: How) -> dict[str, Any]:
    """Search for the tree of least errors plus leaf prices within caps.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    caps : Caps
        What the tree may have.
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs in its integers.
    """
    settings = cost_settings(problem, caps, how)
    how = replace(how, switches=switches_of("least-errors", how.switches))
    return _call(partial(_native.search, "least-errors"), problem, settings, how)


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
    return _call(_native.class_costs_tree, problem, settings, told)


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
    return _call(_native.pairs_between, problem, settings, How.within(time_limit))


def cost_settings(problem: Problem, caps: Caps, how: How) -> dict[str, Any]:
    """Return the settings of a search for least errors.

    Parameters
    ----------
    problem, caps, how
        As in `least_errors`.
    """
    price = problem.leaf_price
    of_errors = None if caps.errors is None else (caps.errors + 1) * price.error_price
    below = [cost for cost in (of_errors, caps.below) if cost is not None]
    return {
        "error_price": price.error_price,
        "leaf_price": price.leaf_price,
        "max_depth": caps.depth,
        "max_size": caps.size,
        "min_rows": problem.min_rows,
        "below": min(below, default=None),
        "stop_at_gap": how.stop_at_gap,
        "threads": how.threads,
    }


def proper_tree(problem: Problem, bits: NDArray[np.uint8], caps: Caps, how: How) -> dict[str, Any]:
    """Search for the tree of least errors plus leaf prices over given dichotomies.

    Parameters
    ----------
    problem : Problem
        The examples, the prices and the limits on leaves of a class.
    bits : ndarray of uint8, shape (m, bytes)
        For each dichotomy the rows that go left as bits, lowest bits first.
    caps, how
        As in `least_errors`.

    Returns
    -------
    dict
        What the native module answers; a node is its dichotomy and its two children.
    """
    settings = cost_settings(problem, caps, how) | {"leaves": list(problem.leaf_limits.items())}

    def search(_: Any, *examples: Any) -> dict[str, Any]:
        return _native.proper_tree(bits, *examples)

    return _search(search, problem, settings, how)


def least_size(problem: Problem, caps: Caps, how: How) -> dict[str, Any]:
    """Search for the tree of fewest nodes within caps; leaves may hold any number of rows.

    Parameters
    ----------
    problem : Problem
        The table and the limits on leaves of a class, which need that no errors are allowed.
    caps : Caps
        What the tree may have; `errors` must be stated.
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs are sizes.
    """
    settings = {
        "max_depth": caps.depth,
        "max_size": caps.size,
        "errors": caps.errors,
        "leaves": list(problem.leaf_limits.items()),
    }
    how = replace(how, switches=switches_of("least-size", how.switches))
    return _call(partial(_native.search, "least-size"), problem, settings, how)


def paper_method(method: str, problem: Problem, quantity: str, how: How) -> dict[str, Any]:
    """Search for the tree of fewest nodes, or of least depth, by one of the papers' methods.

    Parameters
    ----------
    method : str
        "box", "subsets", "support-sets", "threshold" or "witness".
    problem : Problem
        The table and its limits; those on errors must be stated.
    quantity : str
        "size" or "depth".
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs are sizes, or depths.

    Raises
    ------
    MethodRefused
        If the table is too large for the method.
    """
    settings = {
        "minimize": quantity,
        "max_size": problem.most_size,
        "max_depth": problem.limits.max_depth,
        "errors": problem.most_errors,
        "leaves": list(problem.leaf_limits.items()),
    }
    with _refusing(method):
        return _call(partial(_native.search, method), problem, settings, how)


@contextmanager
def _refusing(method: str) -> Iterator[None]:
    """Turn the refusal of a table too large into `MethodRefused`."""
    try:
        yield
    except _native.Refused as refused:
        raise MethodRefused(f"method={method!r}: {refused}") from refused


def count_trees(problem: Problem, wanted: Wanted, time_limit: float | None) -> dict[str, Any]:
    """Count all trees that have certain numbers.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    wanted : Wanted
        The numbers.
    time_limit : float or None
        Seconds.

    Returns
    -------
    dict
        What the native module answers: "count" is None if it was stopped.
    """
    how = How.within(time_limit)
    return _call(_native.count_trees, problem, _settings(problem, wanted), how)


def list_trees(problem: Problem, wanted: Wanted, time_limit: float | None) -> _native.AllTrees:
    """Begin to list all trees that have certain numbers.

    Parameters
    ----------
    problem, wanted, time_limit
        As in `count_trees`.

    Returns
    -------
    AllTrees
        What `next_trees` is asked for; the search ends when it is forgotten.
    """

    def start(*arguments: Any) -> _native.AllTrees:
        return _native.list_trees(*arguments[:-1])  # nobody is told of its progress

    how = How.within(time_limit)
    return _call(start, problem, _settings(problem, wanted), how)


def list_ensembles(
    problem: Problem, sizes: tuple[int, int], errors: int, most: int, time_limit: float | None
) -> dict[str, Any]:
    """List all ensembles of the least sizes, which are known.

    Parameters
    ----------
    problem : Problem
        The table, the number of trees and the limit on depth.
    sizes : pair of int
        Nodes of all trees together, and of the largest tree, at most.
    errors : int
        Misclassified integer weight at most; with so much the sizes are the least.
    most : int
        How many ensembles are listed at most.
    time_limit : float or None
        Seconds.

    Returns
    -------
    dict
        "ensembles", with trees as in `ensemble_method`; "complete" says whether these are all.

    Raises
    ------
    MethodRefused
        If the table is too large.
    """
    settings: dict[str, Any] = {
        "n_trees": problem.n_trees,
        "errors": errors,
        "max_depth": problem.limits.max_depth,
        "sizes": sizes,
        "most": most,
    }
    how = How.within(time_limit)
    with _refusing("witness"):
        return _call(_native.list_ensembles, problem, settings, how)


def next_trees(problem: Problem, trees: _native.AllTrees) -> dict[str, NDArray[Any]] | bool:
    """Return the next few trees of a list; after the last ones, whether these were all.

    Parameters
    ----------
    problem : Problem
        The table.
    trees : AllTrees
        The list.

    Returns
    -------
    dict or bool
        Columns for `exactree.trees.arrays.grow_all`. Ctrl-C raises `KeyboardInterrupt`.
    """
    with _replayed(problem):
        return trees.next_trees()


def _settings(problem: Problem, wanted: Wanted) -> dict[str, Any]:
    price = problem.leaf_price
    prices = {"error_price": price.error_price, "leaf_price": price.leaf_price}
    return prices | asdict(wanted) | {"min_rows": problem.min_rows}


def _call(
    search: Callable[..., Answer],
    problem: Problem,
    settings: dict[str, Any],
    how: How,
) -> Answer:
    """Run a native search; rules are thresholds only."""
    if problem.rules != AxisParallel():
        # Codes would silently be numbers.
        raise InternalError("a native search was given a problem that is not stated in columns")
    return _search(search, problem, settings, how)


def _search(
    search: Callable[..., Answer],
    problem: Problem,
    settings: dict[str, Any],
    how: How,
) -> Answer:
    settings |= {
        "time_limit": how.time_limit,
        "memory_limit": how.memory_limit,
        "switches": how.switches,
    }
    dataset = problem.dataset
    with _replayed(problem):
        return search(
            dataset.X,
            dataset.labels.astype(np.uint32),
            dataset.weights.astype(np.uint64),
            len(dataset.classes),
            settings,
            how.heard,
        )


@contextmanager
def _replayed(problem: Problem) -> Iterator[None]:
    """Turn a fault of the native module into an error with a file to replay it."""
    try:
        yield
    except _native.CoreError as error:
        path = write_replay(problem, [str(error)])
        raise InternalError(
            f"{error}. Please report this defect of exactree with the file {path}, which holds "
            "the problem."
        ) from error
