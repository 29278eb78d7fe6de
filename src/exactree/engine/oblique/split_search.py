"""One split of a subset by a weighted sum: its cost, its threshold, and better weights.

In order, each weight is set to the value of least cost while the other weights are fixed (OC1 of
Murthy, Kasif and Salzberg).
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import middle_between
from exactree.problem import Problem
from exactree.rules import SurfaceRule
from exactree.rules.surface import Monomial

__all__ = [
    "Measure",
    "best_threshold",
    "class_weights",
    "impurity",
    "locally_improved",
    "rule_along",
]

# Rounds of the local search.
_ROUNDS = 5

# The costs of splits of a subset, from its class weights and those of the left children.
Measure = Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]


def class_weights(problem: Problem, subset: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return a row for each example of a subset: its weight in the column of its class.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    subset : ndarray of int64
        Rows of its table.
    """
    dataset = problem.dataset
    classes = np.zeros((len(subset), len(dataset.classes)))
    classes[np.arange(len(subset)), dataset.labels[subset]] = dataset.weights[subset]
    return classes


def impurity(totals: NDArray[np.float64], left: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the Gini impurity of splits: the `Measure` by which trees are grown.

    Parameters
    ----------
    totals : ndarray of float64, shape (classes,)
        The class weights of the subset.
    left : ndarray of float64, shape (m, classes)
        Those of the left children.
    """
    found = np.zeros(len(left))
    for side in (left, totals - left):
        weight = side.sum(axis=1)
        found += weight - (side**2).sum(axis=1) / np.where(weight > 0, weight, 1)
    return found


def best_threshold(
    values: NDArray[np.float64], classes: NDArray[np.float64], measure: Measure = impurity
) -> float | None:
    """Return the threshold of minimum cost, as the greatest value that goes left.

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        The numbers to compare with the threshold.
    classes : ndarray of float64, shape (n, classes)
        As from `class_weights`.
    measure : callable
        The costs of splits.

    Returns
    -------
    float or None
        None if all values are equal.
    """
    order = np.argsort(values, kind="stable")
    rising = values[order]
    ends = np.flatnonzero(rising[1:] > rising[:-1])
    if not len(ends):
        return None
    left = np.cumsum(classes[order], axis=0)[ends]
    return float(rising[ends[int(np.argmin(measure(classes.sum(axis=0), left)))]])


def locally_improved(
    terms: NDArray[np.float64],
    classes: NDArray[np.float64],
    weights: NDArray[np.float64],
    measure: Measure = impurity,
    has_time: Callable[[], bool] = lambda: True,
) -> NDArray[np.float64]:
    """Return weights improved one after the other; rows with a sum of at most 0 go left.

    Parameters
    ----------
    terms : ndarray of float64, shape (n, terms)
        What the weights multiply.
    classes : ndarray of float64, shape (n, classes)
        As from `class_weights`.
    weights : ndarray of float64, shape (terms,)
        The weights to begin with; they are changed.
    measure : callable
        The costs of splits.
    has_time : callable
        Returns whether there is time for another weight.
    """
    totals = classes.sum(axis=0)
    left = classes[terms @ weights <= 0].sum(axis=0)
    lowest = measure(totals, left[None])[0]
    for _ in range(_ROUNDS):
        before = lowest
        for j, column in enumerate(terms.T):
            if not has_time():
                return weights
            rest = terms @ weights - weights[j] * column
            moved = np.flatnonzero(column)
            if not len(moved):
                continue
            # If the weight grows, a row with a positive entry moves from left to right at its turn,
            # and a row with a negative entry from right to left.
            turns = -rest[moved] / column[moved]
            order = np.argsort(turns, kind="stable")
            turns, moved = turns[order], moved[order]
            starts = classes[(column > 0) | ((column == 0) & (rest <= 0))].sum(axis=0)
            left = starts - np.cumsum(np.sign(column[moved])[:, None] * classes[moved], axis=0)
            ends = np.flatnonzero(turns[1:] > turns[:-1])
            if not len(ends):
                continue
            costs = measure(totals, left[ends])
            best = int(np.argmin(costs))
            if costs[best] < lowest:
                weights[j] = (turns[ends[best]] + turns[ends[best] + 1]) / 2
                lowest = costs[best]
        if lowest == before:
            break
    return weights


def rule_along(
    monomials: Sequence[Monomial],
    weights: NDArray[np.float64],
    X: NDArray[np.float64],
    classes: NDArray[np.float64],
    measure: Measure = impurity,
) -> SurfaceRule | None:
    """Return the best split of a subset with given weights; None if no threshold splits it.

    Parameters
    ----------
    monomials : sequence of tuple of int
        The terms of the weighted sum.
    weights : ndarray of float64
        Their weights.
    X : ndarray of float64, shape (n, d)
        The subset.
    classes, measure
        As in `best_threshold`.
    """
    rule = SurfaceRule(tuple(monomials), tuple(weights.tolist()), 0.0)
    value = rule.sums(X)
    threshold = best_threshold(value, classes, measure) if np.isfinite(value).all() else None
    if threshold is None:
        return None
    above = float(value[value > threshold].min())
    return SurfaceRule(rule.monomials, rule.weights, float(middle_between(threshold, above)))
