"""The native search for regression trees."""

from collections.abc import Sequence
from dataclasses import replace

from exactree import _native
from exactree.engine.native.border import RegressionResult
from exactree.engine.native.call import regression_arrays_of, replay_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import RegressionSettings, TreeLimits
from exactree.errors import InternalError
from exactree.problem import Problem
from exactree.trees.arrays import ArrayNode

__all__ = ["minimum_deviation", "regression_settings"]


def minimum_deviation(
    problem: Problem,
    leaf_price: float,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None = None,
) -> RegressionResult:
    """Search for the tree with minimum squared or absolute error.

    Parameters
    ----------
    problem : Problem
        The table and its limits; rules are thresholds.
    leaf_price : float
        Price of a leaf, in the unit of the cost.
    options : SearchOptions
        Limits of the search.
    incumbent : sequence of nodes, optional
        A tree within the limits from which the search starts, in the form that
        `exactree.trees.arrays.grow` reads.

    Returns
    -------
    RegressionResult
        The result of the native module. `nodes` is None if the search was stopped before it found
        a tree, `cost` also if it was stopped before it computed the cost of a single leaf. No tree
        within the limits costs less than the lower bound, which is the cost of an optimal tree up
        to rounding.
    """
    settings = regression_settings(problem, leaf_price, options, incumbent)
    with replay_of(problem):
        found = _native.regression_tree(*regression_arrays_of(problem), settings, options.callback)
    if found.status != "optimal" and found.stopped_by is None:
        raise InternalError("the search for regressions ended without a proof or a reason")
    return replace(found, stats={**found.stats, "threads": options.threads})


def regression_settings(
    problem: Problem,
    leaf_price: float,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None,
) -> RegressionSettings:
    """Return the settings of a search for a regression.

    Parameters
    ----------
    problem, leaf_price, options, incumbent
        As in `minimum_deviation`.
    """
    limits = TreeLimits(
        max_depth=problem.limits.max_depth,
        max_size=problem.max_tree_size,
        min_samples_leaf=problem.min_rows,
    )
    return RegressionSettings(
        search=options.search_settings(limits),
        deviation=problem.error_term,
        leaf_price=leaf_price,
        incumbent=None if incumbent is None else list(incumbent),
    )
