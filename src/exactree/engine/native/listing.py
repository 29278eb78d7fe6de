"""Calls that count and list all trees with given cost, size and depth."""

from dataclasses import asdict
from typing import Any

from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.call import answer, replay_of
from exactree.engine.native.request import ListingRequest, SearchOptions
from exactree.problem import Problem

__all__ = ["count_trees", "list_trees", "next_trees"]


def count_trees(problem: Problem, wanted: ListingRequest, options: SearchOptions) -> dict[str, Any]:
    """Count all trees with given cost, size and depth.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    wanted : ListingRequest
        The requested cost, size, depth and shape.
    options : SearchOptions
        Limits of time and memory.

    Returns
    -------
    dict
        The result of the native module: "count" is None if it was stopped.
    """
    return answer(_native.count_trees, problem, _settings(problem, wanted), options)


def list_trees(
    problem: Problem, wanted: ListingRequest, options: SearchOptions
) -> _native.AllTrees:
    """Begin to list all trees with given cost, size and depth.

    Parameters
    ----------
    problem, wanted, options
        As in `count_trees`.

    Returns
    -------
    AllTrees
        The list to pass to `next_trees`; the search ends when the list is deleted.
    """

    def start(*arguments: Any) -> _native.AllTrees:
        return _native.list_trees(*arguments[:-1])  # without progress

    return answer(start, problem, _settings(problem, wanted), options)


def next_trees(problem: Problem, trees: _native.AllTrees) -> dict[str, NDArray[Any]] | bool:
    """Return the next trees of a list; after the last tree, whether the list is complete.

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
    with replay_of(problem):
        return trees.next_trees()


def _settings(problem: Problem, wanted: ListingRequest) -> dict[str, Any]:
    price = problem.leaf_price
    prices = {"error_price": price.error_price, "leaf_price": price.leaf_price}
    return prices | asdict(wanted) | {"min_samples_leaf": problem.min_rows}
