"""Exact weighted sums of many large integers, by pieces that int64 holds."""

from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import islice

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExactSums"]

_PIECE_BITS = 16
# Weights below this in all: a sum of pieces stays below 2**63, and float64 counts them exactly.
_MOST_WEIGHT = 1 << 46


class ExactSums:
    """Several numbers for each code, to be summed with weights.

    Parameters
    ----------
    rows : sequence of sequences of int
        For every kind of number one for each code; none negative.
    """

    def __init__(self, *rows: Sequence[int]) -> None:
        self._rows = rows

    @cached_property
    def _pieces(self) -> tuple[NDArray[np.int64], list[int]]:
        """Digits to the base 2**16, a row of digits for each place of each kind, lowest first.

        Beside them, how many places each kind has.
        """
        digits = [_digits(numbers) for numbers in self._rows]
        return np.concatenate(digits), [len(places) for places in digits]

    def of(self, codes: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[int, ...]:
        """Return the sum of the weights, and of the numbers of each kind times weights.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each, positive.
        """
        total = int(weights.sum())
        if total >= _MOST_WEIGHT:
            pairs = list(zip(codes.tolist(), weights.tolist(), strict=True))
            sums = (sum(weight * row[code] for code, weight in pairs) for row in self._rows)
            return (total, *sums)
        digits, places = self._pieces
        by_code = np.bincount(codes, weights, digits.shape[1]).astype(np.int64)
        left = iter((digits @ by_code).tolist())
        return (total, *(_whole(islice(left, count)) for count in places))


def _digits(numbers: Sequence[int]) -> NDArray[np.int64]:
    size = max((number.bit_length() for number in numbers), default=0)
    bytes_each = 2 * max(1, -(-size // _PIECE_BITS))
    joined = b"".join(number.to_bytes(bytes_each, "little") for number in numbers)
    digits = np.frombuffer(joined, dtype="<u2").reshape(len(numbers), bytes_each // 2)
    return np.ascontiguousarray(digits.T.astype(np.int64))


def _whole(digits: Iterable[int]) -> int:
    return sum(digit << (_PIECE_BITS * place) for place, digit in enumerate(digits))


class TargetSums:
    """Sums of weights, of numbers, of their squares and of their distances, exact.

    Attributes
    ----------
    numbers : list of int
        In ascending order, as given.
    least : int
        Taken from every number, so that none is negative: squares about a mean stay the same.
    scale : int
        What the numbers were multiplied with to be integers.
    """

    def __init__(self, numbers: list[int], scale: int) -> None:
        self.numbers, self.least, self.scale = numbers, min(numbers, default=0), scale
        above = [number - self.least for number in numbers]
        self._above = ExactSums(above)
        self._with_squares = ExactSums(above, [number * number for number in above])

    def of(self, codes: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[int, int, int]:
        """Return the sums of weights, of numbers above the least, and of the squares of these.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each, positive.
        """
        weight, total, squares = self._with_squares.of(codes, weights)
        return weight, total, squares

    def distances(self, codes: NDArray[np.int64], weights: NDArray[np.int64], code: int) -> int:
        """Return the weighted sum of distances from the number with a code.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each, positive.
        code : int
            The place of the number that distances are from.
        """
        higher = codes > code
        sides = [(codes[side], weights[side]) for side in (higher, ~higher)]
        (weight_above, above), (weight_below, below) = (self._above.of(*side) for side in sides)
        middle = self.numbers[code] - self.least
        return (above - weight_above * middle) + (weight_below * middle - below)
