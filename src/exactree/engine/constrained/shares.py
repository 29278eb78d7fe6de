"""Weights of classes in shares and in minimum leaf weights, as integers of the native searches.

The value of a leaf that must be monotone is its share of the second class: its weight, plus what
smoothing adds, over the weights of all classes, plus what smoothing adds to them. The search counts
with integers and compares shares exactly; so these must not need more than 62 bits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from exactree.data.weights import TOTAL_LIMIT
from exactree.objectives.smoothed import Smoothed
from exactree.problem import Problem

__all__ = ["Shares", "needs_weights", "shares_of"]


@dataclass(frozen=True)
class Shares:
    """Weights in shares.

    Attributes
    ----------
    factors : tuple of int
        By class, the weight in shares for each unit of weight in the search.
    added : tuple of int
        By class, what smoothing adds to this weight.
    scale : int
        Units of these weights for each integer weight of the problem.
    """

    factors: tuple[int, ...]
    added: tuple[int, ...]
    scale: int


def needs_weights(problem: Problem) -> bool:
    """Return whether constraints depend on weights or on predictions of leaves.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    directions = problem.feature_constraints.directions
    limited = problem.limits.max_leaves_of is not None
    return limited or bool(directions) or problem.min_leaf_weight > 0


def shares_of(problem: Problem, rates: Sequence[Fraction]) -> Shares | None:
    """Return the weights in shares; None if they need more than 62 bits.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of classes.
    rates : sequence of Fraction
        By class, integer weights of the problem for each unit of weight in the search.
    """
    constraints, term = problem.feature_constraints, problem.term
    in_shares = bool(constraints.directions) and constraints.in_shares
    if not in_shares and not problem.min_leaf_weight:
        return Shares((1,) * len(rates), (0,) * len(rates), 1)
    added = [Fraction(0)] * len(rates)
    if in_shares and isinstance(term, Smoothed):
        added = list(term.added)
    scale = lcm(*(number.denominator for number in (*rates, *added)))
    greatest = max(problem.dataset.total_weight + sum(added), problem.min_leaf_weight)
    if greatest * scale >= TOTAL_LIMIT:
        return None
    factors, more = (tuple(int(x * scale) for x in numbers) for numbers in (rates, added))
    return Shares(factors, more, scale)
