"""Calls of the native module: arguments in, dictionaries out; its failures become errors."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree import _native
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Problem
from exactree.problem.recount import write_replay

__all__ = [
    "Caps",
    "How",
    "accelerators",
    "checked_switches",
    "largest_difference",
    "least_errors",
    "least_size",
    "paper_method",
]

# Incumbent, lower bound and seconds of a running search, in its own integers.
Heard = Callable[[int | None, int, float], object]


@dataclass(frozen=True)
class Caps:
    """What a tree may have, in the integers of the search; None means no limit.

    Attributes
    ----------
    depth, size : int or None
        Nodes on a path, and in all.
    errors : int or None
        Misclassified integer weight.
    """

    depth: int | None
    size: int | None
    errors: int | None


@dataclass(frozen=True)
class How:
    """How long to search and whom to tell.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes of the memo.
    stop_at_gap : float
        Stop when the gap is at most this.
    heard : callable or None
        Told incumbent, lower bound and seconds; returning True stops.
    switches : dict
        Accelerators to turn on or off, by name.
    """

    time_limit: float | None
    memory_limit: int | None
    stop_at_gap: float
    heard: Heard | None
    switches: dict[str, bool]

    def after(self, seconds: float) -> "How":
        """Return how to go on after some seconds: with what is left of the time."""
        if self.time_limit is None:
            return self
        return replace(self, time_limit=max(self.time_limit - seconds, 0.0))


def accelerators(method: str = "branch-and-bound") -> dict[str, str]:
    """Return the name and the reason of every switch of a native method.

    Parameters
    ----------
    method : str
        "branch-and-bound", "box", "subsets", "threshold" or "witness".

    Returns
    -------
    dict
        Each can be turned off without changing any optimum: by ``branch_and_bound(...,
        switches={name: False})`` and ``run_paper(method, ..., switches={name: False})``.

    Raises
    ------
    ValueError
        If the method has no switches.
    """
    if method == "branch-and-bound":
        return dict(_native.accelerators()) | dict(_native.size_accelerators())
    return dict(_native.paper_accelerators(method))


def checked_switches(method: str, switches: Mapping[str, bool] | None) -> dict[str, bool]:
    """Return the switches to turn, all of which a method has.

    Parameters
    ----------
    method : str
        As in `accelerators`.
    switches : mapping of str to bool or None
        Accelerators to turn on or off, by name.

    Raises
    ------
    ValueError
        If a switch does not exist.
    """
    chosen, names = dict(switches or {}), accelerators(method)
    for name in chosen:
        if name not in names:
            raise ValueError(f'there is no switch named "{name}"')
    return chosen


def largest_difference(ranks: NDArray[np.int64], labels: NDArray[np.int64]) -> int:
    """Return the largest number of features in which two examples of different classes differ.

    Parameters
    ----------
    ranks : ndarray of int64, shape (n, d)
        Non-negative numbers below 2**32, equal in a feature iff the examples' values are.
    labels : ndarray of int64, shape (n,)
        Class indices.

    Returns
    -------
    int
        delta_max; 0 with a single class. Ctrl-C raises `KeyboardInterrupt` at once.
    """
    return _native.largest_difference(ranks.astype(np.uint32), labels.astype(np.uint32))


def least_errors(problem: Problem, caps: Caps, how: How) -> dict[str, Any]:
    """Search for the tree of least errors plus leaf prices within caps.

    Parameters
    ----------
    problem : Problem
        The table and the prices.
    caps : Caps
        What the tree may have.
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs in its integers.
    """
    price = problem.leaf_price
    settings = {
        "error_price": price.error_price,
        "leaf_price": price.leaf_price,
        "max_depth": caps.depth,
        "max_size": caps.size,
        "min_rows": problem.min_rows,
        "below": None if caps.errors is None else (caps.errors + 1) * price.error_price,
        "stop_at_gap": how.stop_at_gap,
    }
    names = {name for name, _ in _native.accelerators()}
    return _call(_native.solve, problem, settings, how, names)


def least_size(problem: Problem, caps: Caps, how: How) -> dict[str, Any]:
    """Search for the tree of fewest nodes within caps; leaves may hold any number of rows.

    Parameters
    ----------
    problem : Problem
        The table.
    caps : Caps
        What the tree may have; `errors` must be stated.
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs are sizes.
    """
    settings = {"max_depth": caps.depth, "max_size": caps.size, "errors": caps.errors}
    names = {name for name, _ in _native.size_accelerators()}
    return _call(_native.least_size, problem, settings, how, names)


def paper_method(method: str, problem: Problem, caps: Caps, how: How) -> dict[str, Any]:
    """Search for the tree of fewest nodes by one of the papers' methods.

    Parameters
    ----------
    method : str
        "box", "subsets", "threshold" or "witness".
    problem : Problem
        The table and the limits on leaves of a class.
    caps : Caps
        What the tree may have; `errors` must be stated.
    how : How
        Limits of the search.

    Returns
    -------
    dict
        What the native module answers; costs are sizes.

    Raises
    ------
    MethodRefused
        If the table is too large for the method.
    """
    leaves = list(problem.leaf_limits.items())
    names = set(accelerators(method))
    settings = {"max_size": caps.size, "errors": caps.errors, "leaves": leaves}
    try:
        return _call(partial(_native.paper_method, method), problem, settings, how, names)
    except _native.Refused as refused:
        raise MethodRefused(f"method={method!r}: {refused}") from refused


def _call(
    search: Callable[..., dict[str, Any]],
    problem: Problem,
    settings: dict[str, Any],
    how: How,
    names: set[str],
) -> dict[str, Any]:
    """Run a native search; a fault of its own becomes an error with a file to replay it."""
    settings |= {
        "time_limit": how.time_limit,
        "memory_limit": how.memory_limit,
        "switches": {name: on for name, on in how.switches.items() if name in names},
    }
    dataset = problem.dataset
    try:
        return search(
            dataset.X,
            dataset.labels.astype(np.uint32),
            dataset.weights.astype(np.uint64),
            len(dataset.classes),
            settings,
            how.heard,
        )
    except _native.CoreError as error:
        path = write_replay(problem, [str(error)])
        raise InternalError(
            f"{error}. Please report this defect of exactree with the file {path}, which holds "
            "the problem."
        ) from error
