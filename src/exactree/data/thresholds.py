"""The choice of the threshold between two neighbouring values of a feature.

A threshold t of a rule "x[f] <= t goes left" satisfies ``low <= t < high`` for the neighbouring
values of the node's subset. Many runtimes round features to float32 (scikit-learn, ONNX), some of
them also thresholds, so a threshold that also separates the rounded values is preferred. Of these
the shortest decimal is taken: people read thresholds.
"""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from functools import cache
from math import inf, nextafter
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["before_rounding", "middle_between", "same_in_float32", "threshold_between"]

_MINUS_INFINITY = np.float32(-np.inf)
_INFINITY = np.float32(np.inf)
# Float32 rounds as if its numbers went on: the next after the greatest would be 2^128.
_AFTER_FLOAT32 = 2.0**128
# Sums of two float64 numbers have at most 309 digits before and 1074 after the decimal point.
_EXACT = Context(prec=1400, Emin=MIN_EMIN, Emax=MAX_EMAX)
_HALF = Decimal("0.5")
# Every float64 number has a decimal of at most 17 digits that no other float64 number is nearer to.
_MAX_DIGITS = 17
_CONTEXTS = [
    tuple(
        Context(prec=digits, rounding=rounding, Emin=MIN_EMIN, Emax=MAX_EMAX)
        for rounding in (ROUND_FLOOR, ROUND_CEILING)
    )
    for digits in range(1, _MAX_DIGITS + 1)
]
# Different decimals of at most 15 digits are different float64 numbers, unless these are tiny.
_DIFFERENT_DIGITS, _TINY = 15, 1e-290


def threshold_between(low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """Return thresholds t with ``low <= t < high``, elementwise.

    If any of these t also satisfy ``fl32(low) <= t`` and ``fl32(t) < fl32(high)``, where fl32
    rounds to the nearest float32 number, only those count: they separate rounded values whether or
    not t itself is rounded. Of these t is the decimal with the fewest significant digits, then the
    one nearest the midpoint of `low` and `high`, then the smaller. Zero has one digit.

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
    below, above = _checked(low, high)
    ends = (numbers.ravel().tolist() for numbers in (below, above, *_ends(below, above)))
    # Trees of a list share most of their thresholds.
    chosen = cache(_shortest)
    thresholds = [chosen(*row) for row in zip(*ends, strict=True)]
    return np.array(thresholds, dtype=np.float64).reshape(below.shape)


def same_in_float32(low: NDArray[np.float64], high: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return whether thresholds between values separate them after rounding, elementwise.

    Parameters
    ----------
    low, high : ndarray of float64
        As for `threshold_between`.
    """
    differ: NDArray[np.bool_] = _float32(low) < _float32(high)
    return differ


def middle_between(low: ArrayLike, high: ArrayLike) -> NDArray[np.float64]:
    """Return the midpoints, elementwise, or `low` where the midpoint rounds to `high`.

    Thresholds of weighted sums lie there, as far from the rounding errors of both sums as possible.

    Parameters
    ----------
    low, high : array_like of float
        Finite numbers with ``low < high`` elementwise.

    Raises
    ------
    ValueError
        If some `low` is not below its `high`, or a number is not finite.
    """
    below, above = _checked(low, high)
    # Halving after the addition is exact unless the sum is subnormal, and then the addition is
    # exact. Halving before the addition is exact wherever the sum overflows.
    with np.errstate(over="ignore", under="ignore"):
        total = below + above
        middle = np.where(np.isfinite(total), total / 2, below / 2 + above / 2)
    # Adding zero turns -0.0 into 0.0, so that a threshold's text and its sign bit are unique.
    chosen: NDArray[np.float64] = np.where(middle < above, middle, below) + 0.0
    return chosen


def before_rounding(threshold: float) -> float:
    """Return a threshold for float64 numbers that is equivalent to one for float32 numbers.

    Scikit-learn rounds features to float32 before it compares them.

    Parameters
    ----------
    threshold : float
        The threshold for float32 numbers.

    Returns
    -------
    float
        The threshold for float64 numbers; infinite if it separates nothing.
    """
    if np.isinf(threshold):
        return threshold
    last = _float32(threshold)
    if float(last) > threshold:
        last = np.nextafter(last, _MINUS_INFINITY)
    return float(_last_rounded_to(last))


def _checked(low: ArrayLike, high: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    below, above = np.broadcast_arrays(np.asarray(low, np.float64), np.asarray(high, np.float64))
    if not ((below < above) & np.isfinite(below) & np.isfinite(above)).all():
        raise ValueError("a threshold needs finite numbers with low < high")
    return below, above


def _ends(
    low: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the first and the last float64 numbers that may be thresholds.

    If float32 distinguishes `low` and `high`, the numbers that also separate the rounded values are
    an interval of float64 numbers, as rounding is monotone. It contains the greater of `low` and
    fl32(`low`), which float32 rounds to fl32(`low`).
    """
    differ = same_in_float32(low, high)
    with np.errstate(over="ignore"):
        before32 = np.nextafter(_float32(high), _MINUS_INFINITY)
    before = np.nextafter(high, -np.inf)
    last = np.minimum(before, _last_rounded_to(before32))
    return np.where(differ, np.maximum(low, _float32(low)), low), np.where(differ, last, before)


def _last_rounded_to(numbers: Any) -> NDArray[np.float64]:
    """Return the greatest float64 numbers that float32 rounds to given float32 numbers or less.

    Exactly the numbers up to the midpoint of a float32 number and the next round to it or less;
    the midpoint itself rounds to the even number of the two.
    """
    with np.errstate(over="ignore"):
        ends = (numbers, np.nextafter(numbers, _INFINITY))
    low, high = (np.clip(end, -_AFTER_FLOAT32, _AFTER_FLOAT32, dtype=np.float64) for end in ends)
    middle = (low + high) / 2
    rounds_up = _float32(middle) > numbers
    last: NDArray[np.float64] = np.where(rounds_up, np.nextafter(middle, -np.inf), middle)
    return last


def _float32(numbers: ArrayLike) -> Any:
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(numbers, np.float64).astype(np.float32)


def _shortest(low: float, high: float, first: float, last: float) -> float:
    """Return the shortest decimal from `first` to `last`, of these the one nearest the midpoint.

    If a decimal of some number of digits is between `first` and `last`, so is one of the two next
    to the midpoint, or next to the end that is nearest the midpoint: rounding a decimal to float64
    is monotone.
    """
    middle = start = _EXACT.multiply(_EXACT.add(Decimal(low), Decimal(high)), _HALF)
    rounded = float(middle)
    if not first < rounded < last:
        start = min(max(middle, Decimal(first)), Decimal(last))
    for digits, (down, up) in enumerate(_CONTEXTS, 1):
        below, above = down.plus(start), up.plus(start)
        near = [each for each in (below, above) if first <= float(each) <= last]
        if near:
            if digits > _DIFFERENT_DIGITS or abs(rounded) < _TINY:
                near = _with_neighbours(near, first, last)
            if len(near) > 1:
                near.sort(key=lambda each: (_EXACT.subtract(each, middle).copy_abs(), each))
            return float(near[0]) + 0.0  # 0.0 for -0.0, so that text and sign bit are unique
    raise AssertionError("every float64 number is a decimal of 17 digits")


def _with_neighbours(near: list[Decimal], first: float, last: float) -> list[Decimal]:
    """Return decimals and their neighbours among the texts of float64 numbers, only the shortest.

    Several decimals of the same length may be the same float64 number; its text is the nearest of
    them, which may be farther from the midpoint than the text of a neighbour.
    """
    numbers = {float(each) for each in near}
    for _ in range(2):
        numbers |= {nextafter(number, end) for number in numbers for end in (-inf, inf)}
    texts = [Decimal(repr(number)) for number in numbers if first <= number <= last]
    shortest = min(map(_digits, texts))
    return [text for text in texts if _digits(text) == shortest]


def _digits(decimal: Decimal) -> int:
    return len(decimal.normalize().as_tuple().digits)
