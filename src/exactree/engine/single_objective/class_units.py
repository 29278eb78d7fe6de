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

__all__ = ["ClassUnits", "IntegerMatrix", "class_units", "share_units"]


@dataclass(frozen=True)
class ClassUnits:
    """Costs in the format of the native search, and the meaning of its integers.

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
    shortfall : Fraction
        For exact costs with rounded prices: the maximum amount by which these are too low.
    """

    by_class: CostsByClass
    scale: int = 1
    price: LeafPrice | None = None
    exponent: int = 0
    rounding_units: float = 0.0
    shortfall: Fraction = Fraction(0)

    @property
    def exact(self) -> bool:
        """Whether costs are exact, so that rounding cannot hide a cheaper tree."""
        return self.price is not None and not self.price.substituted

    @property
    def rounding(self) -> Fraction:
        """The maximum rounding error of a cost."""
        return Fraction(self.rounding_units) * self._unit + self.shortfall

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


@dataclass(frozen=True)
class IntegerMatrix:
    """A cost matrix in integers.

    Attributes
    ----------
    costs : list of list of int
        By true and by predicted class.
    scale : int
        Units of these costs per unit of cost.
    greatest : int
        The cost of all examples by their most expensive predictions, at least 1.
    of_one_leaf : int
        The cost of a single leaf, which no tree exceeds.
    """

    costs: list[list[int]]
    scale: int
    greatest: int
    of_one_leaf: int

    @classmethod
    def of(cls, problem: Problem, term: ErrorCosts) -> "IntegerMatrix":
        """Return the matrix of a problem.

        Parameters
        ----------
        problem : Problem
            The problem to solve.
        term : ErrorCosts
            Its objective.
        """
        scale = lcm(*(cost.denominator for row in term.costs for cost in row))
        costs = [[int(cost * scale) for cost in row] for row in term.costs]
        totals = weight_by_class(problem.dataset)
        greatest = sum(total * max(row) for total, row in zip(totals, costs, strict=True))
        of_classes = [
            sum(total * cost for total, cost in zip(totals, column, strict=True))
            for column in zip(*costs, strict=True)
        ]
        return cls(costs, scale, max(greatest, 1), min(of_classes))

    def units(self, price: LeafPrice, shortfall: Fraction = Fraction(0)) -> ClassUnits:
        """Return the costs in the format of the search.

        Parameters
        ----------
        price : LeafPrice
            The price of a leaf, in units of these costs.
        shortfall : Fraction
            As in `ClassUnits`, in units of these costs.
        """
        by_class = [[price.error_price * cost for cost in row] for row in self.costs]
        costs = MatrixCosts(by_class=by_class, leaf_price=price.leaf_price)
        return ClassUnits(costs, self.scale, price, shortfall=shortfall / self.scale)


def class_units(problem: Problem) -> ClassUnits | None:
    """Return the costs of a problem in the format of the search; None if they are too large.

    Parameters
    ----------
    problem : Problem
        A classification problem that does not minimize plain errors or a rate.
    """
    term = problem.term
    if isinstance(term, Smoothed):
        return share_units(problem, term)
    if not isinstance(term, ErrorCosts):
        raise InternalError(f"class costs are requested of a problem with {type(term).__name__}")
    matrix = IntegerMatrix.of(problem, term)
    leaf_price = problem.exact_leaf_price * matrix.scale
    price = LeafPrice.of(leaf_price, matrix.greatest, problem.max_leaves)
    if price.error_price * matrix.greatest + price.leaf_price >= TOTAL_LIMIT:
        return None
    return matrix.units(price)


def share_units(problem: Problem, term: Smoothed) -> ClassUnits:
    """Return costs of shares in the format of the search.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    term : Smoothed
        Its objective.
    """
    kind = next(name for name, objective in SMOOTHED_TERMS.items() if type(term) is objective)
    added = [float(weight) for weight in term.added]
    leaf_price = float(problem.exact_leaf_price)
    return ClassUnits(ShareCosts(kind=kind, added=added, leaf_price=leaf_price))
