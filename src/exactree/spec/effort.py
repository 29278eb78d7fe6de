"""How much the definition would look at, reported before any time is spent."""

from collections import Counter
from math import comb

import numpy as np
from numpy.typing import NDArray

from exactree.errors import MethodRefused
from exactree.problem import Problem
from exactree.rules import Column, SurfaceColumn

__all__ = [
    "FEW_ENSEMBLES", "MAX_ENSEMBLES", "MAX_SUBSETS", "few_ensembles", "labelings_to_join",
    "parts_to_visit", "refuse_large", "refuse_large_ensemble",
]  # fmt: skip

# A part takes about 0.1 ms, so this is about a minute and a half.
MAX_SUBSETS = 1_000_000
# Joining two labelings, or counting the votes of an ensemble, takes about 0.01 ms.
MAX_ENSEMBLES = 5_000_000
# That is about a second. So long a user waits without a limit on time, which no specification
# satisfies; so `method="auto"` takes the definition up to here where an ensemble has no native
# form.
FEW_ENSEMBLES = 100_000
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
        If it would look at more than `MAX_SUBSETS` parts; the message names the better method.
    """
    subsets = parts_to_visit(problem)
    if subsets > MAX_SUBSETS:
        rows, columns = problem.dataset.X.shape
        raise MethodRefused(
            f"The definition enumerates all trees, here by looking at more than {MAX_SUBSETS:,} "
            f"parts of a table of {rows:,} rows and {columns:,} columns; lower max_depth, give it "
            "fewer rows, or use implementation='native' with method='branch-and-bound'."
        )


def refuse_large_ensemble(problem: Problem) -> None:
    """Refuse a problem for which enumerating all ensembles would take too long.

    Parameters
    ----------
    problem : Problem
        The problem the definition is asked to solve.

    Raises
    ------
    MethodRefused
        If it would look at more than `MAX_ENSEMBLES` ensembles or pairs of labelings.
    """
    if not few_ensembles(problem, MAX_ENSEMBLES):
        rows, columns = problem.dataset.X.shape
        raise MethodRefused(
            f"The definition enumerates all ensembles of {problem.n_trees} trees, here more than "
            f"{MAX_ENSEMBLES:,} for a table of {rows:,} rows and {columns:,} columns; lower "
            "max_depth, give it fewer rows, or use method='witness' or method='subsets' with "
            "implementation='spec'."
        )


def few_ensembles(problem: Problem, most: int = FEW_ENSEMBLES) -> bool:
    """Return whether enumerating all ensembles takes at most that many steps.

    Parameters
    ----------
    problem : Problem
        Of two or more trees.
    most : int
        Pairs of labelings that may be joined, and ensembles whose votes may be counted.
    """
    joined, labelings = labelings_to_join(problem)
    return joined <= most and comb(labelings + problem.n_trees - 1, problem.n_trees) <= most


def labelings_to_join(problem: Problem) -> tuple[float, int]:
    """Estimate how many pairs of labelings are joined, and how many labelings there are at most.

    Parameters
    ----------
    problem : Problem
        The problem.

    Returns
    -------
    tuple of float and int
        Infinity and 0 once the pairs are beyond `MAX_ENSEMBLES`.
    """
    ways, depth = _ways_to_divide(problem)
    different = len(np.unique(problem.dataset.X, axis=0))
    classes = len(problem.dataset.classes)
    m = np.arange(len(ways))
    most = float(classes) ** np.minimum(m, different).clip(max=99)
    given, joined = np.full(len(m), float(classes)), np.ones(len(m))
    for _ in range(depth):
        pairs = ways * np.array([given[1:k] @ given[1:k][::-1] / max(k - 1, 1) for k in m])
        joined = 1 + pairs + ways * 2 * _average_side(joined)
        given = np.minimum(most, classes + pairs)
        if joined[-1] > MAX_ENSEMBLES:
            return float("inf"), 0
    return float(joined[-1]), int(given[-1])


def parts_to_visit(problem: Problem) -> float:
    """Estimate how often `definition.front` is called; stops counting beyond `MAX_SUBSETS`.

    A feature with v distinct values is taken to divide m rows in min(m, v) - 1 ways, evenly, and a
    column of codes in one way for each code.

    Parameters
    ----------
    problem : Problem
        The problem.

    Returns
    -------
    float
        The estimate, or infinity once it is beyond `MAX_SUBSETS`.
    """
    ways, depth = _ways_to_divide(problem)
    visits = np.ones(len(ways))
    for _ in range(depth):
        visits = 1 + ways * 2 * _average_side(visits)
        if visits[-1] > MAX_SUBSETS:
            return float("inf")
    return float(visits[-1])


def _ways_to_divide(problem: Problem) -> tuple[NDArray[np.float64], int]:
    """Return for every number of rows the ways to divide them, and the greatest depth."""
    X, limits = problem.dataset.X, problem.limits
    columns = problem.rules.columns(X)
    several = [c for c in columns if isinstance(c, Column)]
    values = np.array([2 if c.codes is not None else len(np.unique(c.values(X))) for c in several])
    # More rows never need less, so looking at the first few of a large table is enough.
    rows = min(len(X), _ROWS_SEEN) if limits.max_depth != 1 else len(X)
    stated = (rows - 1, limits.max_depth, problem.most_size)
    m = np.arange(rows + 1)
    ways = (np.minimum(m[:, None], values[None, :]) - 1).clip(min=0).sum(axis=1).astype(float)
    ways += _ways_of_surfaces([c for c in columns if isinstance(c, SurfaceColumn)], rows)
    return ways, min(most for most in stated if most is not None)


def _ways_of_surfaces(columns: list[SurfaceColumn], rows: int) -> NDArray[np.float64]:
    """Return for every number of rows how many ways surfaces have: Cover's number at most."""
    kinds = Counter(len(column.rule.monomials) for column in columns)
    return np.array(
        [
            sum(
                min(n, 2 * sum(comb(max(m - 1, 0), i) for i in range(g + 1)))
                for g, n in kinds.items()
            )
            for m in range(rows + 1)
        ],
        dtype=np.float64,
    )


def _average_side(amount: NDArray[np.float64]) -> NDArray[np.float64]:
    """Average over the divisions of m rows into 1 + (m - 1) ... (m - 1) + 1."""
    m = np.arange(len(amount))
    side = np.zeros(len(amount))
    side[2:] = np.cumsum(amount[1:])[:-1] / (m[2:] - 1)
    return side
