"""From "is there one of size at most s?" to the smallest: up, down or by bisection."""

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
    """Return the least s at which a decision procedure finds an answer, and that answer.

    Parameters
    ----------
    decide : callable
        Takes s and returns an answer of size at most s, or None when there is none. What exists
        for s exists for every larger s.
    low, high : int
        Where s lies; below `low` nothing is asked.
    strategy : {"up", "down", "bisect"}
        "up" asks low, low + 1, ... and suits procedures whose time grows fast with s; "down" asks
        high, high - 1, ... until there is no answer; "bisect" halves the range.

    Returns
    -------
    tuple of int and answer, or None
        None when there is no answer at `high` either.
    """
    if strategy == "up":
        for s in range(low, high + 1):
            answer = decide(s)
            if answer is not None:
                return s, answer
        return None
    found: tuple[int, AnswerT] | None = None
    while low <= high:
        s = high if strategy == "down" or found is None else (low + high) // 2
        answer = decide(s)
        if answer is not None:
            found, high = (s, answer), s - 1
        elif strategy == "down" or found is None:
            break
        else:
            low = s + 1
    return found
