"""Calls of the searches under constraints: errors, costs of classes, regressions.

The nodes of their results have thresholds between neighbouring values of the whole table: two
thresholds between the same values of a subset split it alike, but different points of the feature
space.
"""

from collections.abc import Callable
from dataclasses import dataclass

from exactree import _native
from exactree.engine.native.border import ClassCostsResult, RegressionResult, SearchResult
from exactree.engine.native.call import examples_of, regression_arrays_of, replay_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import (
    ConstrainedClassCostsSettings,
    ConstrainedErrorSettings,
    ConstrainedRegressionSettings,
)
from exactree.problem import Problem
from exactree.trees.arrays import ArrayNode

__all__ = [
    "IN_THIS_PROCESS",
    "ConstrainedSearches",
    "constrained_class_costs",
    "constrained_errors",
    "constrained_regression",
]


def constrained_errors(
    problem: Problem, settings: ConstrainedErrorSettings, options: SearchOptions
) -> SearchResult[list[ArrayNode]]:
    """Search for the tree with minimum errors plus prices that satisfies constraints.

    Parameters
    ----------
    problem : Problem
        The table.
    settings : ConstrainedErrorSettings
        Prices, limits and constraints.
    options : SearchOptions
        Its callback receives costs in integers of the search.
    """
    examples = examples_of(problem)
    with replay_of(problem):
        return _native.constrained_errors(examples, settings, options.callback)


def constrained_class_costs(
    problem: Problem, settings: ConstrainedClassCostsSettings, options: SearchOptions
) -> ClassCostsResult:
    """Search for the tree with minimum class costs plus prices that satisfies constraints.

    Parameters
    ----------
    problem : Problem
        The table.
    settings : ConstrainedClassCostsSettings
        Costs, prices, limits and constraints.
    options : SearchOptions
        Its callback receives costs as in `minimum_class_costs`.
    """
    examples = examples_of(problem)
    with replay_of(problem):
        return _native.constrained_class_costs(examples, settings, options.callback)


def constrained_regression(
    problem: Problem, settings: ConstrainedRegressionSettings, options: SearchOptions
) -> RegressionResult:
    """Search for the regression tree with minimum error plus prices that satisfies constraints.

    Parameters
    ----------
    problem : Problem
        The table.
    settings : ConstrainedRegressionSettings
        Kind of error, prices, limits and constraints.
    options : SearchOptions
        Its callback receives costs in the unit of the targets.
    """
    with replay_of(problem):
        return _native.constrained_regression(
            *regression_arrays_of(problem), settings, options.callback
        )


@dataclass(frozen=True)
class ConstrainedSearches:
    """The native searches under constraints that the engine runs: those of this file, or others.

    Attributes
    ----------
    errors, class_costs, regression : callable
        As `constrained_errors`, `constrained_class_costs` and `constrained_regression`.
    """

    errors: Callable[
        [Problem, ConstrainedErrorSettings, SearchOptions], SearchResult[list[ArrayNode]]
    ] = constrained_errors
    class_costs: Callable[
        [Problem, ConstrainedClassCostsSettings, SearchOptions], ClassCostsResult
    ] = constrained_class_costs
    regression: Callable[
        [Problem, ConstrainedRegressionSettings, SearchOptions], RegressionResult
    ] = constrained_regression


IN_THIS_PROCESS = ConstrainedSearches()
