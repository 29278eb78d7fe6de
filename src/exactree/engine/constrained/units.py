"""Costs of a problem under constraints, in the integers of the native search that minimizes them.

Plain errors have a search of their own. If all errors on a class cost the same, costs of classes
are plain errors with other weights (`engine/single_objective/class_weights.py`). Other costs of
classes, and regressions, are sums of costs of leaves.

Prices of leaves and features are exact, or rounded down to a common unit if they need more than 62
bits. Every tree then costs at most its exact cost, so a lower bound of the search is a lower bound
on exact costs. Weights of plain errors may be rounded as well, if no constraint depends on weights.
"""

from dataclasses import dataclass, replace
from fractions import Fraction

from exactree.data.dataset import Dataset
from exactree.data.weights import TOTAL_LIMIT
from exactree.engine.constrained.shares import Shares, needs_weights, shares_of
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
        Weights in shares.
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
    if plain is not None and not plain.rounded:
        units = _of_weighed_errors(problem, plain)
        if units is not None:
            return units
    found = _of_class_costs(problem)
    if isinstance(found, str) and plain is not None and not needs_weights(problem):
        return _of_rounded_errors(problem, plain)
    return found


_SHARES_TOO_LONG = (
    "the shares of the classes in its leaves are fractions of more than 62 bits with these weights "
    "and this smoothing, and monotonic_cst compares them exactly; round the weights, or use "
    "smoothing='laplace' or monotonic_in='prediction'"
)


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


def _of_plain_errors(problem: Problem) -> ErrorUnits | str:
    dataset, nothing = problem.dataset, Fraction(0)
    unit = Fraction(1, dataset.weight_scale)
    shares = shares_of(problem, [Fraction(1)] * len(dataset.classes))
    if shares is None:
        return _SHARES_TOO_LONG
    prices = _error_prices(problem, dataset, unit)
    return ErrorUnits(dataset, prices, unit, nothing, nothing, nothing, shares)


def _of_weighed_errors(problem: Problem, plain: InPlainErrors) -> ErrorUnits | None:
    """Return exact costs of classes as plain errors; None if that needs more than 62 bits."""
    dataset, weighed = problem.dataset, plain.problem.dataset
    # By class, the integer weight of the problem for a unit of weight; 1 for a class without rows.
    rates = [Fraction(1)] * len(dataset.classes)
    for label, own, other in zip(dataset.labels, dataset.weights, weighed.weights, strict=True):
        rates[label] = Fraction(int(own), int(other))
    shares = shares_of(problem, rates)
    unit = plain.unit / weighed.weight_scale
    prices = _error_prices(problem, weighed, unit)
    if shares is None or prices.rounded:
        return None
    return ErrorUnits(weighed, prices, unit, plain.constant, Fraction(0), Fraction(0), shares)


def _of_rounded_errors(problem: Problem, plain: InPlainErrors) -> ErrorUnits:
    """Return costs of classes as plain errors with rounded weights.

    The constraints do not depend on weights, so the shares do not matter.
    """
    weighed = plain.problem.dataset
    ones = (1,) * len(weighed.classes)
    unit = plain.unit / weighed.weight_scale
    prices = _error_prices(problem, weighed, unit)
    shares = Shares(ones, (0,) * len(ones), 1)
    return ErrorUnits(weighed, prices, unit, plain.constant, plain.above, plain.below, shares)


def _of_class_costs(problem: Problem) -> ClassCostUnits | str:
    term, features = problem.term, _exact_feature_prices(problem)
    shares = shares_of(problem, [Fraction(1)] * len(problem.dataset.classes))
    if isinstance(term, Smoothed):
        units, prices = share_units(problem, term), [float(price) for price in features]
        return _SHARES_TOO_LONG if shares is None else ClassCostUnits(units, prices, shares)
    assert isinstance(term, ErrorCosts)
    matrix = IntegerMatrix.of(problem, term)
    if matrix.greatest >= TOTAL_LIMIT:
        what = "this cost_matrix" if problem.costs is not None else f"{problem.error_term!r}"
        return f"costs of {what} with these weights are integers of more than 62 bits"
    if shares is None:
        return _SHARES_TOO_LONG
    exact = SearchPrices.with_features(
        problem.exact_leaf_price * matrix.scale,
        [price * matrix.scale for price in features],
        (matrix.greatest, matrix.of_one_leaf),
        problem.max_leaves,
        leaf_is_feasible=_leaf_is_feasible(problem),
    )
    return ClassCostUnits(matrix.units(exact, exact.shortfall), [*exact.features], shares)


def _of_regression(problem: Problem) -> RegressionUnits:
    prices = problem.feature_constraints.prices
    count = problem.dataset.X.shape[1]
    of_features = [price_in_search(problem, prices.get(f, Fraction(0))) for f in range(count)]
    return RegressionUnits(price_in_search(problem, problem.leaf_penalty), of_features)
