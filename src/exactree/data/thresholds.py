"""The threshold between two neighbouring values of a feature, chosen once, here.

A threshold t of a rule "x[f] <= t goes left" has to satisfy ``low <= t < high`` for the
neighbouring values of the node's part. Many runtimes (scikit-learn's trees, ONNX) compare in
float32, so a float32 number that separates the two values there too is preferred.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["before_rounding", "threshold_between"]

_LEAST = np.float32(-np.inf)
_GREATEST = np.float32(np.inf)


def threshold_between(low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """Return thresholds t with ``low <= t < high``, elementwise.

    If a finite float32 number t satisfies this and also ``fl32(low) <= t < fl32(high)``,
    where fl32 rounds to the nearest float32 number, the one nearest the midpoint is taken;
    else the float64 midpoint, or `low` where the midpoint rounds to `high`.

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
    below, above = np.broadcast_arrays(np.asarray(low, np.float64), np.asarray(high, np.float64))
    if not (np.all(below < above) and np.all(np.isfinite(below) & np.isfinite(above))):
        raise ValueError("threshold_between needs finite numbers with low < high")
    middle = _midpoint(below, above)
    single, exists = _nearest_float32(below, above, middle)
    double = np.where(middle < above, middle, below)
    # Adding zero turns -0.0 into 0.0, so that a threshold's text and its sign bit are unique.
    chosen: NDArray[np.float64] = np.where(exists, single, double) + 0.0
    return chosen


def before_rounding(threshold: float) -> float:
    """Return a threshold that divides float64 numbers as another divides what they round to.

    Scikit-learn rounds features to float32 before it compares them. The numbers that round to
    `threshold` or less are those up to the middle between the last float32 number that is not
    above it and the next one; the middle itself rounds to the even one of the two.

    Parameters
    ----------
    threshold : float
        What float32 numbers are compared with.

    Returns
    -------
    float
        What float64 numbers are compared with; infinite where nothing can be divided.
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

    Halving after the sum is exact unless the sum is subnormal, and then the sum was exact;
    halving before it is exact wherever the sum overflows.
    """
    with np.errstate(over="ignore", under="ignore"):
        total = low + high
        middle: NDArray[np.float64] = np.where(np.isfinite(total), total / 2, low / 2 + high / 2)
    return middle


def _nearest_float32(
    low: NDArray[np.float64], high: NDArray[np.float64], middle: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the separating float32 number nearest the midpoint, and whether there is one.

    The separating numbers are an interval of float32 numbers: from the first that is not
    below `low` to the last that is below fl32(`high`). (The first is never below fl32(`low`),
    and a float32 number below fl32(`high`) is below `high`, as rounding is monotone.)
    """
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        low32, high32 = _float32(low), _float32(high)
        first = np.where(low32 >= low, low32, np.nextafter(low32, _GREATEST))
        last = np.nextafter(high32, _LEAST)
        exists: NDArray[np.bool_] = (first <= last) & np.isfinite(first)
        nearest = np.minimum(np.maximum(_float32(middle), first), last)
    return nearest.astype(np.float64), exists


def _float32(numbers: NDArray[np.float64]) -> NDArray[Any]:
    return np.asarray(numbers).astype(np.float32)
