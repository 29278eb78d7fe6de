"""Weighted sums of float64 numbers, squares and distances equal those of Python's fractions."""

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


def random_rows(
    kind: str, heavy: bool
) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    """Return distinct numbers, and for each row the index of its number and its weight."""
    rng = np.random.default_rng(7)
    numbers = np.unique(KINDS[kind](rng))
    codes = rng.integers(0, len(numbers), 60)
    # The total has to stay below 2**62.
    return numbers, codes, rng.integers(1, 2**55 if heavy else 9, 60)


def sums_of(
    numbers: NDArray[np.float64], codes: NDArray[np.int64], weights: NDArray[np.int64]
) -> tuple[int, Fraction, Fraction]:
    """Return the sums of weights, of numbers and of their squares."""
    sums = TargetSums(numbers, int(weights.sum()))
    weight, total, squares = sums.of(codes, weights)
    return weight, sums.ratio(total, 1, 1), sums.ratio(squares, 1, 2)


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_are_exact_however_large_numbers_and_weights_are(kind: str, heavy: bool) -> None:
    numbers, codes, weights = random_rows(kind, heavy)
    exact = [Fraction(numbers[code]) for code in codes.tolist()]
    pairs = list(zip(weights.tolist(), exact, strict=True))
    weight, total, squares = sums_of(numbers, codes, weights)
    assert weight == sum(weights.tolist())
    assert total == sum(w * x for w, x in pairs)
    assert squares == sum(w * x * x for w, x in pairs)


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_sums_of_distances_from_a_number_are_exact(kind: str, heavy: bool) -> None:
    numbers, codes, weights = random_rows(kind, heavy)
    sums = TargetSums(numbers, int(weights.sum()))
    pairs = [(int(w), Fraction(numbers[c])) for w, c in zip(weights, codes, strict=True)]
    by_code = sums.by_code(codes, weights)
    for code in (0, len(numbers) // 2, len(numbers) - 1):
        center = Fraction(numbers[code])
        assert sums.number(code) == center
        assert sums.distances(*by_code, code) == sum(w * abs(x - center) for w, x in pairs)


# A block has 65,536 numbers; few rows are sorted instead of scanning all numbers.
@pytest.mark.parametrize("rows", [3, 50_000, 200_000])
def test_several_blocks_and_few_rows_of_many_numbers_are_summed_exactly(rows: int) -> None:
    rng = np.random.default_rng(3)
    numbers = np.unique(rng.normal(size=150_000) * 2.0 ** rng.integers(-40, 3, 150_000))
    codes, weights = rng.integers(0, len(numbers), rows), rng.integers(1, 2**20, rows)
    exact = [Fraction(number) for number in numbers.tolist()]
    weight, total, squares = sums_of(numbers, codes, weights)
    pairs = list(zip(weights.tolist(), codes.tolist(), strict=True))
    assert weight == sum(w for w, _ in pairs)
    assert total == sum(w * exact[code] for w, code in pairs)
    assert squares == sum(w * exact[code] ** 2 for w, code in pairs)


def test_the_largest_and_the_smallest_numbers_are_summed_exactly() -> None:
    numbers = np.array([-(2.0**400), -5e-324, 0.0, 1.0, np.nextafter(2.0**400, 0)])
    codes, weights = np.arange(5), np.array([1, 2**61, 7, 2**60, 3])
    exact = [(w, Fraction(x)) for w, x in zip(weights.tolist(), numbers.tolist(), strict=True)]
    _, total, squares = sums_of(numbers, codes, weights)
    assert total == sum(w * x for w, x in exact)
    assert squares == sum(w * x * x for w, x in exact)
