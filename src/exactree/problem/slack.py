"""Slack: how much each quantity of a tree may exceed the optimum."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from exactree.problem.cost import Cost, as_tuple
from exactree.problem.parameters import exact_number
from exactree.problem.problem import Problem

__all__ = ["slack_of", "within_slack"]


def slack_of(problem: Problem, within: Any) -> tuple[Fraction, ...]:
    """Return the slack of each minimized quantity, in the unit of its cost.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    within : object
        The user's argument: a number, or a tuple of numbers if `minimize` is a tuple.

    Raises
    ------
    ValueError
        If it is neither, negative, or of another length than `minimize`.
    """
    names = problem.quantities
    if isinstance(problem.minimize, str):
        return (exact_number("within", within, "a finite number >= 0"),)
    if isinstance(within, tuple) and len(within) == len(names):
        return tuple(
            exact_number(f"within[{at}]", one, "a finite number >= 0")
            for at, one in enumerate(within)
        )
    if isinstance(within, tuple) or exact_number("within", within, "a finite number >= 0"):
        raise ValueError(
            f"within must be a tuple of {len(names)} numbers, one for each quantity of "
            f"minimize={problem.minimize!r}, or 0, got {within!r}."
        )
    return (Fraction(0),) * len(names)


def within_slack(cost: Cost, least: Cost, slack: Sequence[Fraction]) -> bool:
    """Return whether every quantity of a cost exceeds the least cost by at most its slack.

    Parameters
    ----------
    cost, least : int, Fraction or tuple
        Of one problem.
    slack : sequence of Fraction
        By quantity.
    """
    triples = zip(as_tuple(cost), as_tuple(least), slack, strict=True)
    return all(own <= best + more for own, best, more in triples)
