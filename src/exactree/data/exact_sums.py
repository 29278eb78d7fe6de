"""Exact weighted sums of many large integers, by pieces that int64 holds."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

__all__ = ["ExactSums"]

_PIECE_BITS = 16
# Weights below this in all: a sum of pieces stays below 2**63, and float64 counts them exactly.
_MOST_WEIGHT = 1 << 46


@dataclass(frozen=True)
class ExactSums:
    """Numbers, to be summed with weights.

    Attributes
    ----------
    numbers : tuple of int
        Not negative.
    """

    numbers: tuple[int, ...]

    @cached_property
    def _pieces(self) -> NDArray[np.int64]:
        """Digits to the base 2**16 in columns, the lowest first."""
        size = max((number.bit_length() for number in self.numbers), default=0)
        bytes_each = 2 * max(1, -(-size // _PIECE_BITS))
        joined = b"".join(number.to_bytes(bytes_each, "little") for number in self.numbers)
        digits = np.frombuffer(joined, dtype="<u2").reshape(len(self.numbers), bytes_each // 2)
        return np.ascontiguousarray(digits.T.astype(np.int64))

    def of(self, codes: NDArray[np.int64], weights: NDArray[np.int64]) -> int:
        """Return the sum of the numbers with some codes, times positive weights.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each.
        """
        if int(weights.sum()) >= _MOST_WEIGHT:
            pairs = zip(codes.tolist(), weights.tolist(), strict=True)
            return sum(weight * self.numbers[code] for code, weight in pairs)
        by_code = np.bincount(codes, weights, len(self.numbers)).astype(np.int64)
        sums = (self._pieces @ by_code).tolist()
        return sum(digit << (_PIECE_BITS * place) for place, digit in enumerate(sums))


class TargetSums:
    """Sums of weights, of numbers and of their squares, exact.

    Attributes
    ----------
    least : int
        Taken from every number, so that none is negative: squares about a mean stay the same.
    scale : int
        What the numbers were multiplied with to be integers.
    """

    def __init__(self, numbers: list[int], scale: int) -> None:
        self.least, self.scale = min(numbers, default=0), scale
        above = [number - self.least for number in numbers]
        self._numbers = ExactSums(tuple(above))
        self._squares = ExactSums(tuple(number * number for number in above))

    def of(self, codes: NDArray[np.int64], weights: NDArray[np.int64]) -> tuple[int, int, int]:
        """Return the sums of weights, of numbers above the least, and of the squares of these.

        Parameters
        ----------
        codes : ndarray of int64
            Places of numbers, which may repeat.
        weights : ndarray of int64
            The weight of each, positive.
        """
        return (
            int(weights.sum()),
            self._numbers.of(codes, weights),
            self._squares.of(codes, weights),
        )
