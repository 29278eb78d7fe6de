"""Adapter of exactree, from the checked table to the verified tree."""

from fractions import Fraction
from math import nextafter
from typing import Any

from numpy.typing import NDArray

from benchmarks.peers.peer import Answer
from exactree import Limits, Problem, Status, solve


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the tree with the fewest errors within the depth."""
    problem = Problem(X, y, limits=Limits(max_depth=depth))
    outcome = solve(problem, time_limit=time_limit)
    if outcome.tree is None:
        raise RuntimeError(f"no tree: {outcome}")
    return Answer(outcome.tree.predict, outcome.tree.depth, outcome.status is Status.OPTIMAL)


def regression(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the tree of minimum squared error within the depth."""
    problem = Problem(X, y, minimize="squared_error", limits=Limits(max_depth=depth))
    outcome = solve(problem, time_limit=time_limit)
    if outcome.tree is None:
        raise RuntimeError(f"no tree: {outcome}")
    return Answer(outcome.tree.predict, outcome.tree.depth, outcome.status is Status.OPTIMAL)


def sparse(X: NDArray[Any], y: NDArray[Any], leaf_penalty: str, time_limit: float) -> Answer:
    """Return the tree of minimum errors plus leaf penalties."""
    outcome = solve(Problem(X, y, leaf_penalty=Fraction(leaf_penalty)), time_limit=time_limit)
    tree = outcome.tree
    if tree is None:
        raise RuntimeError(f"no tree: {outcome}")
    assert not isinstance(outcome.lower_bound, tuple)
    floor = nextafter(float(outcome.lower_bound), 0.0)
    return Answer(tree.predict, tree.depth, outcome.status is Status.OPTIMAL, tree.size, floor)


def smallest(X: NDArray[Any], y: NDArray[Any], max_errors: int, time_limit: float) -> Answer:
    """Return the tree with the fewest nodes within a number of errors."""
    problem = Problem(X, y, minimize="size", limits=Limits(max_errors=max_errors))
    outcome = solve(problem, time_limit=time_limit)
    bound, proved = outcome.lower_bound, outcome.status is Status.OPTIMAL
    assert isinstance(bound, int)
    if outcome.tree is None:
        return Answer(None, 0, proved, None, bound)
    return Answer(outcome.tree.predict, outcome.tree.depth, proved, outcome.tree.size, bound)
