"""Thresholds are the shortest decimals that separate their two values, also after rounding."""

import time
from collections.abc import Iterator
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from exactree.data import threshold_between
from exactree.data.thresholds import before_rounding, middle_between, same_in_float32

finite = st.floats(allow_nan=False, allow_infinity=False)
MAX_FLOAT32 = float(np.finfo(np.float32).max)


def fl32(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def separates(t: float, low: float, high: float) -> bool:
    return low <= t < high


def separates_in_float32(t: float, low: float, high: float) -> bool:
    """Return whether t separates the rounded values, whether or not it is rounded itself."""
    return fl32(low) <= t < fl32(high) and fl32(low) <= fl32(t) < fl32(high)


def digits(t: float) -> int:
    """Return the number of significant digits of the shortest text of a number."""
    mantissa = repr(t).split("e")[0].replace(".", "").replace("-", "")
    return max(1, len(mantissa.strip("0")))


def middle_of(low: float, high: float) -> Fraction:
    return (Fraction(low) + Fraction(high)) / 2


def decimals(low: float, high: float, length: int) -> Iterator[float]:
    """List the float64 numbers near an interval whose shortest text has so many digits, or fewer.

    They are multiples of a power of ten; smaller powers of ten than a tenth of the interval give
    only numbers that are farther from the midpoint than some other, or numbers next to zero.
    """
    largest = max(abs(low), abs(high))
    top = len(str(int(largest))) if largest >= 1 else 1 - len(repr(Fraction(largest)))
    for power in range(-345, 310):
        unit = Fraction(10) ** power
        first, last = int(Fraction(low) / unit) - 2, int(Fraction(high) / unit) + 2
        del top
        if last - first > 40:
            break
        for count in range(first, last + 1):
            if len(str(abs(count)).rstrip("0")) <= length:
                yield float(count * unit)
