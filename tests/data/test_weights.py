"""Weights become exact integers on a power-of-two scale, and roundings are reported."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data import Dataset, make_dataset
from exactree.data.weights import TOTAL_LIMIT


def weighted(weights: object, penalty_denominator: int | None = None) -> Dataset:
    rows = len(weights)  # type: ignore[arg-type]
    X = np.zeros((rows, 1))
    return make_dataset(X, [0] * rows, weights, penalty_denominator=penalty_denominator)


@pytest.mark.parametrize(
    "weights",
    [
        [3, 1, 2],
        [3.0, 1.0, 2.0],
        np.array([3, 1, 2], dtype=np.uint8),
        np.array([3, 1, 2], dtype=np.float32),
        np.array([3, 1.0, 2], dtype=object),
        pd.Series([3, 1, 2], index=[5, 5, 5]),
    ],
)
def test_whole_weights_stay_as_they_are(weights: object) -> None:
    dataset = weighted(weights)
    assert dataset.weights.tolist() == [3, 1, 2]
    assert (dataset.weight_scale, dataset.weight_rounding) == (1, 0.0)


def test_the_greatest_total_is_allowed() -> None:
    assert weighted([2**62 - 2, 1]).total_weight == 2**62 - 1


def test_no_weights_are_ones_and_booleans_choose_rows() -> None:
    assert make_dataset([[0], [1]], [0, 1]).weights.tolist() == [1, 1]
    assert weighted([True, False, True]).kept.tolist() == [0, 2]


@pytest.mark.parametrize(
    ("weights", "integers", "scale"),
    [
        ([0.5, 0.25, 1.0], [2, 1, 4], 4),
        ([0.5, 1.5], [1, 3], 2),
        ([2.0**-60, 2.0**-61], [2, 1], 2**61),
        ([2.0**-700, 2.0**-699], [1, 2], 2**700),
    ],
)
def test_weights_that_fit_are_exact_on_the_smallest_scale(
    weights: list[float], integers: list[int], scale: int
) -> None:
    dataset = weighted(weights)
    assert dataset.weights.tolist() == integers
    assert (dataset.weight_scale, dataset.weight_rounding) == (scale, 0.0)


positive_weights = (
    st.floats(1e-250, 1e15) | st.sampled_from([0.1, 1 / 3, 0.7]) | st.integers(1, 10**9)
)


@given(
    st.lists(positive_weights, min_size=1, max_size=6), st.sampled_from([None, 1, 3, 100, 10**20])
)
def test_the_reported_rounding_is_exact_and_the_total_leaves_room_for_a_penalty(
    weights: list[float], penalty_denominator: int | None
) -> None:
    dataset = weighted(weights, penalty_denominator)
    factor = 1 if penalty_denominator is None else 2 * min(penalty_denominator, 2 * len(weights))
    # A search multiplies weights by a denominator of at most twice the rows, and adds a leaf price.
    assert dataset.total_weight * factor < TOTAL_LIMIT
    assert dataset.weight_scale.bit_count() == 1  # a power of two
    exact = [Fraction(w) for w in weights]
    kept = [Fraction(int(w), dataset.weight_scale) for w in dataset.weights]
    worst = max(abs(k - e) / e for k, e in zip(kept, exact, strict=True))
    assert float(worst) == pytest.approx(dataset.weight_rounding, rel=1e-9)


@given(st.lists(st.floats(0.01, 100), max_size=6))
def test_real_weights_are_rounded_as_finely_as_the_total_allows(weights: list[float]) -> None:
    # 0.1 has 55 binary digits after the point, which do not fit together with a weight of 1000.
    dataset = weighted([0.1, 1000.0, *weights])
    assert dataset.weight_rounding > 0
    # Rounding changes each of at most eight weights by at most 1/2, so twice their sum by 8.
    assert 2 * dataset.total_weight >= TOTAL_LIMIT - 8
    # The total is at most 1600.1, and so the smallest weight, 0.01, has more than 40 bits.
    assert dataset.weight_rounding < 2.0**-40


def test_a_kept_row_keeps_some_weight() -> None:
    dataset = weighted([1e-40, 1.0])
    assert dataset.weights[0] == 1
    assert dataset.weight_rounding > 1


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0, -1.0], "Negative values.*row 1 has -1.0"),
        ([1, -1], "Negative values.*row 1 has -1"),
        ([1.0, np.nan], "row 1: nan .*NaN"),
        ([np.inf, 1.0], "row 0: inf "),
        ([1.0, None], "row 1: nan "),
        ([0, 0], "sample_weight is zero in every row"),
        ([0.0, -0.0], "sample_weight is zero in every row"),
        ([1.0, "heavy"], "sample_weight"),
        (["1", "2"], "not text"),
        ([1j, 1.0], "one number per row"),
        ([[1.0], [2.0]], r"1D with one number per row.*shape \(2, 1\)"),
        ([1.0, [2.0]], "one number per row"),
        ([2**62 - 1, 1], "below 4,611,686,018,427,387,904"),
        ([1e300, 1.0], "must be below"),
        ([1e308, 1e308], "must be below"),
        ([5e-324, 5e-324], "too small"),
    ],
)
def test_invalid_weights_are_refused(weights: list[object], sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        weighted(weights)


@pytest.mark.parametrize("weights", [[1.0], [1.0, 2.0, 3.0], 2.0])
def test_another_number_of_weights_than_rows_is_refused(weights: object) -> None:
    with pytest.raises(ValueError, match="one number per row: X has 2 rows"):
        make_dataset([[0], [1]], [0, 1], weights)
