"""Weights of the rows of random tables: none, light, real and heavy ones, up to the borders."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["drawn_weights", "random_errors", "random_weights"]

# Totals next to which lanes, casts and the integers of doubles end.
_BORDERS = (15, 16, 31, 32, 33, 52, 53)
# Without a short binary form, and far apart.
_REAL = (1.0, 0.5, 0.25, 2.5, 0.1, 1 / 3, 1e-6)
# Room below 2**62 for the price of a leaf where up to 64 rows are given.
_BITS = 54


def drawn_weights(
    rows: int,
    integer: Callable[[int, int], int],
    *,
    bits: int = _BITS,
    zeros: bool = False,
    real: bool = True,
) -> list[Any] | None:
    """Draw no weights, whole weights or real ones.

    Three of ten draws are no weights and three are whole numbers up to 4, in which wrong bounds
    show most often. The others are real, 2**20 and more on all rows or on a few, or make a total
    at a border of the integers that a search counts in.

    Parameters
    ----------
    rows : int
        How many weights, at most some thousand.
    integer : callable
        Draws an integer from a least to a greatest one.
    bits : int
        Whole weights are below 2 to this together; at least 20, and at most 62.
    zeros : bool
        Whether some weights may be zero, never all.
    real : bool
        Whether weights may be other than whole.
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
    most = (2**bits - 1) // rows - 4
    few = [integer(0, rows - 1) for _ in range(min(rows, 2))]
    for row in few if kind == 8 else range(rows):
        if light[row]:
            power = integer(min(20, most.bit_length()), most.bit_length())
            light[row] += integer(1, min(most, 2**power))
    return light


def random_weights(
    rng: np.random.Generator,
    rows: int,
    *,
    bits: int = _BITS,
    zeros: bool = False,
    real: bool = True,
) -> list[Any] | None:
    """Draw weights as `drawn_weights` does, by a random number generator.

    Parameters
    ----------
    rng : numpy.random.Generator
        What is random.
    rows, bits, zeros, real
        As there.
    """

    def integer(least: int, greatest: int) -> int:
        return int(rng.integers(least, greatest + 1))

    return drawn_weights(rows, integer, bits=bits, zeros=zeros, real=real)


def random_errors(rng: np.random.Generator, weights: list[Any] | None, most: int) -> Any:
    """Draw a limit on errors, by a random number generator: few, or what some rows weigh together.

    Parameters
    ----------
    rng : numpy.random.Generator
        What is random.
    weights : list of number or None
        The weights of the rows.
    most : int
        Errors at most if they are few, and rows at most otherwise.
    """
    if weights is None or rng.random() < 0.4:
        return int(rng.integers(0, most + 1))
    return sum(weights[row] for row in rng.permutation(len(weights))[: rng.integers(1, most + 1)])
