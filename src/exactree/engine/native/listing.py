"""Calls that count and list all trees that have certain numbers."""

from dataclasses import asdict
from typing import Any

from numpy.typing import NDArray

from exactree import _native
from exactree.engine.native.call import answer, replay_of
from exactree.engine.native.request import ListingRequest, SearchOptions
from exactree.problem import Problem

__all__ = ["count_trees", "list_trees", "next_trees"]


def count_trees(problem: Problem, wanted: ListingRequest, options: SearchOptions) -> dict[str, Any]:
    """Count all trees that have certain numbers.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    wanted : Wanted
        The numbers.
    options : How
        Limits of time and memory.

    Returns
    -------
    dict
        What the native module answers: "count" is None if it was stopped.
    """
    return answer(_native.count_trees, problem, _settings(problem, wanted), options)


def list_trees(
    problem: Problem, wanted: ListingRequest, options: SearchOptions
) -> _native.AllTrees:
    """Begin to list all trees that have certain numbers.

    Parameters
    ----------
    problem, wanted, options
        As in `count_trees`.

    Returns
    -------
    AllTrees
        What `next_trees` is requested; the search ends when it is forgotten.
    """

    def start(*arguments: Any) -> _native.AllTrees:
        return _native.list_trees(*arguments[:-1])  # nobody is reported of its progress

    return answer(start, problem, _settings(problem, wanted), options)


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
    with replay_of(problem):
        return trees.next_trees()


def _settings(problem: Problem, wanted: ListingRequest) -> dict[str, Any]:
    price = problem.leaf_price
    prices = {"error_price": price.error_price, "leaf_price": price.leaf_price}
    return prices | asdict(wanted) | {"min_samples_leaf": problem.min_rows}
