"""Shares of classes in leaves and costs of errors, as integers of the native searches.

The value of a leaf that must be monotone is its share of the second class: its weight, plus what
smoothing adds, over the weights of all classes, plus what smoothing adds to them. A leaf predicts
the class of least errors. The search compares both exactly, in integers of any length, so they are
those of the problem even if the weights in the costs are rounded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from exactree.objectives.smoothed import Smoothed
from exactree.problem import Problem

__all__ = ["Shares", "shares_of"]


@dataclass(frozen=True)
class Shares:
    """Smoothing of shares, and costs of errors.

    Attributes
    ----------
    error_costs : tuple of int
        By class, the cost of an error on a unit of its weight, in some unit; empty if the weights
        in the costs of the search are those of the problem.
    scale : int
        The factor on weights in shares that makes what smoothing adds an integer.
    added : tuple of int
        By class, what smoothing adds to its weight, times this factor; empty without smoothing.
    """

    error_costs: tuple[int, ...] = ()
    scale: int = 1
    added: tuple[int, ...] = ()


def shares_of(problem: Problem, error_costs: Sequence[Fraction] = ()) -> Shares:
    """Return the shares of a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve, of classes.
    error_costs : sequence of Fraction
        By class, the cost of an error on a unit of its weight; none if the weights in the costs of
        the search are those of the problem.
    """
    costs = _integers(error_costs, _common_unit(error_costs))
    if not isinstance(problem.term, Smoothed) or not any(problem.term.added):
        return Shares(costs)
    scale = _common_unit(problem.term.added)
    return Shares(costs, scale, _integers(problem.term.added, scale))


def _common_unit(numbers: Sequence[Fraction]) -> int:
    return lcm(*(number.denominator for number in numbers))


def _integers(numbers: Sequence[Fraction], scale: int) -> tuple[int, ...]:
    return tuple(int(number * scale) for number in numbers)
