"""Costs: a number, or a tuple of numbers in lexicographic order; their gap and their text."""

from fractions import Fraction
from math import inf

__all__ = ["Cost", "Number", "as_tuple", "relative_gap", "shown_cost"]

# Errors of a regression are floats: the denominators of the exact fractions are unreadable.
Number = int | Fraction | float
Cost = Number | tuple[Number, ...]


def as_tuple(cost: Cost) -> tuple[Number, ...]:
    """Return a cost as a tuple, so that any two costs of one problem can be compared.

    Parameters
    ----------
    cost : int, Fraction or tuple
        A number counts as a tuple of one.
    """
    return cost if isinstance(cost, tuple) else (cost,)


def relative_gap(cost: Cost | None, lower_bound: Cost) -> float:
    """Return (cost - lower bound) / cost of the first component where they differ.

    Parameters
    ----------
    cost, lower_bound : int, Fraction or tuple
        Of the same length; 0 is returned where they are equal, infinity without a cost.
    """
    if cost is None:
        return inf
    for first, second in zip(as_tuple(cost), as_tuple(lower_bound), strict=True):
        if first != second:
            return float((Fraction(first) - Fraction(second)) / Fraction(first))
    return 0.0


def shown_cost(cost: Cost) -> str:
    """Return a cost as text.

    Parameters
    ----------
    cost : int, Fraction or tuple
        Tuples are shown in parentheses.
    """
    if isinstance(cost, tuple):
        return f"({', '.join(shown_cost(number) for number in cost)})"
    return f"{cost:,}" if isinstance(cost, int) else f"{float(cost):,.6g}"
