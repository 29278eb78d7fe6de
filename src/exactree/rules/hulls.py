"""A direction that separates two sets of examples: between close points of their hulls."""

import numpy as np
from numpy.typing import NDArray

__all__ = ["between_hulls"]

# Steps towards the closest pair; the margin hardly grows beyond.
_STEPS = 200


def between_hulls(
    left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64] | None:
    """Return the difference of two close points of two hulls; None if they nearly touch.

    Gilbert's algorithm: step by step towards the corner that is farthest back. Sums weighted with
    the difference are smaller on the left than on the right, if the hulls are far enough apart.

    Parameters
    ----------
    left, right : ndarray of float64, shape (n, d)
        The two sets.
    """
    apart = right.mean(axis=0) - left.mean(axis=0)
    for _ in range(_STEPS):
        corner = right[np.argmin(right @ apart)] - left[np.argmax(left @ apart)]
        step = apart - corner
        size = float(step @ step)
        if size == 0 or float(step @ apart) <= 1e-12 * float(apart @ apart):
            break
        apart = apart - min(1.0, float(step @ apart) / size) * step
    return apart if apart.any() else None
