"""Exact weighted sums of numbers, of their squares and of their distances, by digits in int64."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["TargetSums"]

_DIGIT_BITS = 16
# Three digits below 2**16 may stand at one place. Weights up to 2**45 in all then sum them up in
# int64, and are counted exactly in float64.
_WEIGHT_BITS = 45
# A float64 is an integer below 2**53 times a power of two. Its halves are multiplied apart.
_MANTISSA_BITS, _HALF_BITS = 53, 27
# Numbers whose digits are made together: as many as fit into a cache, with what comes of them.
_AT_ONCE = 1 << 14


class TargetSums:
    """Sums of weights, of numbers, of their squares and of their distances, exact.

    Parameters
    ----------
    numbers : ndarray of float64
        Finite and distinct, in ascending order.

    Attributes
    ----------
    scale : int
        What the numbers are multiplied with to be integers: a power of two.
    """

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        fraction, exponent = np.frexp(numbers)
        mantissa = np.ldexp(fraction, _MANTISSA_BITS).astype(np.int64)
        # Without the powers of two in it: the exponent of its lowest bit.
        lowest_bit = (mantissa & -mantissa).astype(np.float64)
        zeros = np.where(mantissa == 0, 0, np.frexp(lowest_bit)[1] - 1)
        power = np.where(mantissa == 0, 0, exponent - _MANTISSA_BITS + zeros).astype(np.int64)
        least = min(int(power.min(initial=0)), 0)
        self.scale = 1 << -least
        self._odd, self._shifts = mantissa >> zeros, power - least

    def number(self, code: int) -> int:
        """Return the number with a code, times the scale."""
        return int(self._odd[code]) << int(self._shifts[code])

    @cached_property
    def _digits(self) -> NDArray[np.int64]:
        """Digits to the base 2**16 of every number, lowest first; all have its sign."""
        digits = _blank(_MANTISSA_BITS, self._shifts)
        _add(digits, np.abs(self._odd), self._shifts)
        digits *= np.sign(self._odd)
        return digits

    @cached_property
    def _digits_of_squares(self) -> NDArray[np.int64]:
        high, low = np.divmod(np.abs(self._odd), 1 << _HALF_BITS)
        digits = _blank(2 * _MANTISSA_BITS, 2 * self._shifts)
        for product, power in ((low * low, 0), (2 * high * low, 1), (high * high, 2)):
            _add(digits, product, 2 * self._shifts + power * _HALF_BITS)
        return digits

    def of(self, codes: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[int, int, int]:
        """Return the sums of weights, of numbers and of their squares, times scale and its square.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each, positive, and below 2**62 in all.
        """
        total, squares = _sums(codes, weights, (self._digits, self._digits_of_squares))
        return int(weights.sum()), total, squares

    def distances(self, codes: NDArray[np.int64], weights: NDArray[np.int64], code: int) -> int:
        """Return the weighted sum of distances from the number with a code, times the scale.

        Parameters
        ----------
        codes, weights
            As in `of`.
        code : int
            The place of the number that distances are from.
        """
        side = np.where(codes > code, weights, -weights)
        (total,) = _sums(codes, side, (self._digits,))
        return total - int(side.sum()) * self.number(code)


def _blank(bits: int, shifts: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return room for the digits of shifted numbers of so many bits."""
    places = -(-(bits + int(shifts.max(initial=0))) // _DIGIT_BITS) + 4
    return np.zeros((places, len(shifts)), dtype=np.int64)


def _add(digits: NDArray[np.int64], values: NDArray[np.int64], shifts: NDArray[np.int64]) -> None:
    """Add the digits of shifted values, which are at least 0 and below 2**62.

    The halves of a value have no bit in common, so at every place this adds less than 2**16.
    """
    flat, count = digits.reshape(-1), digits.shape[1]
    for start in range(0, count, _AT_ONCE):
        some = slice(start, start + _AT_ONCE)
        places, by = np.divmod(shifts[some], _DIGIT_BITS)
        at = places * count + np.arange(start, min(start + _AT_ONCE, count))
        for half in (0, 1):
            piece = (values[some] >> (32 * half) & 0xFFFFFFFF) << by  # below 2**48
            for place in range(3):
                digit = piece >> (_DIGIT_BITS * place) & 0xFFFF
                flat[at + (2 * half + place) * count] += digit


def _sums(
    codes: NDArray[np.int64], weights: NDArray[np.int64], kinds: Sequence[NDArray[np.int64]]
) -> list[int]:
    """Return for each kind of digits the sum of the numbers times weights of either sign.

    Weights that are more in all than can be summed at once are summed some bits at a time.
    """
    signs, left = np.sign(weights), np.abs(weights)
    few = int(left.sum()).bit_length() <= _WEIGHT_BITS
    bits = 62 if few else _WEIGHT_BITS - len(codes).bit_length()
    sums, power = [0] * len(kinds), 0
    while left.any():
        some = (left & ((1 << bits) - 1)) * signs
        by_code = np.bincount(codes, some, kinds[0].shape[1]).astype(np.int64)
        for kind, digits in enumerate(kinds):
            found = (digits @ by_code).tolist()
            whole = sum(digit << (_DIGIT_BITS * place) for place, digit in enumerate(found))
            sums[kind] += whole << power
        left, power = left >> bits, power + bits
    return sums
