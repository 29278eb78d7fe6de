"""A loop whose turns do not depend on each other: one at a time unless the user says otherwise.

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
    """Return what a function returns for each of its arguments, by the user's joblib backend."""
    results: list[Result] = Parallel()(delayed(function)(turn) for turn in turns)
    return results
