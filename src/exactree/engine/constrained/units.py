"""Costs of a problem under constraints, in the integers of the native search that minimizes them.

Plain errors have a search of their own. If all errors on a class cost the same, costs of classes
are plain errors with other weights (`engine/single_objective/class_weights.py`). Other costs of
classes, and regressions, are sums of costs of leaves.

Prices of leaves and features are exact, or rounded down to a common unit if they need more than 62
bits. Every tree then costs at most its exact cost, so a lower bound of the search is a lower bound
on exact costs. Weights of plain errors may be rounded as well; constraints are decided on exact
ones (`shares.py`).
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from exactree.data.dataset import Dataset
from exactree.data.weights import TOTAL_LIMIT
from exactree.engine.constrained.shares import Shares, shares_of
from exactree.engine.single_objective.class_units import ClassUnits, IntegerMatrix, share_units
from exactree.engine.single_objective.class_weights import InPlainErrors, in_plain_errors
from exactree.engine.single_objective.regression_tree import price_in_search
from exactree.objectives import ErrorCosts
from exactree.objectives.errors import weight_by_class
from exactree.objectives.penalty import SearchPrices
from exactree.objectives.smoothed import Smoothed
from exactree.problem import Problem

__all__ = ["ClassCostUnits", "ErrorUnits", "RegressionUnits", "Units", "units_of"]


@dataclass(frozen=True)
class ErrorUnits:
    """A problem in plain errors.

    Attributes
    ----------
    dataset : Dataset
        The examples, perhaps with other weights.
    prices : SearchPrices
        Prices in units of these weights.
    unit : Fraction
        The cost of an error of weight 1 there, in the user's unit.
    constant : Fraction
        The cost that every tree has in addition, in the user's unit.
    above, below : Fraction
        The maximum difference by which rounded weights can raise, and lower, the cost of a tree, in
        the user's unit.
    shares : Shares
        Weights in shares, and costs of errors.
    """

    dataset: Dataset
    prices: SearchPrices
    unit: Fraction
    constant: Fraction
    above: Fraction
    below: Fraction
    shares: Shares

    @property
    def rounding(self) -> Fraction:
        """The maximum difference of a cost of the search and the exact cost, in the user's unit."""
        return self.above + self.below + self.prices.shortfall * self.unit

    def cost(self, cost: int) -> Fraction:
        """Return a cost of the search in the user's unit, up to rounding and substituted prices."""
        return Fraction(cost, self.prices.error_price) * self.unit + self.constant

    def lower_bound(self, lower_bound: int) -> Fraction:
        """Return a lower bound of the search as one on exact costs, in the user's unit."""
        exact = self.prices.exact_lower_bound(lower_bound) * self.unit - self.above
        return max(exact, Fraction(0)) + self.constant


@dataclass(frozen=True)
class ClassCostUnits:
    """A problem in costs of classes.

    Attributes
    ----------
    units : ClassUnits
        The costs, and their meaning.
    prices : list of int or list of float
        The price of every feature.
    shares : Shares
        Weights in shares.
    """

    units: ClassUnits
    prices: list[int] | list[float]
    shares: Shares


@dataclass(frozen=True)
class RegressionUnits:
    """A regression.

    Attributes
    ----------
    leaf_price : float
        The price of a leaf.
    prices : list of float
        The price of every feature.
    """

    leaf_price: float
    prices: list[float]


Units = ErrorUnits | ClassCostUnits | RegressionUnits


def units_of(problem: Problem) -> Units | str:
    """Return the costs of a problem for its native search, or the reason to refuse it as a clause.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of one quantity unless errors are plain.
    """
    if problem.regression:
        return _of_regression(problem)
    if problem.plain_errors:
        return _of_plain_errors(problem)
    # Limits on leaves of classes do not change costs.
    plain = in_plain_errors(problem.within(replace(problem.limits, max_leaves_of=None)))
    if plain is None:
        return _of_class_costs(problem)
    units = _of_weighed_errors(problem, plain)
    if not (plain.rounded or units.prices.rounded):
        return units
    exact = _of_class_costs(problem)
    return units if isinstance(exact, str) else exact


def _exact_feature_prices(problem: Problem) -> list[Fraction]:
    """Return the price of every feature, in integer weights of the problem."""
    prices = problem.feature_constraints.prices
    count = problem.dataset.X.shape[1]
    return [prices.get(f, Fraction(0)) * problem.price_unit for f in range(count)]


def _leaf_is_feasible(problem: Problem) -> bool:
    """Return whether a single leaf satisfies all constraints, as far as that is evident."""
    limits = problem.limits.max_leaves_of, problem.max_error_weight
    return limits == (None, None) and not problem.feature_constraints.required


def _error_prices(problem: Problem, dataset: Dataset, unit: Fraction) -> SearchPrices:
    """Return prices in weights of a table, of which one unit costs `unit` in the user's unit."""
    rate = 1 / (problem.dataset.weight_scale * unit)
    features = [price * rate for price in _exact_feature_prices(problem)]
    leaf, total = problem.exact_leaf_price * rate, dataset.total_weight
    weights = total, total - max(weight_by_class(dataset))
    feasible = _leaf_is_feasible(problem)
    return SearchPrices.with_features(
        leaf, features, weights, problem.max_leaves, leaf_is_feasible=feasible
    )


def _of_plain_errors(problem: Problem) -> ErrorUnits:
    dataset, nothing = problem.dataset, Fraction(0)
    unit = Fraction(1, dataset.weight_scale)
    prices = _error_prices(problem, dataset, unit)
    return ErrorUnits(dataset, prices, unit, nothing, nothing, nothing, shares_of(problem))


def _of_weighed_errors(problem: Problem, plain: InPlainErrors) -> ErrorUnits:
    """Return costs of classes as plain errors with other weights, which may be rounded.

    The constraints compare the weights of the problem.
    """
    weighed = plain.problem.dataset
    unit = plain.unit / weighed.weight_scale
    prices = _error_prices(problem, weighed, unit)
    shares = shares_of(problem, plain.factors)
    return ErrorUnits(weighed, prices, unit, plain.constant, plain.above, plain.below, shares)


def _of_class_costs(problem: Problem) -> ClassCostUnits | str:
    term, features = problem.term, _exact_feature_prices(problem)
    if isinstance(term, Smoothed):
        units, prices = share_units(problem, term), [float(price) for price in features]
        return ClassCostUnits(units, prices, shares_of(problem))
    assert isinstance(term, ErrorCosts)
    matrix = IntegerMatrix.of(problem, term)
    if matrix.greatest >= TOTAL_LIMIT:
        what = "this cost_matrix" if problem.costs is not None else f"{problem.error_term!r}"
        return f"costs of {what} with these weights are integers of more than 62 bits"
    exact = SearchPrices.with_features(
        problem.exact_leaf_price * matrix.scale,
        [price * matrix.scale for price in features],
        (matrix.greatest, matrix.of_one_leaf),
        problem.max_leaves,
        leaf_is_feasible=_leaf_is_feasible(problem),
    )
    return ClassCostUnits(
        matrix.units(exact, exact.shortfall), [*exact.features], shares_of(problem)
    )


def _of_regression(problem: Problem) -> RegressionUnits:
    prices = problem.feature_constraints.prices
    count = problem.dataset.X.shape[1]
    of_features = [price_in_search(problem, prices.get(f, Fraction(0))) for f in range(count)]
    return RegressionUnits(price_in_search(problem, problem.leaf_penalty), of_features)
