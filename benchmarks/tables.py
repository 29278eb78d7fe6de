"""Reading of the tables of comparisons."""

import gzip
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["examples_in", "read_numbers", "read_table", "tiny_table"]


def examples_in(path: Path) -> int:
    """Return the number of examples of a CSV file, without reading its numbers."""
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as lines:
        return sum(1 for line in lines if line.strip()) - 1


def read_table(path: Path) -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return features and labels of a CSV file whose last column is `target`.

    Parameters
    ----------
    path : Path
        A CSV file, compressed or not, with one line of names.

    Returns
    -------
    X : ndarray of shape (n_examples, n_features)
        The features.
    y : ndarray of shape (n_examples,)
        Labels 0, 1, ..., which all compared solvers read correctly.
    """
    X, numbers = read_numbers(path)
    return X, np.unique(numbers, return_inverse=True)[1].astype(np.int64)


def read_numbers(
    path: Path, thresholds: int | None = None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return features and numeric targets of a file as in `read_table`.

    Parameters
    ----------
    path : Path
        As in `read_table`.
    thresholds : int or None
        If given, every feature becomes columns of 0 and 1: whether it is above each of this
        number of quantiles, or above each of its values if these are as few. Equal columns are
        kept once.
    """
    names = np.loadtxt(path, delimiter=",", dtype=str, max_rows=1, ndmin=1)
    if names[-1] != "target":
        raise ValueError(f"the last column of {path.name} must be named target, not {names[-1]}.")
    numbers = np.loadtxt(path, delimiter=",", skiprows=1, ndmin=2)
    X = np.ascontiguousarray(numbers[:, :-1])
    if thresholds is not None:
        X = np.unique(np.hstack([_columns(feature, thresholds) for feature in X.T]), axis=1)
    return np.ascontiguousarray(X), numbers[:, -1]


def _columns(feature: NDArray[np.float64], thresholds: int) -> NDArray[np.float64]:
    """Return a column for each threshold that splits a feature: whether the value is above it."""
    values = np.unique(feature)
    if len(values) > thresholds + 1:
        values = np.unique(np.quantile(feature, np.arange(1, thresholds + 1) / (thresholds + 1)))
    above = feature[:, None] > values
    return above[:, above.any(axis=0) & ~above.all(axis=0)].astype(np.float64)


def tiny_table() -> tuple[NDArray[np.float64], NDArray[Any]]:
    """Return a tiny table for a first fit that triggers lazy imports of a solver.

    Its features are 0 and 1, because some solvers accept no other features.
    """
    first, second = np.divmod(np.arange(36), 6)
    X = np.column_stack([first > 2, second > 3])
    return X.astype(np.float64), (X[:, 0] ^ X[:, 1]).astype(np.int64)
