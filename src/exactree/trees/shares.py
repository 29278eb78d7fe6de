"""The shares of the classes in leaves, smoothed on request."""

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.features import shown

__all__ = ["checked_smoothing", "shares_of_classes"]

# More than the total weight of any table; sums of floats stay within their range.
_MAX_SMOOTHING = 2.0**62


def checked_smoothing(smoothing: Any) -> float | str | None:
    """Return the smoothing of shares, if it is allowed.

    Parameters
    ----------
    smoothing : object
        The user's argument.

    Raises
    ------
    ValueError
        If it is neither None, "laplace" nor a number from 0 to 2**62.
    """
    if smoothing is None or (isinstance(smoothing, str) and smoothing == "laplace"):
        return smoothing
    number = isinstance(smoothing, Real) and not isinstance(smoothing, bool | np.bool_)
    if number and 0 <= smoothing <= _MAX_SMOOTHING:
        return float(smoothing)
    raise ValueError(
        f'smoothing must be None, "laplace" or a number from 0 to 2**62, got {shown(smoothing)}.'
    )


def shares_of_classes(
    value: NDArray[np.float64], smoothing: float | str | None = None
) -> NDArray[np.float64]:
    """Return the share of each class at each node.

    Parameters
    ----------
    value : ndarray of shape (n_nodes, n_classes)
        Weight of each class at each node; the first node is the root.
    smoothing : {"laplace"}, float or None
        None: the shares of the weight. "laplace": one example of each class is added to the node. A
        number m (the m-estimate): m examples with the shares of the whole table are added (Cestnik,
        "Estimating probabilities: a crucial task in machine learning", ECAI 1990).

    Returns
    -------
    ndarray of shape (n_nodes, n_classes)
        Rows that sum to one.
    """
    smoothing = checked_smoothing(smoothing)
    if smoothing == "laplace":
        value = value + 1.0
    elif smoothing:
        value = value + float(smoothing) * value[0] / value[0].sum()
    shares: NDArray[np.float64] = value / value.sum(axis=1, keepdims=True)
    return shares
