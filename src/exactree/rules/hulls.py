"""The direction of widest margin between two sets of examples.

Wolfe's algorithm (1976) finds the shortest vector in the convex hull of all differences of an
example on the right and an example on the left. It keeps few differences, computes the shortest
vector of their hull, and adds the difference with the smallest component in its direction. That
component is the margin of the direction. No margin is wider than the vector is long, so each step
has a lower and an upper bound.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["WidestMargin", "widest_margin", "widest_margin_weights"]

# Share of the widest margin that is reached, unless rounding errors end the search before.
_SHARE = 1 - 1e-9
_MAX_STEPS = 1000


@dataclass(frozen=True)
class WidestMargin:
    """A direction, and the margin between two sets in it.

    Attributes
    ----------
    weights : ndarray of float64, shape (d,)
        Sums weighted with these are smaller on the left than on the right if `margin` is positive.
    margin : float
        The margin for weights of length 1.
    bound : float
        No direction has a wider margin.
    """

    weights: NDArray[np.float64]
    margin: float
    bound: float


def widest_margin(left: NDArray[np.float64], right: NDArray[np.float64]) -> WidestMargin:
    """Return the direction of widest margin between two sets, up to rounding errors.

    Parameters
    ----------
    left, right : ndarray of float64, shape (n, d)
        The two sets.
    """
    shortest = right[0] - left[0]
    kept, shares = shortest[None], np.ones(1)
    best, bound = WidestMargin(shortest, -np.inf, np.inf), np.inf
    for _ in range(_MAX_STEPS):
        length = float(np.sqrt(shortest @ shortest))
        if length == 0 or length >= bound:  # only rounding errors are left
            bound = min(bound, length)
            break
        bound = length
        nearest = right[np.argmin(right @ shortest)] - left[np.argmax(left @ shortest)]
        margin = float(nearest @ shortest) / length
        if margin > best.margin:
            best = WidestMargin(shortest, margin, bound)
        if margin >= _SHARE * length or (kept == nearest).all(axis=1).any():
            break
        kept, shares = _shortest(np.vstack([kept, nearest]), np.append(shares, 0.0))
        shortest = shares @ kept
    return WidestMargin(best.weights, best.margin, bound)


def _shortest(
    kept: NDArray[np.float64], shares: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the vectors, and their shares, of which the shortest vector of a hull is composed.

    The shortest vector of the flat that the vectors span may lie outside of their hull. Then the
    algorithm moves towards it up to the border of the hull, and drops the vectors without a share.
    """
    while True:
        edges = (kept[1:] - kept[0]).T
        inner = np.linalg.lstsq(edges, -kept[0], rcond=None)[0]
        target = np.concatenate([[1 - inner.sum()], inner])
        if (target > 0).all():
            return kept, target
        outside = target <= 0
        drop = shares[outside] - target[outside]
        steps = np.divide(shares[outside], drop, out=np.zeros(outside.sum()), where=drop > 0)
        shares = shares + steps.min() * (target - shares)
        shares[np.flatnonzero(outside)[np.argmin(steps)]] = 0.0
        positive = shares > 0
        kept, shares = kept[positive], shares[positive] / shares[positive].sum()


def widest_margin_weights(P: NDArray[np.float64], left: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the weights of the widest margin, in columns scaled to the same range.

    Parameters
    ----------
    P : ndarray of float64, shape (n, d)
        A table. A column with numbers that are not finite gets the weight 0.
    left : ndarray of bool, shape (n,)
        The rows on the left: some, and not all.
    """
    scale = scales(P)
    with np.errstate(over="ignore", invalid="ignore", under="ignore"):
        Q = np.where(scale > 0, (P - P.min(axis=0)) * scale, 0.0)
    found: NDArray[np.float64] = widest_margin(Q[left], Q[~left]).weights * scale
    return found


def scales(P: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a power of two for each column that scales its range to about 1 without rounding.

    Parameters
    ----------
    P : ndarray of float64, shape (n, d)
        A table. The scale of a column with numbers that are not finite is 0.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        width = P.max(axis=0) - P.min(axis=0)
    finite = np.isfinite(P).all(axis=0) & np.isfinite(width)
    powers = np.frexp(np.where(finite & (width > 0), width, 1.0))[1]
    return np.where(finite, np.ldexp(1.0, np.minimum(-powers, 1000)), 0.0)
