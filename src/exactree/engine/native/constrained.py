"""Calls of the searches under constraints: errors, costs of classes, regressions."""

from exactree import _native
from exactree.engine.native.border import (
    ConstrainedClassCostsResult,
    ConstrainedErrorResult,
    ConstrainedRegressionResult,
)
from exactree.engine.native.call import examples_of, numbers_of, replay_of
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import (
    ConstrainedClassCostsSettings,
    ConstrainedErrorSettings,
    ConstrainedRegressionSettings,
)
from exactree.problem import Problem

__all__ = ["constrained_class_costs", "constrained_errors", "constrained_regression"]


def constrained_errors(
    problem: Problem, settings: ConstrainedErrorSettings, options: SearchOptions
) -> ConstrainedErrorResult:
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
) -> ConstrainedClassCostsResult:
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
) -> ConstrainedRegressionResult:
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
        return _native.constrained_regression(*numbers_of(problem), settings, options.callback)
