"""What a local search needs of the cost of leaves: sums over rows, costs of splits, costs of rows.

A measure compares splits fast and in floats, so it may ignore smoothing, and it measures absolute
errors by squares. Trees are compared by exact costs of leaves (`LeafMeasure.leaf`).
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.engine.oblique.split_search import Measure, class_weights, impurity
from exactree.objectives import ErrorCosts
from exactree.problem import Problem
from exactree.problem.reduction import ExactCost

__all__ = ["LeafMeasure", "SplitTask", "TwoGroups", "measure_of", "two_groups"]

Rows = NDArray[np.int64]
Floats = NDArray[np.float64]
# Divides rows into two groups for a linear model: returns -1 or 1 by row, and their weights.
TwoGroups = Callable[[Floats, np.random.Generator], tuple[Floats, Floats]]

# The least share of a class in a leaf, for its logarithm.
_LEAST_SHARE = 1e-3


@dataclass(frozen=True)
class SplitTask:
    """Rows to split, and what the split should achieve.

    Attributes
    ----------
    rows : ndarray of int64
        The rows.
    sums : ndarray of float64, shape (rows, k)
        What is summed over the rows of a child.
    cost : callable
        The costs of splits from these sums.
    unordered : callable
        The same if children could be exchanged.
    groups : callable
        As in `LeafMeasure`.
    """

    rows: Rows
    sums: Floats
    cost: Measure
    unordered: Measure
    groups: TwoGroups

    def cost_of(self, left: NDArray[np.bool_]) -> float:
        """Return the cost of a split, given which rows go left."""
        return float(self.cost(self.sums.sum(axis=0), self.sums[left].sum(axis=0)[None])[0])


class LeafMeasure(ABC):
    """The cost of leaves in a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """

    sums: Floats
    """By row, what is summed over the rows of a leaf."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.price = problem.leaf_penalty * problem.price_unit
        self.weights = problem.dataset.weights.astype(np.float64)

    @abstractmethod
    def split(self, totals: Floats, left: Floats) -> Floats:
        """Return the costs of splits whose children are leaves."""

    @abstractmethod
    def growth(self, totals: Floats, left: Floats) -> Floats:
        """Return the costs of splits by which trees are grown."""

    @abstractmethod
    def of_rows(self, leaf: Rows, rows: Rows) -> Floats:
        """Return the costs of rows in the leaf of other rows, which keeps its prediction."""

    @abstractmethod
    def groups(self, sums: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Divide rows into two groups, as `TwoGroups` does."""

    def leaf(self, rows: Rows) -> ExactCost:
        """Return the cost of a leaf, its price included."""
        return self.problem.term.leaf(self.problem.dataset, rows) + self.price

    def task(self, rows: Rows) -> SplitTask:
        """Return the task to split a leaf."""
        return SplitTask(rows, self.sums[rows], self.split, self.split, self.groups)

    def growing(self, rows: Rows) -> SplitTask:
        """Return the task to split a leaf whose children may be split again."""
        return SplitTask(rows, self.sums[rows], self.growth, self.split, self.groups)


class _Classes(LeafMeasure):
    """Costs of class weights."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        self.labels = problem.dataset.labels
        self.sums = class_weights(problem, np.arange(len(self.labels)))
        # Splits of equal costs are compared by their impurity, weighed as less than one error.
        self.tie = 0.25 / max(float(self.sums.sum()), 1.0)

    def growth(self, totals: Floats, left: Floats) -> Floats:
        """Return the impurity."""
        return impurity(totals, left)

    def groups(self, sums: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Divide the rows by a random subset of their classes."""
        return two_groups(sums, rng)


class _Errors(_Classes):
    """Plain errors, with the prices of the search."""

    def split(self, totals: Floats, left: Floats) -> Floats:
        right = totals - left
        errors = (left.sum(axis=1) - left.max(axis=1)) + (right.sum(axis=1) - right.max(axis=1))
        cost: Floats = errors + self.tie * impurity(totals, left)
        return cost

    def of_rows(self, leaf: Rows, rows: Rows) -> Floats:
        predicted = int(self.sums[leaf].sum(axis=0).argmax())
        return np.where(self.labels[rows] == predicted, 0.0, self.weights[rows])

    def leaf(self, rows: Rows) -> ExactCost:
        totals, price = self.sums[rows].sum(axis=0), self.problem.leaf_price
        return round(float(totals.sum() - totals.max())) * price.error_price + price.leaf_price


class _Matrix(_Classes):
    """A cost matrix, or another cost by true and predicted class."""

    def __init__(self, problem: Problem, costs: ErrorCosts) -> None:
        super().__init__(problem)
        self.by_class = np.array([[float(cost) for cost in row] for row in costs.costs])

    def split(self, totals: Floats, left: Floats) -> Floats:
        sides = (left @ self.by_class).min(axis=1) + ((totals - left) @ self.by_class).min(axis=1)
        cost: Floats = sides + self.tie * impurity(totals, left)
        return cost

    def of_rows(self, leaf: Rows, rows: Rows) -> Floats:
        predicted = int((self.sums[leaf].sum(axis=0) @ self.by_class).argmin())
        cost: Floats = self.weights[rows] * self.by_class[self.labels[rows], predicted]
        return cost


class _Gini(_Classes):
    """The Gini impurity, which is the squared distance of the shares from the true class."""

    def split(self, totals: Floats, left: Floats) -> Floats:
        return impurity(totals, left)

    def of_rows(self, leaf: Rows, rows: Rows) -> Floats:
        shares = self.sums[leaf].sum(axis=0) / self.sums[leaf].sum()
        distance: Floats = (shares**2).sum() - 2 * shares[self.labels[rows]] + 1
        return self.weights[rows] * distance


class _LogLoss(_Classes):
    """Log-loss."""

    def split(self, totals: Floats, left: Floats) -> Floats:
        found = np.zeros(len(left))
        for side in (left, totals - left):
            side = np.maximum(side, 0.0)
            logs = np.log(np.where(side > 0, side, 1.0))
            whole = side.sum(axis=1)
            found += whole * np.log(np.where(whole > 0, whole, 1.0)) - (side * logs).sum(axis=1)
        return found

    def growth(self, totals: Floats, left: Floats) -> Floats:
        return self.split(totals, left)

    def of_rows(self, leaf: Rows, rows: Rows) -> Floats:
        shares = self.sums[leaf].sum(axis=0) / self.sums[leaf].sum()
        logs: Floats = -np.log(np.maximum(shares, _LEAST_SHARE))
        return self.weights[rows] * logs[self.labels[rows]]


class _Regression(LeafMeasure):
    """Squared errors; absolute errors are measured by them, except for single rows."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem)
        targets = problem.dataset.targets
        # Sums of squares lose less to rounding about the mean.
        self.targets = targets - np.average(targets, weights=self.weights)
        self.is_absolute = problem.error_term == "absolute_error"
        ones = np.ones(len(targets))
        self.sums = self.weights[:, None] * np.stack([ones, self.targets, self.targets**2], axis=1)

    def split(self, totals: Floats, left: Floats) -> Floats:
        found = np.zeros(len(left))
        for side in (left, totals - left):
            weight, total, squares = side.T
            found += squares - total**2 / np.where(weight > 0, weight, 1.0)
        return found

    def growth(self, totals: Floats, left: Floats) -> Floats:
        return self.split(totals, left)

    def of_rows(self, leaf: Rows, rows: Rows) -> Floats:
        own, weights = self.targets[leaf], self.weights[leaf]
        if not self.is_absolute:
            cost: Floats = (self.targets[rows] - np.average(own, weights=weights)) ** 2
            return self.weights[rows] * cost
        order = np.argsort(own, kind="stable")
        below = np.cumsum(weights[order])
        median = own[order[int(np.searchsorted(below, below[-1] / 2))]]
        distance: Floats = self.weights[rows] * np.abs(self.targets[rows] - median)
        return distance

    def groups(self, sums: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Divide the rows at their mean or at a random target; far targets weigh more."""
        targets = sums[:, 1] / sums[:, 0]
        middle = sums[:, 1].sum() / sums[:, 0].sum()
        if rng.random() < 0.5:
            middle = float(rng.choice(targets))
        return np.where(targets > middle, 1.0, -1.0), sums[:, 0] * np.abs(targets - middle)


def two_groups(classes: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Divide rows by a random subset of their classes, as `TwoGroups` does.

    Parameters
    ----------
    classes : ndarray of float64, shape (n, classes)
        The weight of each row in the column of its class.
    rng : Generator
        Draws the subset.
    """
    present = np.flatnonzero(classes.any(axis=0))
    if len(present) == 2:
        lower = present[:1]
    else:
        chosen = rng.permutation(present)
        lower = chosen[: max(1, int(rng.integers(1, max(len(present), 2))))]
    return np.where(classes[:, lower].sum(axis=1) > 0, -1.0, 1.0), classes.sum(axis=1)


def measure_of(problem: Problem) -> LeafMeasure:
    """Return the measure of a problem of one tree.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    term = problem.term
    if problem.regression:
        return _Regression(problem)
    if problem.plain_errors:
        return _Errors(problem)
    if isinstance(term, ErrorCosts):
        return _Matrix(problem, term)
    return _Gini(problem) if problem.error_term == "gini" else _LogLoss(problem)
