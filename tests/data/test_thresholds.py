"""Thresholds are the shortest decimals that separate their two values, also after rounding."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nextafter

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from exactree.data import threshold_between
from exactree.data.thresholds import before_rounding, middle_between, same_in_float32

finite = st.floats(allow_nan=False, allow_infinity=False)
MAX_FLOAT32 = float(np.finfo(np.float32).max)
AFTER_ONE = nextafter(1.0, 2.0)


def fl32(number: float) -> float:
    with np.errstate(over="ignore"):
        return float(np.float32(number))


def separates(t: float, low: float, high: float) -> bool:
    return low <= t < high


def separates_in_float32(t: float, low: float, high: float) -> bool:
    """Return whether t separates the rounded values, whether or not it is rounded itself."""
    return fl32(low) <= t < fl32(high) and fl32(low) <= fl32(t) < fl32(high)


def digits(t: float) -> int:
    """Return the number of significant digits of the shortest text of a number."""
    mantissa = repr(t).split("e")[0].replace(".", "").replace("-", "")
    return max(1, len(mantissa.strip("0")))


def by_definition(low: float, high: float) -> float:
    """Return the threshold by a search through all decimals of 1 digit, 2 digits and so on.

    Decimals of more places than needed next to the midpoint cannot be nearer to it. If float32
    rounds `high` to infinity, the numbers next to the greatest float32 number are the nearest.
    """
    middle = (Fraction(low) + Fraction(high)) / 2
    both = fl32(low) < fl32(high)
    nearest = min(float(middle), MAX_FLOAT32) if both else float(middle)
    top = max(Decimal(end).adjusted() for end in (low, high) if end)
    bottom = Decimal(nearest).adjusted() if nearest else -325
    for length in range(1, 18):
        found = set()
        for power in range(top + 1, max(bottom - length, -326), -1):
            unit = Fraction(10) ** power
            first = max(int(Fraction(low) / unit) - 1, 1 - 10**length)
            last = min(int(Fraction(high) / unit) + 1, 10**length - 1)
            for count in range(first, last + 1):
                try:
                    t = float(count * unit)
                except OverflowError:
                    continue
                if separates(t, low, high) and (not both or separates_in_float32(t, low, high)):
                    found.add(t)
        if found:
            shortest = [t for t in found if digits(t) == min(map(digits, found))]
            return min(shortest, key=lambda t: (abs(Fraction(repr(t)) - middle), t))
    raise AssertionError


@st.composite
def neighbours(draw: st.DrawFn) -> tuple[float, float]:
    """Draw two different numbers in ascending order, often only a few ulps apart."""
    low = draw(finite)
    kind = draw(st.sampled_from(["any", "float64", "float32", "decimals"]))
    if kind == "any":
        high = draw(finite)
    elif kind == "decimals":
        places, steps = draw(st.integers(-4, 4)), draw(st.sampled_from([1, 2, 3, 10, 1000]))
        count = draw(st.integers(-2000, 2000))
        low = float(Fraction(count) / Fraction(10) ** places)
        high = float(Fraction(count + steps) / Fraction(10) ** places)
    else:
        steps = draw(st.integers(1, 3))
        high = low if kind == "float64" else np.float32(fl32(low))
        for _ in range(steps):
            with np.errstate(over="ignore"):
                high = np.nextafter(high, type(high)(np.inf))
        high = float(high)
        if kind == "float32" and draw(st.booleans()):
            low = fl32(low)
    assume(np.isfinite(low) and np.isfinite(high) and low != high)
    return min(low, high), max(low, high)


@given(neighbours())
@example((1.0, AFTER_ONE))
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
@example((16777217.0, 16777219.0))
@example((1e38, 1e308))
@example((-1e308, 1.0))
@example((-1e308, -MAX_FLOAT32))
@example((-1e-50, 1e-50))
@example((0.1, 0.2))
@example((MAX_FLOAT32, 1e39))
@example((7e-46, 1.4e-45))
def test_values_that_float32_distinguishes_are_separated_after_rounding(
    pair: tuple[float, float],
) -> None:
    low, high = pair
    t = float(threshold_between(low, high))
    assert separates_in_float32(t, low, high) == (fl32(low) < fl32(high))
    assert bool(same_in_float32(np.array(low), np.array(high))) == (fl32(low) < fl32(high))


@given(neighbours())
@example((9007199254740990.0, 9007199254740996.0))
@example((5e-324, 1e-323))
@example((5e-324, 5e-322))
@example((2.2250738585072004e-308, 2.2250738585072024e-308))
@example((1.7976931348623155e308, 1.7976931348623157e308))
@example((-0.3, 0.1 + 0.2))
@example((-0.0, 1e-300))
@example((0.1, 0.4))
@example((-1e308, 1.0))
@example((1e22, 1e22 + 2**21))
def test_the_threshold_is_the_one_of_the_definition(pair: tuple[float, float]) -> None:
    assert repr(float(threshold_between(*pair))) == repr(by_definition(*pair))


@given(st.integers(0, 2**11), st.integers(1, 40))
def test_thresholds_of_subnormal_numbers_are_those_of_the_definition(low: int, steps: int) -> None:
    """Decimals are denser than subnormal numbers: all of these are tried."""
    numbers = [count * 5e-324 for count in range(low, low + steps)]
    middle = (Fraction(numbers[0]) + Fraction((low + steps) * 5e-324)) / 2
    shortest = min(map(digits, numbers))
    expected = min(
        (t for t in numbers if digits(t) == shortest),
        key=lambda t: (abs(Fraction(repr(t)) - middle), t),
    )
    assert float(threshold_between(numbers[0], (low + steps) * 5e-324)) == expected


@given(finite, st.integers(1, 300))
def test_among_all_numbers_of_a_short_interval_none_is_shorter_or_nearer(
    low: float, steps: int
) -> None:
    numbers = [low]
    for _ in range(steps):
        numbers.append(nextafter(numbers[-1], inf))
    high = numbers.pop()
    assume(high < inf and fl32(low) == fl32(high))
    middle = (Fraction(low) + Fraction(high)) / 2
    shortest = min(map(digits, numbers))
    t = float(threshold_between(low, high))
    assert digits(t) == shortest
    assert t == min(
        (number for number in numbers if digits(number) == shortest),
        key=lambda number: (abs(Fraction(repr(number)) - middle), number),
    )


@pytest.mark.parametrize(
    ("low", "high", "expected"),
    [
        (2.44, 2.46, 2.45),
        (1.9, 3.0, 2.0),
        (1.0, 2.0, 1.0),
        (2.0, 3.0, 2.0),
        (0.0, 1.0, 0.5),
        (0.0, 0.5, 0.2),
        (-1.0, 1.0, 0.0),
        (299.0, 301.0, 300.0),
        (0.0299, 0.0301, 0.03),
        (-1e308, 1e308, 0.0),
        (1e308, 1.5e308, 1e308),
        (1e38, 1e308, 3e38),
        (1.0, AFTER_ONE, 1.0),
        (16777216.0, 16777217.0, 16777216.0),  # both are the same float32 number
        (0.0, 5e-324, 0.0),
        (5e-324, 1e-323, 5e-324),
        (0.1, 0.2, 0.15),  # float32 rounds 0.1 up, so that 0.1 would send it right
        (0.7, 0.8, 0.7),  # float32 rounds 0.7 down
    ],
)
def test_examples_of_thresholds(low: float, high: float, expected: float) -> None:
    assert float(threshold_between(low, high)) == expected


def test_arrays_have_the_thresholds_of_their_entries() -> None:
    low = np.array([[1.0, -1e308], [0.0, 5.0], [1.0, -0.0]])
    high = np.array([[1.5, 1e308], [5e-324, 7.0], [1.5, 5e-324]])
    thresholds = threshold_between(low, high)
    assert thresholds.shape == (3, 2)
    for index in np.ndindex(3, 2):
        assert thresholds[index] == threshold_between(low[index], high[index])
    assert threshold_between(np.empty(0), np.empty(0)).shape == (0,)


@given(neighbours())
@example((1.0, AFTER_ONE))
@example((-1e308, 1e308))
@example((1.7e308, 1.75e308))
def test_the_middle_is_rounded_once(pair: tuple[float, float]) -> None:
    low, high = pair
    middle = float((Fraction(low) + Fraction(high)) / 2)
    assert float(middle_between(low, high)) == (middle if middle < high else low)


def test_no_threshold_is_negative_zero() -> None:
    low = np.array([-1.0, -5e-324, -0.0, -1e-50])
    for between in (threshold_between, middle_between):
        thresholds = between(low, np.array([1.0, 5e-324, 1.0, 1.0]))
        assert not np.any(np.signbit(thresholds) & (thresholds == 0))


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 1.0), (2.0, 1.0), (np.nan, 1.0), (0.0, np.inf), (-0.0, 0.0)]
)
def test_values_that_nothing_separates_are_refused(low: float, high: float) -> None:
    with pytest.raises(ValueError, match="low < high"):
        threshold_between(low, high)


@given(st.floats(allow_nan=False), st.integers(-3, 3))
@example(MAX_FLOAT32, 0)
def test_before_rounding_decides_as_the_threshold_does_after_rounding(
    threshold: float, steps: int
) -> None:
    """A float64 number goes left iff the float32 number to which it is rounded goes left."""
    before = before_rounding(threshold)
    assert np.isinf(before) == np.isinf(threshold)
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
