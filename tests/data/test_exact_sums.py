"""Sums of large integers by pieces are those of Python's own integers."""

import numpy as np
import pytest

from exactree.data.exact_sums import ExactSums, TargetSums


@pytest.mark.parametrize("heavy", [False, True])
def test_sums_are_exact_however_large_numbers_and_weights_are(heavy: bool) -> None:
    rng = np.random.default_rng(0)
    for size in (1, 15, 16, 17, 60, 200):
        numbers = [int(rng.integers(0, 2**15)) ** (1 + size // 15) for _ in range(20)]
        codes = rng.integers(0, 20, 50)
        weights = rng.integers(1, 2**55 if heavy else 9, 50)
        pairs = zip(codes.tolist(), weights.tolist(), strict=True)
        expected = sum(weight * numbers[code] for code, weight in pairs)
        total = int(weights.sum())
        assert ExactSums(numbers).of(codes, weights) == (total, expected)
        assert ExactSums([1] * 20, numbers).of(codes, weights) == (total, total, expected)


def test_targets_are_summed_above_the_least() -> None:
    sums = TargetSums([-7, 2, 5], scale=4)
    codes, weights = np.array([0, 2, 2]), np.array([2, 1, 3])
    assert (sums.least, sums.scale) == (-7, 4)
    assert sums.of(codes, weights) == (6, 12 * 4, 144 * 4)


def test_distances_are_from_any_of_the_numbers() -> None:
    rng = np.random.default_rng(0)
    numbers = sorted(int(number) for number in rng.integers(-(2**60), 2**60, 20))
    sums = TargetSums(numbers, scale=4)
    codes, weights = rng.integers(0, 20, 50), rng.integers(1, 9, 50)
    pairs = list(zip(codes.tolist(), weights.tolist(), strict=True))
    for code, middle in enumerate(numbers):
        expected = sum(weight * abs(numbers[other] - middle) for other, weight in pairs)
        assert sums.distances(codes, weights, code) == expected
