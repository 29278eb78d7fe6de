"""Exact weighted sums of numbers, of their squares and of their distances, in vectors of integers.

A block of numbers is cut into slices: integers of some bits times a power of two that is the same
for the whole block. Sums of products of two slices and a weight stay below 2**62, so int64 adds
them exactly. The smaller the total weight, the more bits a slice may have, and the fewer slices are
needed; weights that are too large are cut into pieces. The numbers of a block are consecutive in
sorted order: the more numbers, the more similar they are, and the fewer slices are needed.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import lshift

import numpy as np
from numpy.typing import NDArray

__all__ = ["TargetSums"]

# Bits of the number of numbers in a block, and of a piece of a weight. Two slices share the other
# bits of a sum of products, which is below 2**62.
_BLOCK_BITS, _PIECE_BITS = 16, 15
_BLOCK = 1 << _BLOCK_BITS
_SUM_BITS = 62
# Blocks are scaled to be below 2 to this power, so that no bit of a number is subnormal.
_SCALED_BITS = 1000
# Sorting a number takes about as long as scanning this many numbers.
_PER_SORTED = 4

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class _Block:
    """Numbers as integers in a unit.

    Attributes
    ----------
    factors : ndarray of int64, shape (numbers, 1 + slices)
        By number: 1, and the slices with the lowest bits first.
    shifts : list of int
        The power of two with which each slice is multiplied, in the unit.
    shifts_of_pairs : list of int
        The sum of these powers for each pair of slices.
    """

    factors: Integers
    shifts: list[int]
    shifts_of_pairs: list[int]

    @classmethod
    def of(cls, slices: list[Integers], shifts: list[int]) -> "_Block":
        """Return the block of numbers with these slices."""
        factors = np.column_stack([np.ones_like(slices[0]), *slices])
        return cls(factors, shifts, [a + b for a in shifts for b in shifts])


class TargetSums:
    """Exact sums of weights, of numbers, of their squares and of distances.

    Sums of numbers are integers in a unit, a power of two that divides all numbers, and sums of
    squares are integers in the square of the unit; `ratio` converts them.

    Parameters
    ----------
    numbers : ndarray of float64
        Finite and distinct, in ascending order, at most 2**400 in size.
    total_weight : int
        The weight of all rows, below 2**62.
    """

    def __init__(self, numbers: NDArray[np.float64], total_weight: int) -> None:
        self._numbers, self._weight_bits = numbers, total_weight.bit_length()

    @cached_property
    def _blocks_and_exponent(self) -> tuple[list[_Block], int]:
        """The numbers in blocks, and the exponent of the unit."""
        bits = (_SUM_BITS - min(self._weight_bits, _BLOCK_BITS + _PIECE_BITS)) // 2
        starts = range(0, len(self._numbers), _BLOCK)
        cut = [_sliced(self._numbers[start : start + _BLOCK], bits) for start in starts]
        unit = min(exponent for _, exponent in cut)
        return [
            _Block.of(slices, [exponent - unit + bits * index for index in range(len(slices))])
            for slices, exponent in cut
        ], unit

    def number(self, code: int) -> Fraction:
        """Return the number with a code."""
        return Fraction(float(self._numbers[code]))

    def ratio(self, numerator: int, denominator: int, power: int) -> Fraction:
        """Return a fraction with a numerator in the unit, or in a power of it.

        Parameters
        ----------
        numerator, denominator : int
            The terms of the fraction.
        power : int
            1 for sums of numbers, 2 for sums of squares.
        """
        exponent = self._blocks_and_exponent[1] * power
        if exponent < 0:
            return Fraction(numerator, denominator << -exponent)
        return Fraction(numerator << exponent, denominator)

    def by_code(self, codes: Integers, weights: Integers) -> tuple[Integers, Integers]:
        """Return the codes that occur, in ascending order, and the weight of each.

        Parameters
        ----------
        codes : ndarray of int64
            Indices of numbers; they may repeat.
        weights : ndarray of int64
            The weight of each, together at most the weight of all rows.
        """
        if _PER_SORTED * len(codes) < len(self._numbers):
            present, places = np.unique(codes, return_inverse=True)
        else:
            present, places = np.arange(len(self._numbers)), codes
        by_code = np.zeros(len(present), dtype=np.int64)
        np.add.at(by_code, places, weights)
        return present, by_code

    def of(self, codes: Integers, weights: Integers) -> tuple[int, int, int]:
        """Return the sums of weights, of numbers and of their squares, as integers.

        Parameters
        ----------
        codes, weights
            As in `by_code`.
        """
        if len(codes) >= len(self._numbers) or len(self._numbers) > _BLOCK:
            codes, weights = self.by_code(codes, weights)
        weight = total = squares = 0
        for block, factors, pieces, shift in self._terms(codes, weights):
            products = (factors * pieces[:, None]).T @ factors
            piece_weight, *totals = products[0].tolist()
            weight += piece_weight << shift
            total += _joined(totals, block.shifts) << shift
            pairs = products[1:, 1:].ravel().tolist()
            squares += _joined(pairs, block.shifts_of_pairs) << shift
        return weight, total, squares

    def distances(self, present: Integers, by_code: Integers, code: int) -> Fraction:
        """Return the weighted sum of distances from the number with a code.

        Parameters
        ----------
        present, by_code
            The result of `by_code`.
        code : int
            The index of the number from which distances are measured.
        """
        weight = total = 0
        signed = np.where(present > code, by_code, -by_code)
        for block, factors, pieces, shift in self._terms(present, signed):
            piece_weight, *totals = (pieces @ factors).tolist()
            weight += piece_weight << shift
            total += _joined(totals, block.shifts) << shift
        return self.ratio(total, 1, 1) - weight * self.number(code)

    def _terms(
        self, codes: Integers, weights: Integers
    ) -> Iterator[tuple[_Block, Integers, Integers, int]]:
        """Yield blocks with the factors of their codes, and the pieces of the weights.

        Parameters
        ----------
        codes : ndarray of int64
            In ascending order and distinct if there are several blocks or as many codes as numbers.
        weights : ndarray of int64
            Of either sign.
        """
        blocks = self._blocks_and_exponent[0]
        ends: list[int] = []
        if len(blocks) > 1:
            ends = np.searchsorted(codes, range(_BLOCK, len(self._numbers), _BLOCK)).tolist()
        for block, begin, end in zip(blocks, [0, *ends], [*ends, len(codes)], strict=True):
            if begin == end:
                continue
            factors = block.factors
            if end - begin < len(factors):
                factors = factors.take(codes[begin:end] & (_BLOCK - 1), axis=0)
            for pieces, shift in self._pieces(weights[begin:end]):
                yield block, factors, pieces, shift

    def _pieces(self, weights: Integers) -> Iterator[tuple[Integers, int]]:
        """Cut weights of either sign into pieces, each with its shift, if the table is heavy."""
        if self._weight_bits <= _BLOCK_BITS + _PIECE_BITS:
            yield weights, 0
            return
        signs, high_bits, shift = np.sign(weights), np.abs(weights), 0
        while high_bits.any():
            yield (high_bits & ((1 << _PIECE_BITS) - 1)) * signs, shift
            high_bits, shift = high_bits >> _PIECE_BITS, shift + _PIECE_BITS


def _sliced(numbers: NDArray[np.float64], bits: int) -> tuple[list[Integers], int]:
    """Return slices, integers below 2**bits with the lowest bits first, and their exponent.

    A number is the sum of its slices, each times 2 to `bits` times its index, times 2 to the
    exponent. Each step takes the highest bits off the numbers, so nothing is rounded.
    """
    exponent = int(np.frexp(np.abs(numbers).max())[1])
    rest = np.ldexp(numbers, _SCALED_BITS - exponent)
    slices: list[NDArray[np.float64]] = []
    power = _SCALED_BITS
    while rest.any() or not slices:
        power -= bits
        slices.append(np.trunc(rest * 2.0**-power))
        rest -= slices[-1] * 2.0**power
    return [each.astype(np.int64) for each in slices[::-1]], power - _SCALED_BITS + exponent


def _joined(sums: list[int], shifts: list[int]) -> int:
    """Return the sum of integers, each times 2 to a shift."""
    return sum(map(lshift, sums, shifts))
