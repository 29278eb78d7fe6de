"""Thresholds separate their two values, in float64 and, if possible, in float32."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from exactree.data import threshold_between
from exactree.data.thresholds import before_rounding

finite = st.floats(allow_nan=False, allow_infinity=False)
MAX_FLOAT32 = float(np.finfo(np.float32).max)


def fl32(number: float) -> np.float32:
    with np.errstate(over="ignore"):
        return np.float32(number)


def next_float32(number: float, direction: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.nextafter(np.float32(number), np.float32(direction)))


def separates_in_float32(t: float, low: float, high: float) -> bool:
    """Return whether t is a float32 number and separates the values as float64 and as float32."""
    is_float32 = np.isfinite(fl32(t)) and float(fl32(t)) == t
    return bool(is_float32 and low <= t < high and fl32(low) <= fl32(t) < fl32(high))


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[float, float]:
    """Draw two different numbers in ascending order, often only a few ulps apart."""
    low = draw(finite)
    kind = draw(st.sampled_from(["any", "float64", "float32"]))
    if kind == "any":
        high = draw(finite)
    else:
        steps = draw(st.integers(1, 3))
        high = low if kind == "float64" else fl32(low)
        for _ in range(steps):
            with np.errstate(over="ignore"):
                high = np.nextafter(high, type(high)(np.inf))
        high = float(high)
        if kind == "float32" and draw(st.booleans()):
            low = float(fl32(low))
    assume(np.isfinite(low) and np.isfinite(high) and low != high)
    return min(low, high), max(low, high)


@given(neighbours())
@example((1.0, float(np.nextafter(1.0, 2.0))))
@example((-1e308, 1e308))
@example((0.0, 5e-324))
@example((-5e-324, 0.0))
@example((-5e-324, 5e-324))
@example((1e308, float(np.nextafter(1e308, np.inf))))
@example((MAX_FLOAT32, float(np.nextafter(MAX_FLOAT32, np.inf))))
def test_a_threshold_is_at_least_low_and_below_high(pair: tuple[float, float]) -> None:
    low, high = pair
    assert low <= float(threshold_between(low, high)) < high


@given(neighbours())
@example((16777216.0, 16777218.0))
@example((1e38, 1e308))
@example((-1e-50, 1e-50))
def test_a_float32_number_is_chosen_whenever_one_separates_in_both_precisions(
    pair: tuple[float, float],
) -> None:
    low, high = pair
    t = float(threshold_between(low, high))
    # If any float32 number separates in both precisions, so does the last float32 number below
    # fl32(high), which is the greatest finite number if fl32(high) is infinite.
    candidate = next_float32(fl32(high), -np.inf)
    assert separates_in_float32(t, low, high) == separates_in_float32(candidate, low, high)


@given(neighbours())
def test_no_separating_float32_number_is_nearer_the_midpoint(pair: tuple[float, float]) -> None:
    low, high = pair
    t = float(threshold_between(low, high))
    assume(separates_in_float32(t, low, high))
    # Distances are measured from the midpoint rounded to float64.
    with np.errstate(over="ignore"):
        middle = (low + high) / 2 if np.isfinite(low + high) else low / 2 + high / 2
    for direction in (-np.inf, np.inf):
        other = next_float32(t, direction)
        if separates_in_float32(other, low, high):
            distance = abs(Fraction(t) - Fraction(middle))
            assert distance <= abs(Fraction(other) - Fraction(middle))


@given(neighbours())
def test_without_a_separating_float32_number_the_threshold_is_the_midpoint_or_low(
    pair: tuple[float, float],
) -> None:
    low, high = pair
    t = float(threshold_between(low, high))
    assume(not separates_in_float32(t, low, high))
    middle = float((Fraction(low) + Fraction(high)) / 2)
    assert t == (middle if middle < high else low)


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (1.0, 2.0, 1.5),
        (0.0, 1.0, 0.5),
        (-1.0, 1.0, 0.0),
        (-1e308, 1e308, 0.0),
        (1e308, 1.5e308, 1.25e308),
        (1e38, 1e308, MAX_FLOAT32),
        (1.0, float(np.nextafter(1.0, 2.0)), 1.0),
        (16777216.0, 16777217.0, 16777216.5),  # both are the same float32 number
        (0.0, 5e-324, 0.0),
        (5e-324, 1e-323, 5e-324),
        (0.1, 0.2, float(np.float32(0.15))),
    ],
)
def test_examples_of_thresholds(low: float, high: float, expected: float) -> None:
    assert float(threshold_between(low, high)) == expected


@given(
    low=st.floats(-1e6, 1e6, allow_subnormal=False),
    width=st.floats(1e-6, 1e6),
    power=st.integers(-40, 40),
)
def test_scaling_by_a_power_of_two_scales_the_threshold(
    low: float, width: float, power: int
) -> None:
    # Numbers above 1e-20 are no subnormal float32 numbers, also after division by 2**40.
    high = low + width
    assume(low < high)
    assume(low == 0 or abs(low) > 1e-20)
    assume(high == 0 or abs(high) > 1e-20)
    t = float(threshold_between(low, high))
    assume(t == 0 or abs(t) > 1e-20)
    scale = 2.0**power
    assert float(threshold_between(low * scale, high * scale)) == t * scale


def test_arrays_have_the_thresholds_of_their_entries() -> None:
    low = np.array([[1.0, -1e308], [0.0, 5.0]])
    high = np.array([[1.5, 1e308], [5e-324, 7.0]])
    thresholds = threshold_between(low, high)
    assert thresholds.shape == (2, 2)
    for index in np.ndindex(2, 2):
        assert thresholds[index] == threshold_between(low[index], high[index])


def test_no_threshold_is_negative_zero() -> None:
    low = np.array([-1.0, -5e-324, -0.0, -1e-50])
    thresholds = threshold_between(low, np.array([1.0, 5e-324, 1.0, 1.0]))
    assert not np.any(np.signbit(thresholds) & (thresholds == 0))


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.inf), (-0.0, 0.0)]
)
def test_values_that_nothing_separates_are_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="low < high"):
        threshold_between(low, high)


@given(st.floats(allow_nan=False), st.integers(-3, 3))
def test_before_rounding_decides_as_the_threshold_does_after_rounding(
    threshold: float, steps: int
) -> None:
    """A float64 number goes left iff the float32 number to which it is rounded goes left."""
    before = before_rounding(threshold)
    with np.errstate(over="ignore"):
        number = np.float64(before)
        for _ in range(abs(steps)):
            number = np.nextafter(number, np.copysign(inf, steps))
        values = [
            value
            for value in (number, np.float64(threshold), np.float64(np.float32(threshold)))
            if np.isfinite(np.float32(value))
        ]
        for value in values:
            assert (value <= before) == (np.float64(np.float32(value)) <= threshold)
