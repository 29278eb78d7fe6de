"""The choice of the threshold between two neighbouring values of a feature.

A threshold t of a rule "x[f] <= t goes left" has to satisfy ``low <= t < high`` for the
neighbouring values of the node's subset. Many runtimes (scikit-learn's trees, ONNX) compare in
float32, so a float32 number that also separates the two rounded values is preferred.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["before_rounding", "threshold_between"]

_MINUS_INFINITY = np.float32(-np.inf)
_INFINITY = np.float32(np.inf)


def threshold_between(low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """Return thresholds t with ``low <= t < high``, elementwise.

    If finite float32 numbers t satisfy this and also ``fl32(low) <= t < fl32(high)``, where fl32
    rounds to the nearest float32 number, t is the one nearest the midpoint of `low` and `high`.
    Otherwise t is the float64 midpoint, or `low` where the midpoint rounds to `high`.

    Parameters
    ----------
    low, high : array_like of float
        Finite numbers with ``low < high`` elementwise.

    Returns
    -------
    ndarray of float64
        The thresholds, in the common shape of `low` and `high`. Never -0.0.

    Raises
    ------
    ValueError
        If some `low` is not below its `high`, or a number is not finite.
    """
    below, above = np.asarray(low, np.float64), np.asarray(high, np.float64)
    if not ((below < above) & np.isfinite(below) & np.isfinite(above)).all():
        raise ValueError("threshold_between needs finite numbers with low < high")
    middle = _midpoint(below, above)
    single, exists = _nearest_float32(below, above, middle)
    double = np.where(middle < above, middle, below)
    # Adding zero turns -0.0 into 0.0, so that a threshold's text and its sign bit are unique.
    chosen: NDArray[np.float64] = np.where(exists, single, double) + 0.0
    return chosen


def before_rounding(threshold: float) -> float:
    """Return a threshold for float64 numbers that is equivalent to one for float32 numbers.

    Scikit-learn rounds features to float32 before it compares them. Let a be the last float32
    number that is not above `threshold`, and b the next. Then exactly the numbers up to the
    midpoint of a and b round to `threshold` or less; the midpoint itself rounds to the even number
    of a and b.

    Parameters
    ----------
    threshold : float
        The threshold for float32 numbers.

    Returns
    -------
    float
        The threshold for float64 numbers; infinite if it separates nothing.
    """
    with np.errstate(over="ignore"):
        last = np.float32(threshold)
        if float(last) > threshold:
            last = np.nextafter(last, np.float32(-np.inf))
        following = np.nextafter(last, np.float32(np.inf))
        middle = (float(last) + float(following)) / 2
        rounds_up = float(np.float32(middle)) > threshold
    return float(np.nextafter(middle, -np.inf)) if rounds_up else middle


def _midpoint(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the correctly rounded midpoint.

    Halving after the addition is exact unless the sum is subnormal, and then the addition is exact.
    Halving before the addition is exact wherever the sum overflows.
    """
    with np.errstate(over="ignore", under="ignore"):
        total = low + high
        middle: NDArray[np.float64] = np.where(np.isfinite(total), total / 2, low / 2 + high / 2)
    return middle


def _nearest_float32(
    low: NDArray[np.float64], high: NDArray[np.float64], middle: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the separating float32 number nearest the midpoint, and whether it exists.

    The separating numbers are an interval of float32 numbers: from the first that is not
    below `low` to the last that is below fl32(`high`). (The first is never below fl32(`low`),
    and a float32 number below fl32(`high`) is below `high`, as rounding is monotone.)
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        low32, high32 = _float32(low), _float32(high)
        first = np.where(low32 >= low, low32, np.nextafter(low32, _INFINITY))
        last = np.nextafter(high32, _MINUS_INFINITY)
        exists: NDArray[np.bool_] = (first <= last) & np.isfinite(first)
        nearest = np.minimum(np.maximum(_float32(middle), first), last)
    return nearest.astype(np.float64), exists


def _float32(numbers: NDArray[np.float64]) -> NDArray[Any]:
    return np.asarray(numbers).astype(np.float32)
