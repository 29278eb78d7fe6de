"""Random folds for cross-validation."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.theory.checked_numbers import checked_integer

Rows = NDArray[np.int64]


def folds_of(n_examples: int, n_folds: int, seed: Any) -> Iterator[tuple[Rows, Rows]]:
    """Yield the rows outside and inside each fold, in ascending order.

    Parameters
    ----------
    n_examples : int
        At least 2.
    n_folds : int
        At least 2; with fewer examples than folds, each example is a fold.
    seed : int or sequence of int
        Seed of the assignment of examples to folds.
    """
    if n_examples < 2:
        raise ValueError(f"cross-validation needs at least two examples, found {n_examples}.")
    order = np.random.default_rng(seed).permutation(n_examples)
    for fold in np.array_split(order, min(checked_integer("n_folds", n_folds, 2), n_examples)):
        inside = np.zeros(n_examples, dtype=bool)
        inside[fold] = True
        yield np.flatnonzero(~inside), np.flatnonzero(inside)


def sum_of(jobs: Iterable[tuple[Any, ...]], counts_of: Callable[..., Rows]) -> Rows:
    """Return the sum of the counts of several jobs, by the user's joblib backend.

    Parameters
    ----------
    jobs : iterable of tuple
        Arguments of the function, one tuple for each job.
    counts_of : callable
        Returns an array of counts.
    """
    from joblib import Parallel, delayed

    # One job at a time, unless `joblib.parallel_config` is called.
    total: Rows = sum(Parallel()(delayed(counts_of)(*job) for job in jobs))
    return total


def rows_of(X: Any, rows: Rows) -> Any:
    """Return some rows of an array, a list or a data frame, with its column names."""
    if hasattr(X, "iloc"):
        return X.iloc[rows]
    return X[rows] if hasattr(X, "shape") else [X[row] for row in rows.tolist()]
