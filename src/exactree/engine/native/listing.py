"""Calls that count and list all trees with given cost, size and depth."""

from exactree import _native
from exactree.engine.native.border import CountResult
from exactree.engine.native.call import examples_of, replay_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import ListingRequest, ListingSettings
from exactree.problem import Problem
from exactree.trees.arrays import TreeColumns

__all__ = ["count_trees", "list_trees", "next_trees"]


def count_trees(problem: Problem, request: ListingRequest, options: SearchOptions) -> CountResult:
    """Count all trees with given cost, size and depth.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    request : ListingRequest
        The requested cost, size, depth and shape.
    options : SearchOptions
        Limits of time and memory.

    Returns
    -------
    CountResult
        The result of the native module: `count` is None if it was stopped.
    """
    examples, settings = examples_of(problem), _settings(problem, request, options)
    with replay_of(problem):
        return _native.count_trees(examples, settings, options.callback)


def list_trees(
    problem: Problem, request: ListingRequest, options: SearchOptions
) -> _native.AllTrees:
    """Begin to list all trees with given cost, size and depth.

    Parameters
    ----------
    problem, request, options
        As in `count_trees`; progress is not reported.

    Returns
    -------
    AllTrees
        The list to pass to `next_trees`; the search ends when the list is deleted.
    """
    examples, settings = examples_of(problem), _settings(problem, request, options)
    with replay_of(problem):
        return _native.list_trees(examples, settings)


def next_trees(problem: Problem, trees: _native.AllTrees) -> TreeColumns | bool:
    """Return the next trees of a list; when none are left, return whether the list is complete.

    Parameters
    ----------
    problem : Problem
        The table.
    trees : AllTrees
        The list.

    Returns
    -------
    TreeColumns or bool
        Columns for `exactree.trees.arrays.grow_all`. Ctrl-C raises `KeyboardInterrupt`.
    """
    with replay_of(problem):
        return trees.next_trees()


def _settings(problem: Problem, request: ListingRequest, options: SearchOptions) -> ListingSettings:
    price = problem.leaf_price
    return ListingSettings(
        resources=options.resources,
        error_price=price.error_price,
        leaf_price=price.leaf_price,
        min_samples_leaf=problem.min_rows,
        request=request,
    )
