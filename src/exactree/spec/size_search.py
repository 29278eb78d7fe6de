"""Minimum size by a sequence of decisions whether there is a solution of size at most s."""

from collections.abc import Callable
from typing import Literal, TypeVar

__all__ = ["smallest"]

AnswerT = TypeVar("AnswerT")


def smallest(
    decide: Callable[[int], AnswerT | None],
    low: int,
    high: int,
    strategy: Literal["up", "down", "bisect"] = "up",
) -> tuple[int, AnswerT] | None:
    """Return the smallest s for which a decision procedure finds a solution, and the solution.

    Parameters
    ----------
    decide : callable
        Returns a solution of size at most s, or None if there is none. A solution for s is also a
        solution for every larger s.
    low, high : int
        The sizes that are tried: from `low` to `high`, both included.
    strategy : {"up", "down", "bisect"}
        "up" tries low, low + 1, ... and suits procedures whose time grows fast with s; "down" tries
        high, high - 1, ... until there is no solution; "bisect" tries `high`, then halves the
        range.

    Returns
    -------
    tuple of int and solution, or None
        None if there is no solution at `high`.
    """
    if strategy == "up":
        for s in range(low, high + 1):
            solution = decide(s)
            if solution is not None:
                return s, solution
        return None
    found: tuple[int, AnswerT] | None = None
    while low <= high:
        s = high if strategy == "down" or found is None else (low + high) // 2
        solution = decide(s)
        if solution is not None:
            found, high = (s, solution), s - 1
        elif strategy == "down" or found is None:
            break
        else:
            low = s + 1
    return found
