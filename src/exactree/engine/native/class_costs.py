"""Calls of the native searches for the tree of minimum class costs and for pairs of errors."""

from collections.abc import Sequence

from exactree import _native
from exactree.engine.native.border import ClassCostsResult, ErrorPairsResult
from exactree.engine.native.call import examples_of, replay_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import (
    ClassCostsSettings,
    CostsByClass,
    ErrorPairsSettings,
    MatrixCosts,
    TreeLimits,
)
from exactree.problem import Problem
from exactree.trees.arrays import ArrayNode

__all__ = ["class_costs_settings", "minimum_class_costs", "pairs_between"]


def minimum_class_costs(
    problem: Problem,
    costs: CostsByClass,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None = None,
) -> ClassCostsResult:
    """Search for the tree of minimum class costs.

    Parameters
    ----------
    problem : Problem
        The table and its limits; rules are thresholds.
    costs : CostsByClass
        The costs of leaves.
    options : SearchOptions
        Limits of the search.
    incumbent : sequence of nodes, optional
        A tree within the limits from which the search starts, in the form that
        `exactree.trees.arrays.grow` reads.

    Returns
    -------
    ClassCostsResult
        The result of the native module, with costs in its integer unit.
    """
    settings = class_costs_settings(problem, costs, options, incumbent)
    examples = examples_of(problem)
    with replay_of(problem):
        return _native.class_costs_tree(examples, settings, options.callback)


def class_costs_settings(
    problem: Problem,
    costs: CostsByClass,
    options: SearchOptions,
    incumbent: Sequence[ArrayNode] | None,
) -> ClassCostsSettings:
    """Return the settings of a search for minimum class costs.

    Parameters
    ----------
    problem, costs, options, incumbent
        As in `minimum_class_costs`.
    """
    limits = TreeLimits(
        max_depth=problem.limits.max_depth,
        max_size=problem.max_tree_size,
        min_samples_leaf=problem.min_rows,
    )
    return ClassCostsSettings(
        search=options.search_settings(limits),
        costs=costs,
        incumbent=None if incumbent is None else list(incumbent),
    )


def pairs_between(
    problem: Problem,
    prices: tuple[int, int],
    ends: tuple[tuple[int, int], tuple[int, int]],
    options: SearchOptions,
) -> ErrorPairsResult:
    """List all nondominated pairs of false positives and negatives between two given pairs.

    Parameters
    ----------
    problem : Problem
        The table of two classes and its limits; rules are thresholds.
    prices : pair of int
        Positive prices of a false positive and a false negative, by which the search prunes.
    ends : pair of pairs of int
        The given pairs in integer weights; no tree dominates either.
    options : SearchOptions
        Limits of the search, which has one thread and no gap. Its callback receives no incumbent.

    Returns
    -------
    ErrorPairsResult
        Each of `pairs` has both weights, the nodes of a tree and the classes its leaves predict.
        If the search was stopped, pairs may be missing or dominated.
    """
    by_class = [[0, prices[0]], [prices[1], 0]]
    if problem.positive == 0:
        by_class = [[0, prices[1]], [prices[0], 0]]
    costs = MatrixCosts(by_class=by_class, leaf_price=0)
    settings = ErrorPairsSettings(
        class_costs=class_costs_settings(problem, costs, options, None),
        prices=prices,
        positive=problem.positive,
        ends=ends,
    )
    examples = examples_of(problem)
    with replay_of(problem):
        return _native.pairs_between(examples, settings, options.callback)
