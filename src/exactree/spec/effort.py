"""How many parts the definition would look at, told before any time is spent."""

import numpy as np
from numpy.typing import NDArray

from exactree.errors import MethodRefused
from exactree.problem import Problem

__all__ = ["MOST_PARTS", "parts_to_visit", "refuse_large"]

# A part takes about 0.1 ms, so this is about a minute and a half.
MOST_PARTS = 1_000_000
_ROWS_SEEN = 128


def refuse_large(problem: Problem) -> None:
    """Refuse a problem for which enumerating all trees would take too long.

    Parameters
    ----------
    problem : Problem
        The problem the definition is asked to solve.

    Raises
    ------
    MethodRefused
        If it would look at more than `MOST_PARTS` parts; the message names the better method.
    """
    parts = parts_to_visit(problem)
    if parts > MOST_PARTS:
        rows, columns = problem.dataset.X.shape
        raise MethodRefused(
            f"The definition enumerates all trees, here by looking at more than {MOST_PARTS:,} "
            f"parts of a table of {rows:,} rows and {columns:,} columns; lower max_depth, give it "
            "fewer rows, or use implementation='native' with method='branch-and-bound'."
        )


def parts_to_visit(problem: Problem) -> float:
    """Estimate how often `definition.best` is called; stops counting beyond `MOST_PARTS`.

    A feature with v distinct values is taken to divide m rows in min(m, v) - 1 ways, evenly.

    Parameters
    ----------
    problem : Problem
        The problem.

    Returns
    -------
    float
        The estimate, or infinity once it is beyond `MOST_PARTS`.
    """
    X, limits = problem.dataset.X, problem.limits
    values = np.array([len(np.unique(column)) for column in X.T])
    # More rows never need less, so looking at the first few of a large table is enough.
    rows = min(len(X), _ROWS_SEEN) if limits.max_depth != 1 else len(X)
    depth = rows - 1 if limits.max_depth is None else min(limits.max_depth, rows - 1)
    size = None if limits.max_size is None else min(limits.max_size, rows - 1)
    if size is not None:
        depth = min(depth, size)
    m = np.arange(rows + 1)
    ways = (np.minimum(m[:, None], values[None, :]) - 1).clip(min=0).sum(axis=1).astype(float)
    budgets = 1 if size is None else size + 1
    visits = np.ones((budgets, rows + 1))
    for _ in range(depth):
        visits = _one_deeper(visits, ways, unlimited=size is None)
        if visits[-1, -1] > MOST_PARTS:
            return float("inf")
    return float(visits[-1, -1])


def _one_deeper(
    visits: NDArray[np.float64], ways: NDArray[np.float64], *, unlimited: bool
) -> NDArray[np.float64]:
    """Return the visits per budget and number of rows when one more level is allowed."""
    m = np.arange(visits.shape[1])
    # Average over the divisions of m rows into 1 + (m - 1) ... (m - 1) + 1.
    side = np.zeros_like(visits)
    side[:, 2:] = np.cumsum(visits[:, 1:], axis=1)[:, :-1] / (m[2:] - 1)
    deeper = np.ones_like(visits)
    if unlimited:
        deeper[0] += ways * 2 * side[0]
    else:
        for size in range(1, len(visits)):
            rest = np.minimum(size, np.maximum(m - 1, 1)) - 1
            below = 2 * np.cumsum(side, axis=0)
            deeper[size] += ways * below[rest, m]
    return deeper
