"""The exact number that a value of a table stands for: a short decimal, or the double itself.

A measurement of 0.1 is a tenth and not the double next to it. If it were that double, rounding
would put examples off the lines that they lie on, and a table in tenths would have other
dichotomies by surfaces than the same table in whole numbers. Every decimal of few digits has a
double of its own, so no values become equal, and their order stays.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm

import numpy as np
from numpy.typing import NDArray

__all__ = ["MAX_DIGITS", "integers", "reading", "readings"]

# A double drawn at random is a decimal of as few digits once in a million times.
MAX_DIGITS = 10


def reading(value: float) -> Fraction:
    """Return the decimal of at most ten significant digits that a double stands for, else itself.

    Parameters
    ----------
    value : float
        A finite number.
    """
    short = f"{value:.{MAX_DIGITS - 1}e}"
    return Fraction(short) if float(short) == value else Fraction(value)


def readings(X: NDArray[np.float64]) -> list[list[Fraction]]:
    """Return the reading of every value of a table, by row.

    Parameters
    ----------
    X : ndarray of float64, shape (n, d)
        The table, without missing values.
    """
    return [[reading(value) for value in row] for row in X.tolist()]


def integers(rows: Sequence[Sequence[Fraction]]) -> tuple[list[list[int]], list[Fraction]]:
    """Return numbers as integers, each column times a factor, and the factors.

    Parameters
    ----------
    rows : sequence of sequence of Fraction
        The rows, all of the same length.
    """
    columns: list[list[int]] = []
    factors: list[Fraction] = []
    for column in zip(*rows, strict=True):
        common = lcm(*(number.denominator for number in column))
        numbers = [number.numerator * (common // number.denominator) for number in column]
        shared = min(((n & -n).bit_length() - 1 for n in numbers if n), default=0)
        columns.append([n >> shared for n in numbers])
        factors.append(Fraction(common, 1 << shared))
    return [list(row) for row in zip(*columns, strict=True)], factors
