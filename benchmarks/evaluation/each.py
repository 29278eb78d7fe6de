"""A loop with independent iterations, which run one after another unless a backend is set.

`joblib.parallel_config` sets a backend, and so does `--jobs` on the command line. Measurements are
CPU seconds of a process, so a backend of threads would add those of other iterations.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from joblib import Parallel, delayed

__all__ = ["each"]

Argument = TypeVar("Argument")
Result = TypeVar("Result")


def each(function: Callable[[Argument], Result], arguments: Iterable[Argument]) -> list[Result]:
    """Return the results of a function for all arguments, computed by the user's backend."""
    results: list[Result] = Parallel()(delayed(function)(argument) for argument in arguments)
    return results
