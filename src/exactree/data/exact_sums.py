"""Exact weighted sums of numbers, of their squares and of their distances, in vectors of floats.

A block of numbers is cut into slices: integers of `_SLICE_BITS` bits times a power of two that is
the same for the whole block. Sums of products of two slices and a piece of a weight stay below
2**53, so float64 adds them exactly in any order. The numbers of a block are consecutive in sorted
order, so with many numbers few slices hold all their bits.
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

__all__ = ["TargetSums"]

# Bits of two slices, of a piece of a weight and of the number of numbers in a block: 53 in total.
_SLICE_BITS, _BLOCK_BITS = 13, 13
_WEIGHT_BITS = 53 - 2 * _SLICE_BITS - _BLOCK_BITS
_BLOCK = 1 << _BLOCK_BITS
# Blocks are scaled to be below 2 to this power, so that no bit of a number is subnormal.
_SCALED_BITS = 1000
# Sorting a number takes about as long as scanning this many numbers.
_PER_SORTED = 4


class TargetSums:
    """Exact sums of weights, of numbers, of their squares and of distances.

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
        """Return the codes that occur, in ascending order, and the weight of each.

        Parameters
        ----------
        codes : ndarray of int64
            Indices of numbers; they may repeat.
        weights : ndarray of int64
            The weight of each, with a total below 2**62.
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
            The result of `by_code`.
        code : int
            The index of the number from which distances are measured.
        """
        signed = np.where(present > code, by_code, -by_code)
        total, _ = self._sums(present, signed, squares=False)
        return total - int(signed.sum()) * self.number(code)

    def _sums(
        self, codes: NDArray[np.int64], weights: NDArray[np.int64], squares: bool
    ) -> tuple[Fraction, Fraction]:
        """Return the weighted sums of distinct numbers and, if requested, of their squares."""
        total, total_squares = Fraction(0), Fraction(0)
        for start in range(0, len(codes), _BLOCK):
            block = slice(start, start + _BLOCK)
            slices, power = _sliced(self._numbers[codes[block]])
            block_total, block_squares = 0, 0
            for shift, pieces in _pieces(weights[block]):
                indices = range(len(slices))
                weighted = [pieces * one_slice for one_slice in slices]
                sums = (int(products.sum()) for products in weighted)
                block_total += _joined(sums, [_SLICE_BITS * index + shift for index in indices])
                if squares:
                    pairs = [(a, b) for a in indices for b in range(a + 1)]
                    sums = (int(weighted[a] @ slices[b]) for a, b in pairs)
                    # A product of two different slices counts twice.
                    shifts = [_SLICE_BITS * (a + b) + shift + (a != b) for a, b in pairs]
                    block_squares += _joined(sums, shifts)
            total += block_total * Fraction(2) ** power
            total_squares += block_squares * Fraction(2) ** (2 * power)
        return total, total_squares


def _sliced(numbers: NDArray[np.float64]) -> tuple[list[NDArray[np.float64]], int]:
    """Return slices, integers below 2**_SLICE_BITS with the lowest bits first, and their exponent.

    A number is the sum of its slices, each times 2 to `_SLICE_BITS` times its index, times 2 to the
    exponent. Each step takes the highest bits off the numbers, so nothing is rounded.
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
    """Cut weights of either sign into pieces of `_WEIGHT_BITS` bits, each with its shift."""
    signs, high_bits, shift = np.sign(weights), np.abs(weights), 0
    while high_bits.any():
        yield shift, ((high_bits & ((1 << _WEIGHT_BITS) - 1)) * signs).astype(np.float64)
        high_bits, shift = high_bits >> _WEIGHT_BITS, shift + _WEIGHT_BITS


def _joined(sums: Iterator[int], shifts: list[int]) -> int:
    """Return the sum of integers, each times 2 to a shift."""
    return sum(value << shift for value, shift in zip(sums, shifts, strict=True))
