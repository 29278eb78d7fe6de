"""Fit with exactree: the whole way from a checked table to a recounted tree."""

from typing import Any

from numpy.typing import NDArray

from benchmarks.peers.peer import Answer
from exactree import Limits, Problem, Status, solve


def fit(X: NDArray[Any], y: NDArray[Any], depth: int, time_limit: float) -> Answer:
    """Return the tree of fewest errors within the depth."""
    problem = Problem(X, y, limits=Limits(max_depth=depth))
    outcome = solve(problem, time_limit=time_limit)
    if outcome.tree is None:
        raise RuntimeError(f"no tree: {outcome}")
    return Answer(outcome.tree.predict, outcome.tree.depth, outcome.status is Status.OPTIMAL)
