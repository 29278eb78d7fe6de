"""A loop with independent iterations, run one after another unless a backend is set.

`joblib.parallel_config` says so, or `--jobs` on the command line. Seconds are of the CPU of a
process, so a backend of threads would count those of others.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from joblib import Parallel, delayed

__all__ = ["each"]

Turn = TypeVar("Turn")
Result = TypeVar("Result")


def each(function: Callable[[Turn], Result], turns: Iterable[Turn]) -> list[Result]:
    """Return the results of a function for all arguments, by the user's joblib backend."""
    results: list[Result] = Parallel()(delayed(function)(turn) for turn in turns)
    return results
