"""Exact weighted sums of numbers, of their squares and of their distances, in vectors of floats.

A block of numbers is cut into slices: integers of `_SLICE_BITS` bits, each times a power of two
that the whole block shares. Sums of products of two slices and a piece of a weight stay below
2**53, so float64 adds them exactly in any order. Numbers of a block are neighbours in size, so
wherever there are many numbers, few slices hold all their bits.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["TargetSums"]

# Two slices, a piece of a weight and the logarithm of the numbers in a block are 53 bits together.
_SLICE_BITS, _BLOCK_BITS = 13, 13
_WEIGHT_BITS = 53 - 2 * _SLICE_BITS - _BLOCK_BITS
_BLOCK = 1 << _BLOCK_BITS
# Blocks are scaled to be below 2 to this, where the least bit of any number is no subnormal one.
_SCALED_BITS = 1000
# So many numbers are gone through in the time in which one is sorted, about.
_PER_SORTED = 4


class TargetSums:
    """Sums of weights, of numbers, of their squares and of their distances, exact.

    Parameters
    ----------
    numbers : ndarray of float64
        Finite and distinct, in ascending order, at most 2**400 in size.
    """

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        self._numbers = numbers

    def number(self, code: int) -> Fraction:
        """Return the number with a code."""
        return Fraction(float(self._numbers[code]))

    def by_code(
        self, codes: NDArray[np.int64], weights: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return codes in ascending order, all that occur among them, and the weight of each.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each, below 2**62 in all.
        """
        if _PER_SORTED * len(codes) < len(self._numbers):
            present, places = np.unique(codes, return_inverse=True)
        else:
            present, places = np.arange(len(self._numbers)), codes
        by_code = np.zeros(len(present), dtype=np.int64)
        np.add.at(by_code, places, weights)
        return present, by_code

    def of(
        self, codes: NDArray[np.int64], weights: NDArray[np.int64]
    ) -> tuple[int, Fraction, Fraction]:
        """Return the sums of weights, of numbers and of their squares.

        Parameters
        ----------
        codes, weights
            As in `by_code`.
        """
        present, by_code = self.by_code(codes, weights)
        total, squares = self._sums(present, by_code, squares=True)
        return int(by_code.sum()), total, squares

    def distances(
        self, present: NDArray[np.int64], by_code: NDArray[np.int64], code: int
    ) -> Fraction:
        """Return the weighted sum of distances from the number with a code.

        Parameters
        ----------
        present, by_code
            What `by_code` returns.
        code : int
            The place of the number that distances are from.
        """
        side = np.where(present > code, by_code, -by_code)
        total, _ = self._sums(present, side, squares=False)
        return total - int(side.sum()) * self.number(code)

    def _sums(
        self, codes: NDArray[np.int64], weights: NDArray[np.int64], squares: bool
    ) -> tuple[Fraction, Fraction]:
        """Return the sums of distinct numbers and, if wanted, of squares times weights."""
        total, total_squares = Fraction(0), Fraction(0)
        for start in range(0, len(codes), _BLOCK):
            some = slice(start, start + _BLOCK)
            slices, power = _sliced(self._numbers[codes[some]])
            of_numbers, of_squares = 0, 0
            for shift, pieces in _pieces(weights[some]):
                places = range(len(slices))
                weighted = [pieces * one for one in slices]
                sums = (int(one.sum()) for one in weighted)
                of_numbers += _joined(sums, [_SLICE_BITS * at + shift for at in places])
                if squares:
                    pairs = [(one, other) for one in places for other in range(one + 1)]
                    sums = (int(weighted[one] @ slices[other]) for one, other in pairs)
                    # Every product of two different slices is there twice.
                    shifts = [_SLICE_BITS * (a + b) + shift + (a != b) for a, b in pairs]
                    of_squares += _joined(sums, shifts)
            total += of_numbers * Fraction(2) ** power
            total_squares += of_squares * Fraction(2) ** (2 * power)
        return total, total_squares


def _sliced(numbers: NDArray[np.float64]) -> tuple[list[NDArray[np.float64]], int]:
    """Return integers below 2**_SLICE_BITS, lowest ones first, and what the lowest count in.

    A number is the sum of its slices, each times 2 to `_SLICE_BITS` times its place, times 2 to the
    power that is returned. What is taken off a number are its highest bits: nothing is rounded.
    """
    exponent = int(np.frexp(np.abs(numbers).max())[1])
    rest = np.ldexp(numbers, _SCALED_BITS - exponent)
    slices, power = [], _SCALED_BITS
    while rest.any():
        power -= _SLICE_BITS
        slices.append(np.trunc(rest * 2.0**-power))
        rest -= slices[-1] * 2.0**power
    return slices[::-1], power - _SCALED_BITS + exponent


def _pieces(weights: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Cut weights of either sign into pieces of `_WEIGHT_BITS` bits, with the place of the bits."""
    signs, left, shift = np.sign(weights), np.abs(weights), 0
    while left.any():
        yield shift, ((left & ((1 << _WEIGHT_BITS) - 1)) * signs).astype(np.float64)
        left, shift = left >> _WEIGHT_BITS, shift + _WEIGHT_BITS


def _joined(sums: Iterator[int], shifts: list[int]) -> int:
    """Return the sum of integers, each times 2 to a shift."""
    return sum(one << shift for one, shift in zip(sums, shifts, strict=True))
