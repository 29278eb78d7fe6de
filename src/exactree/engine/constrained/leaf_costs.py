"""Costs of leaves by the weights of their classes, in whole units; lower bounds of two leaves.

Costs of plain errors and of a matrix are exact. Costs of shares (log-loss and Gini impurity) are
rounded to 10^-50 for each leaf, a thousand times finer than the decimals of the objective in trees
of up to 10^7 leaves.
"""

from abc import ABC, abstractmethod
from fractions import Fraction
from math import ceil, lcm
from typing import Any, ClassVar, assert_never

import numpy as np
from numpy.typing import NDArray

from exactree.data.weights import TOTAL_LIMIT
from exactree.objectives import ErrorCosts, Gini, LogLoss
from exactree.objectives.errors import weight_by_class
from exactree.objectives.smoothed import Smoothed
from exactree.problem import Problem

__all__ = ["LeafCosts", "leaf_costs"]

# Integers, which are Python objects if they exceed 64 bits; or floats.
CostArray = NDArray[Any]

# Units of costs of shares per integer weight.
_FINE = 10**50

# The relative amount by which sums of a few rounded floats are lowered to be lower bounds.
_ROUNDED = 1e-12


class LeafCosts(ABC):
    """Costs of leaves, without the price of a leaf.

    Attributes
    ----------
    exact : bool
        Whether costs are not rounded.
    step : int
        Units of a step, in which `two_leaves` and `reach` count.
    """

    exact: ClassVar[bool] = True
    step: int

    @abstractmethod
    def leaf(self, totals: list[int]) -> int:
        """Return the cost of a leaf, in units, from the weights of its classes."""

    @abstractmethod
    def two_leaves(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> CostArray:
        """Return lower bounds on the cost of two leaves, in steps, from the weights of classes.

        The bounds are exact where costs are exact.
        """

    def predicted(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the classes that leaves predict: the heaviest class, ties to the earlier class."""
        return np.asarray(weights.argmax(axis=1))

    @abstractmethod
    def reach(self, labels: NDArray[np.int64], weights: NDArray[np.int64]) -> CostArray | None:
        """Return the maximum cost of each example, in steps, in any leaf; None if unknown."""

    def at_least(self, steps: Any) -> int:
        """Return the units of a number of steps."""
        return int(steps) * self.step

    def max_steps(self, upper: float | Fraction) -> float:
        """Return the maximum number of steps below a number of units, or a little more."""
        return ceil(Fraction(upper) / self.step) - 1


class _ErrorLeafCosts(LeafCosts):
    """Plain errors."""

    def __init__(self, unit: int) -> None:
        self.step = unit

    def leaf(self, totals: list[int]) -> int:
        return (sum(totals) - max(totals)) * self.step

    def two_leaves(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> CostArray:
        whole = left[0].sum() + right[0].sum()
        return np.asarray(whole - left.max(axis=1) - right.max(axis=1))

    def reach(self, labels: NDArray[np.int64], weights: NDArray[np.int64]) -> CostArray:
        return weights


class _Matrix(LeafCosts):
    """Costs by true and predicted class, which are whole numbers of steps."""

    def __init__(self, term: ErrorCosts, unit: int, totals: list[int]) -> None:
        scale = lcm(*(cost.denominator for row in term.costs for cost in row))
        self.step = unit // scale
        self.costs = [[int(cost * scale) for cost in row] for row in term.costs]
        most = sum(total * max(row) for total, row in zip(totals, self.costs, strict=True))
        self.kind: Any = np.int64 if 2 * most < TOTAL_LIMIT else object
        self.by_class = np.array(self.costs, dtype=self.kind)

    def leaf(self, totals: list[int]) -> int:
        rows = list(zip(totals, self.costs, strict=True))
        labels = range(len(totals))
        return min(sum(w * row[label] for w, row in rows) for label in labels) * self.step

    def two_leaves(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> CostArray:
        sides = [side.astype(self.kind) @ self.by_class for side in (left, right)]
        return np.asarray(sides[0].min(axis=1) + sides[1].min(axis=1))

    def predicted(self, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        return np.asarray((weights.astype(self.kind) @ self.by_class).argmin(axis=1))

    def reach(self, labels: NDArray[np.int64], weights: NDArray[np.int64]) -> CostArray:
        return np.asarray(weights.astype(self.kind) * self.by_class.max(axis=1)[labels])


class _Shares(LeafCosts):
    """Log-loss and Gini impurity."""

    exact: ClassVar[bool] = False

    def __init__(self, term: LogLoss | Gini, unit: int) -> None:
        self.term, self.step = term, unit
        self.added = np.array([float(more) for more in term.added])

    def leaf(self, totals: list[int]) -> int:
        return round(self.term.of_weights(totals) * self.step)

    def two_leaves(self, left: NDArray[np.int64], right: NDArray[np.int64]) -> CostArray:
        return (self._leaves(left) + self._leaves(right)) * (1 - _ROUNDED)

    def _leaves(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the costs of leaves: sums of nonnegative terms, each rounded a little."""
        own, whole = weights.astype(np.float64), weights.sum(axis=1, keepdims=True)
        share = own + self.added
        beside = (whole - weights).astype(np.float64)
        beside += np.maximum(self.added.sum() - self.added, 0.0)
        match self.term:
            case LogLoss():
                # A class without weight in the leaf costs nothing.
                terms = own * np.log1p(beside / np.where(own > 0, share, 1.0))
            case Gini():
                terms = whole * (share / (share + beside)) * (beside / (share + beside))
            case _:
                assert_never(self.term)
        return np.asarray(terms.sum(axis=1))

    def reach(self, labels: NDArray[np.int64], weights: NDArray[np.int64]) -> None:
        return None

    def at_least(self, steps: Any) -> int:
        return int(Fraction(float(steps)) * self.step)

    def max_steps(self, upper: float | Fraction) -> float:
        return float(Fraction(upper) / self.step) * (1 + _ROUNDED)


def leaf_costs(problem: Problem) -> tuple[LeafCosts | None, int]:
    """Return the costs of leaves, None for a regression, and the units per integer weight.

    Prices of leaves and features are whole numbers of units, except in a regression.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    term = problem.term
    if problem.regression:
        return None, 1
    shares = [*problem.feature_constraints.prices.values(), problem.leaf_penalty]
    unit = lcm(*((share * problem.price_unit).denominator for share in shares))
    if isinstance(term, ErrorCosts):
        unit = lcm(unit, *(cost.denominator for row in term.costs for cost in row))
        return _Matrix(term, unit, weight_by_class(problem.dataset)), unit
    if isinstance(term, Smoothed):
        return _Shares(term, unit * _FINE), unit * _FINE
    return _ErrorLeafCosts(unit), unit
