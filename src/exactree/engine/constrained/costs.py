"""Costs of classes and regressions under constraints: the native search for sums of costs."""

from dataclasses import replace
from functools import partial

from exactree.engine.constrained.settings import constraint_settings
from exactree.engine.constrained.shares import Shares
from exactree.engine.constrained.trees import RankedTrees
from exactree.engine.constrained.units import ClassCostUnits, RegressionUnits
from exactree.engine.native.border import ClassCostsResult, RegressionResult
from exactree.engine.native.class_costs import class_costs_settings
from exactree.engine.native.constrained import ConstrainedSearches
from exactree.engine.native.regression import regression_settings
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import (
    ConstrainedClassCostsSettings,
    ConstrainedRegressionSettings,
)
from exactree.engine.single_objective.class_costs import outcome_of_class_costs
from exactree.engine.single_objective.regression_tree import outcome_of_regression
from exactree.problem import Listener, Outcome
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = ["minimum_class_costs_outcome", "minimum_deviation_outcome"]


def minimum_class_costs_outcome(
    trees: RankedTrees,
    units: ClassCostUnits,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> Outcome:
    """Return the tree of minimum class costs, with prices.

    Parameters
    ----------
    trees : RankedTrees
        The problem.
    units : ClassCostUnits
        Its costs.
    options : SearchOptions
        Limits of the search.
    on_progress : callable or None
        As in `solve`.
    incumbent : list of nodes or None
        A tree to start from.
    searches : ConstrainedSearches
        The native searches to run.
    """
    encoded = trees.encoded
    constraints = constraint_settings(trees, units.shares, incumbent)

    def search(options: SearchOptions) -> ClassCostsResult:
        settings = ConstrainedClassCostsSettings(
            costs=class_costs_settings(encoded.problem, units.units.by_class, options, None),
            constraints=constraints,
            prices=units.prices,
        )
        return searches.class_costs(encoded.problem, settings, options)

    tree_of = partial(_tree_of, trees, rounded=not units.units.exact)
    return outcome_of_class_costs(
        encoded.original, units.units, options, on_progress, search, tree_of
    )


def minimum_deviation_outcome(
    trees: RankedTrees,
    units: RegressionUnits,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> Outcome:
    """Return the regression tree of minimum error, with prices.

    Parameters
    ----------
    trees, options, on_progress, incumbent, searches
        As in `minimum_class_costs_outcome`.
    units : RegressionUnits
        The prices.
    """
    encoded = trees.encoded
    constraints = constraint_settings(trees, Shares(), incumbent)

    def search(options: SearchOptions) -> RegressionResult:
        settings = ConstrainedRegressionSettings(
            costs=regression_settings(encoded.problem, units.leaf_price, options, None),
            constraints=constraints,
            prices=units.prices,
        )
        found = searches.regression(encoded.problem, settings, options)
        return replace(found, stats={**found.stats, "threads": options.threads})

    tree_of = partial(_tree_of, trees, rounded=True)
    return outcome_of_regression(encoded.original, options, on_progress, search, tree_of, None)


def _tree_of(
    trees: RankedTrees, found: ClassCostsResult | RegressionResult, *, rounded: bool
) -> Tree | None:
    """Return the tree of a result.

    A search in rounded costs cannot distinguish a node that saves nothing from a node that saves a
    little.
    """
    if found.nodes is None:
        return None
    ranked = trees.of_nodes(found.nodes)
    return trees.fitted(trees.reduced(ranked) if rounded else ranked)
