"""The call that compares examples of different classes."""

import numpy as np
from numpy.typing import NDArray

from exactree import _native

__all__ = ["largest_difference"]


def largest_difference(
    ranks: NDArray[np.int64], labels: NDArray[np.int64], time_limit: float | None = None
) -> tuple[int, bool]:
    """Return the largest number of features in which two examples of different classes differ.

    Parameters
    ----------
    ranks : ndarray of int64, shape (n, d)
        Non-negative numbers below 2**32, equal in a feature iff the examples' values are.
    labels : ndarray of int64, shape (n,)
        Class indices.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    tuple of int and bool
        delta_max, 0 with a single class; and whether all pairs were compared. If the time ran out
        before, the number is the largest found so far.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    codes = ranks.astype(np.uint32)
    found, stopped_by = _native.largest_difference(codes, labels.astype(np.uint32), time_limit)
    if stopped_by == "interrupt":
        raise KeyboardInterrupt
    return found, stopped_by is None
