"""The call that compares examples of different classes."""

import numpy as np
from numpy.typing import NDArray

from exactree import _native

__all__ = ["largest_difference"]


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
