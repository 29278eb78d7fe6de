"""Costs of classes in the integers of the native search, and back."""

from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from exactree.data.weights import TOTAL_LIMIT
from exactree.engine.native.settings import CostsByClass, MatrixCosts, ShareCosts
from exactree.errors import InternalError
from exactree.objectives import SMOOTHED_TERMS, ErrorCosts, LeafPrice
from exactree.objectives.errors import weight_by_class
from exactree.objectives.smoothed import Smoothed
from exactree.problem import Problem

__all__ = ["ClassUnits", "class_units"]


@dataclass(frozen=True)
class ClassUnits:
    """Costs in the form of the native search, and the meaning of its integers.

    Attributes
    ----------
    by_class : CostsByClass
        The costs, for the native module.
    scale : int
        For exact costs: units of the search, times `price.error_price`, per unit of cost.
    price : LeafPrice or None
        For exact costs: the price of a leaf.
    exponent : int
        For rounded costs: a unit of the search is 2 to this power.
    rounding_units : float
        For rounded costs: the maximum rounding error of a cost, in these units.
    """

    by_class: CostsByClass
    scale: int = 1
    price: LeafPrice | None = None
    exponent: int = 0
    rounding_units: float = 0.0

    @property
    def exact(self) -> bool:
        """Whether costs are exact, so that rounding cannot hide a cheaper tree."""
        return self.price is not None and not self.price.substituted

    @property
    def rounding(self) -> Fraction:
        """The maximum rounding error of a cost."""
        return Fraction(self.rounding_units) * self._unit

    @property
    def _unit(self) -> Fraction:
        return Fraction(2) ** self.exponent

    def cost(self, cost: float) -> Fraction:
        """Return a cost of the search in units of the integer weights.

        Parameters
        ----------
        cost : int or float
            The cost; if the leaf price was substituted (see `LeafPrice`), the result has the
            substituted price.
        """
        if self.price is None:
            return Fraction(cost) * self._unit
        return Fraction(cost) / (self.price.error_price * self.scale)

    def lower_bound(self, lower_bound: float) -> Fraction:
        """Return a lower bound of the search, minus the rounding, in units of the integer weights.

        Parameters
        ----------
        lower_bound : int or float
            The bound.
        """
        if self.price is None:
            return max(Fraction(lower_bound) * self._unit - self.rounding, Fraction(0))
        return self.price.exact_lower_bound(int(lower_bound)) / self.scale


def class_units(problem: Problem) -> ClassUnits | None:
    """Return the costs of a problem in the form of the search; None if they are too large.

    Parameters
    ----------
    problem : Problem
        A classification problem that does not minimize plain errors or a rate.
    """
    term = problem.term
    if isinstance(term, Smoothed):
        kind = next(name for name, objective in SMOOTHED_TERMS.items() if type(term) is objective)
        added = [float(weight) for weight in term.added]
        leaf_price = float(problem.exact_leaf_price)
        return ClassUnits(ShareCosts(kind=kind, added=added, leaf_price=leaf_price))
    if not isinstance(term, ErrorCosts):
        raise InternalError(f"class costs are requested of a problem with {type(term).__name__}")
    scale = lcm(*(cost.denominator for row in term.costs for cost in row))
    integer_costs = [[int(cost * scale) for cost in row] for row in term.costs]
    totals = weight_by_class(problem.dataset)
    max_cost = sum(total * max(row) for total, row in zip(totals, integer_costs, strict=True))
    price = LeafPrice.of(problem.exact_leaf_price * scale, max(max_cost, 1), problem.max_leaves)
    if price.error_price * max_cost + price.leaf_price >= TOTAL_LIMIT:
        return None
    by_class = [[price.error_price * cost for cost in row] for row in integer_costs]
    costs = MatrixCosts(by_class=by_class, leaf_price=price.leaf_price)
    return ClassUnits(costs, scale, price)
