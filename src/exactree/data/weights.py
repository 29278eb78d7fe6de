"""Conversion of weights to integers on a power-of-two scale: exact if they fit, else rounded."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.numbers import in_python_if_wide, object_column, plain_column

__all__ = [
    "TOTAL_LIMIT",
    "IntegerWeights",
    "bits_for_rounding",
    "integer_weights",
    "read_weights",
    "total_limit",
]

# Totals of integer weights are below this number: their sums and differences fit into 64 bits.
TOTAL_LIMIT = 2**62
_MIN_TOTAL = 2.0**-900


@dataclass(frozen=True, eq=False)
class IntegerWeights:
    """Positive integer weights, their scale, and the rounding error.

    Attributes
    ----------
    weights : ndarray of int64
        A user's weight is ``weights / scale``, up to `rounding`.
    scale : int
        A power of two; 1 for integer weights.
    rounding : float
        Largest relative rounding; 0.0 when every weight is exact.
    """

    weights: NDArray[np.int64]
    scale: int
    rounding: float


def read_weights(sample_weight: Any, rows: int) -> NDArray[Any]:
    """Check the weights of all rows.

    Parameters
    ----------
    sample_weight : array-like or None
        One finite, non-negative number per row; None means 1 each.
    rows : int
        Number of rows of the table.

    Returns
    -------
    ndarray
        Of an integer dtype if the user's weights have one, else float64.

    Raises
    ------
    ValueError, TypeError
        If a weight is negative, NaN or infinite, or all are zero.
    """
    if sample_weight is None:
        return np.ones(rows, dtype=np.int64)
    weights = _read(sample_weight)
    if weights.shape != (rows,):
        raise ValueError(
            f"sample_weight must be 1D with one number per row: X has {rows:,} rows, "
            f"sample_weight has shape {weights.shape}."
        )
    finite = np.isfinite(weights)
    if not finite.all():
        row = int(np.argmin(finite))
        raise ValueError(
            f"sample_weight, row {row}: {float(weights[row])} is not allowed; weights must be "
            "finite numbers (neither NaN nor inf)."
        )
    if (weights < 0).any():
        row = int(np.argmax(weights < 0))
        raise ValueError(
            f"Negative values in data passed to sample_weight: row {row} has {weights[row]}; "
            "weights must be at least 0."
        )
    if not weights.any():
        raise ValueError(
            "sample_weight is zero in every row; at least one weight must be positive."
        )
    return weights


def total_limit(penalty_denominator: int | None, rows: int) -> int:
    """Return the exclusive upper bound on the total of integer weights.

    Parameters
    ----------
    penalty_denominator : int or None
        Denominator of the leaf penalty, None without one. A search multiplies integer weights by
        this denominator, or by a smaller number of at most twice the rows, to make the price of a
        leaf an integer (see `exactree.objectives.penalty`). The bound is 2**62 divided by the
        smaller of the two factors, and by two, because the price of a leaf is added.
    rows : int
        Number of rows.
    """
    if penalty_denominator is None:
        return TOTAL_LIMIT
    return TOTAL_LIMIT // (2 * min(penalty_denominator, 2 * rows))


def integer_weights(
    weights: NDArray[Any],
    penalty_denominator: int | None,
    place: str = "sample_weight: the total",
) -> IntegerWeights:
    """Turn positive weights into integers; weights that do not fit exactly are rounded once.

    Parameters
    ----------
    weights : ndarray
        Positive and finite.
    penalty_denominator : int or None
        Denominator of the leaf penalty, None without one: see `total_limit`.
    place : str
        The name of the total in error messages, such as "sample_weight: the total".

    Returns
    -------
    IntegerWeights
        Exact, on the smallest scale that makes all weights integers; or rounded, on the largest
        scale whose total fits.

    Raises
    ------
    ValueError
        If the total does not fit.
    """
    limit = total_limit(penalty_denominator, len(weights))
    if weights.dtype.kind in "biu":
        high, low = np.divmod(weights.astype(np.uint64), np.uint64(1 << 32))
        total = (int(high.sum()) << 32) + int(low.sum())  # neither sum leaves 64 bits
        if total >= limit:
            raise ValueError(_too_large(place, total, limit))
        return IntegerWeights(weights.astype(np.int64), 1, 0.0)
    total_weight = _rounded_total(weights)
    _check_total(total_weight, limit, place)
    bits = _bits_below_the_point(weights)
    if total_weight * 2.0 ** min(bits, 1000) < limit:
        exact = np.ldexp(weights, bits).astype(np.int64)
        if int(exact.sum()) < limit:
            return IntegerWeights(exact, 1 << bits, 0.0)
    rounded = _rounded(weights, total_weight, bits, limit)
    if rounded is None:
        raise ValueError(_too_large(place, total_weight, limit))
    return rounded


def bits_for_rounding(total: Fraction, rows: int, limit: int, place: str) -> int:
    """Return the maximum number of fractional bits to which weights can be rounded.

    Parameters
    ----------
    total : Fraction
        The exact total of all weights.
    rows : int
        The number of weights; each is rounded up by less than one unit.
    limit : int
        The exclusive upper bound on the total of the rounded weights, in units of the last bit.
    place : str
        As in `integer_weights`.

    Raises
    ------
    ValueError
        If the total is too large even without fractional bits, or too small.
    """
    try:
        rounded_total = float(total)
    except OverflowError:
        rounded_total = inf
    _check_total(rounded_total, limit, place)
    exact_limit = limit - rows
    if total >= exact_limit:
        raise ValueError(_too_large(place, float(total), limit))
    return ((exact_limit * total.denominator - 1) // total.numerator).bit_length() - 1


def _rounded(
    weights: NDArray[np.float64], total: float, bits: int, limit: int
) -> IntegerWeights | None:
    """Round to the finest scale whose total fits, if there is one."""
    if bits == 0:
        return None  # the weights are whole numbers: a scale of 1 is the smallest
    scale_bits = min(bits, limit.bit_length() - int(np.frexp(total)[1]))
    while scale_bits >= 0:
        scaled = np.ldexp(weights, scale_bits)
        # A row of positive weight keeps at least weight 1, however small its weight is.
        rounded = np.maximum(np.rint(scaled), 1.0)
        if fsum(rounded.tolist()) < limit:
            integers = rounded.astype(np.int64)
            with np.errstate(over="ignore"):
                rounding = float(np.max(np.abs(rounded - scaled) / scaled))
            return IntegerWeights(integers, 1 << scale_bits, rounding)
        scale_bits -= 1
    return None


def _read(sample_weight: Any) -> NDArray[Any]:
    """Return integer weights as integers, other weights as float64."""
    sample_weight = in_python_if_wide(sample_weight)
    if hasattr(sample_weight, "to_numpy"):
        sample_weight = sample_weight.to_numpy()
    try:
        weights = np.asarray(sample_weight)
    except ValueError:
        raise ValueError("sample_weight must be one number per row.") from None
    if weights.dtype.kind in "biu":
        return weights.astype(np.int64) if weights.dtype.kind == "b" else weights
    if weights.dtype.kind == "O" and weights.ndim == 1:
        return object_column(weights.tolist(), "sample_weight")
    if weights.dtype.kind != "f":
        raise ValueError("sample_weight must be one number per row, not text.")
    return plain_column(weights, "sample_weight")


def _rounded_total(weights: NDArray[np.float64]) -> float:
    """Return the exact total, rounded once to a float64; inf if it is too large for one."""
    try:
        return fsum(weights.tolist())
    except OverflowError:
        return inf


def _check_total(total: float, limit: int, place: str) -> None:
    """Refuse a total that is not below the limit, or too small to be scaled by a power of two."""
    if total >= limit:
        raise ValueError(_too_large(place, total, limit))
    if total < _MIN_TOTAL:
        raise ValueError(
            f"{place} {total:g} is too small; multiply all weights by a common "
            "factor so that it is at least 2**-900."
        )


def _bits_below_the_point(weights: NDArray[np.float64]) -> int:
    """Return the smallest k for which every weight times 2**k is an integer."""
    fractions, exponents = np.frexp(weights)
    integers = np.ldexp(fractions, 53).astype(np.int64)
    trailing_zeros = np.frexp((integers & -integers).astype(np.float64))[1] - 1
    return max(0, int((53 - trailing_zeros - exponents).max()))


def _too_large(place: str, total: float, limit: int) -> str:
    return (
        f"{place} must be below {limit:,} here, but it is {total:,}; divide all "
        "weights by a common factor, or round leaf_penalty to fewer decimals."
    )
