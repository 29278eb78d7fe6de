"""Sums of float64 numbers by digits are those of Python's own fractions."""

from fractions import Fraction

import numpy as np
import pytest
from numpy.typing import NDArray

from exactree.data.exact_sums import TargetSums

KINDS = {
    "whole": lambda rng: rng.integers(-1000, 1000, 40).astype(float),
    "normal": lambda rng: rng.normal(size=40),
    "far from zero": lambda rng: 1e15 + rng.normal(size=40),
    "many exponents": lambda rng: rng.normal(size=40) * 2.0 ** rng.integers(-300, 300, 40),
    "large and whole": lambda rng: rng.integers(1, 9, 40) * 2.0**100,
    "subnormal": lambda rng: np.array([0.0, 5e-324, -5e-324, 1e-310, 1.0]),
    "all bits": lambda rng: np.nextafter(2.0 ** np.arange(-20, 20.0), 0) * rng.choice([-1, 1], 40),
}


def drawn(
    kind: str, heavy: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct numbers, codes of rows and their weights."""
    rng = np.random.default_rng(7)
    numbers = np.unique(KINDS[kind](rng))
    codes = rng.integers(0, len(numbers), 60)
    return numbers, codes, rng.integers(1, 2**55 if heavy else 9, 60)


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_exact_however_large_numbers_and_weights_are(kind: str, heavy: bool) -> None:
    numbers, codes, weights = drawn(kind, heavy)
    sums = TargetSums(numbers)
    exact = [Fraction(numbers[code]) for code in codes.tolist()]
    pairs = list(zip(weights.tolist(), exact, strict=True))
    weight, total, squares = sums.of(codes, weights)
    assert weight == sum(weights.tolist())
    assert Fraction(total, sums.scale) == sum(w * x for w, x in pairs)
    assert Fraction(squares, sums.scale**2) == sum(w * x * x for w, x in pairs)


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_distances_are_from_any_of_the_numbers(kind: str, heavy: bool) -> None:
    numbers, codes, weights = drawn(kind, heavy)
    sums = TargetSums(numbers)
    pairs = [(int(w), Fraction(numbers[c])) for w, c in zip(weights, codes, strict=True)]
    for code in (0, len(numbers) // 2, len(numbers) - 1):
        middle = Fraction(numbers[code])
        assert Fraction(sums.number(code), sums.scale) == middle
        found = Fraction(sums.distances(codes, weights, code), sums.scale)
        assert found == sum(w * abs(x - middle) for w, x in pairs)


def test_whole_numbers_have_the_scale_one() -> None:
    assert TargetSums(np.array([-3.0, 0.0, 2.0**70])).scale == 1
    assert TargetSums(np.array([-3.0, 0.25])).scale == 4
