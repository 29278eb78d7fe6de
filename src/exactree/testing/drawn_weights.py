"""Weights for the rows of random tables: none, small, real and large, up to overflow borders."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["drawn_weights", "random_errors", "random_weights"]

# Numbers of bits at which SIMD lanes, casts and the integers of doubles overflow.
_BORDERS = (15, 16, 31, 32, 33, 52, 53)
# Some have no short binary form, and they differ by orders of magnitude.
_REAL = (1.0, 0.5, 0.25, 2.5, 0.1, 1 / 3, 1e-6)
# Leaves room below 2**62 for the price of a leaf in tables of up to 64 rows.
_BITS = 54


def drawn_weights(
    rows: int,
    integer: Callable[[int, int], int],
    *,
    bits: int = _BITS,
    zeros: bool = False,
    real: bool = True,
) -> list[Any] | None:
    """Draw no weights, integer weights or real weights.

    Of ten draws three have no weights, and three have integers up to 4, which reveal wrong bounds
    most often. The others are real, or integers of any size on all rows or on two rows, or have a
    total at the border of an integer type in which a search counts.

    Parameters
    ----------
    rows : int
        Number of weights, at most a few thousand.
    integer : callable
        Draws an integer between a minimum and a maximum, both included.
    bits : int
        Integer weights have a total below 2**bits; from 20 to 62.
    zeros : bool
        Whether some weights may be zero; they are never all zero.
    real : bool
        Whether weights may be non-integers.
    """
    kind = integer(0, 9)
    if kind < 3:
        return None
    light = [integer(0 if zeros else 1, 4) for _ in range(rows)]
    if not any(light):
        light[integer(0, rows - 1)] = 1
    if kind < 6:
        return light
    if kind == 6 and real:
        return [_REAL[integer(0, len(_REAL) - 1)] if weight else 0.0 for weight in light]
    if kind == 9:
        borders = [*(border for border in _BORDERS if border < bits), bits]
        border = borders[integer(0, len(borders) - 1)]
        total = min(2**border + integer(-1, 1), 2**bits - 1)
        row = integer(0, rows - 1)
        light[row] += total - sum(light)
        return light
    heaviest = (2**bits - 1) // rows - 4
    two_rows = [integer(0, rows - 1) for _ in range(min(rows, 2))]
    for row in two_rows if kind == 8 else range(rows):
        if light[row]:
            power = integer(min(20, heaviest.bit_length()), heaviest.bit_length())
            light[row] += integer(1, min(heaviest, 2**power))
    return light


def random_weights(
    rng: np.random.Generator,
    rows: int,
    *,
    bits: int = _BITS,
    zeros: bool = False,
    real: bool = True,
) -> list[Any] | None:
    """Draw weights as `drawn_weights` does, with a random number generator.

    Parameters
    ----------
    rng : numpy.random.Generator
        The random number generator.
    rows, bits, zeros, real
        As in `drawn_weights`.
    """

    def integer(low: int, high: int) -> int:
        return int(rng.integers(low, high + 1))

    return drawn_weights(rows, integer, bits=bits, zeros=zeros, real=real)


def random_errors(rng: np.random.Generator, weights: list[Any] | None, maximum: int) -> Any:
    """Draw a limit on errors: a small number, or the total weight of some rows.

    Parameters
    ----------
    rng : numpy.random.Generator
        The random number generator.
    weights : list of number or None
        The weights of the rows.
    maximum : int
        Maximum of the small number, and of the number of rows.
    """
    if weights is None or rng.random() < 0.4:
        return int(rng.integers(0, maximum + 1))
    return sum(
        weights[row] for row in rng.permutation(len(weights))[: rng.integers(1, maximum + 1)]
    )
