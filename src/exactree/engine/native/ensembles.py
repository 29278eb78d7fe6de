"""Calls about ensembles: the best one, and all of the least sizes."""

from functools import partial
from typing import Any

from exactree import _native
from exactree.engine.native.call import answer, refused_by
from exactree.engine.native.request import SearchOptions
from exactree.problem import Problem

__all__ = ["ensemble_method", "list_ensembles", "most_errors"]


def ensemble_method(method: str, problem: Problem, options: SearchOptions) -> dict[str, Any]:
    """Search for the ensemble of fewest nodes, errors or least depth.

    Parameters
    ----------
    method : str
        "branch-and-bound", "witness" or "subsets".
    problem : Problem
        The table, the quantities to minimize, and the limits on sizes, depth, leaves and errors.
    options : How
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
        "min_samples_leaf": problem.min_rows,
        "leaves": _leaves_by_class(problem),
        "stop_at_gap": options.stop_at_gap,
    }
    with refused_by(method):
        return answer(partial(_native.ensemble_method, method), problem, settings, options)


def _leaves_by_class(problem: Problem) -> list[int]:
    """Return how many leaves of a tree may predict each class; empty if none are limited.

    A tree has no more leaves than the table has rows, so that number is no limit.
    """
    rows, classes = len(problem.dataset.X), range(len(problem.dataset.classes))
    limits = problem.leaf_limits
    return [min(limits.get(label, rows), rows) for label in classes] if limits else []


def most_errors(problem: Problem) -> int:
    """Return the integer weight that an ensemble may misclassify.

    Parameters
    ----------
    problem : Problem
        Its limit, or the weight of its table.
    """
    most = problem.most_errors
    return problem.dataset.total_weight if most is None else most


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
        "max_count": most,
    }
    options = SearchOptions.within(time_limit)
    with refused_by("witness"):
        return answer(_native.list_ensembles, problem, settings, options)
