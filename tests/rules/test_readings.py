"""Values as short decimals: the order stays, and so do dichotomies when a table is scaled."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactree as xt
from exactree.problem.encoding.surfaces import splits_exactly
from exactree.rules import Hyperplanes, Hypersurfaces, SurfaceRule
from exactree.rules.dichotomies import dichotomies
from exactree.rules.hypersurfaces import embedded
from exactree.rules.readings import MAX_DIGITS, reading

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@given(FINITE)
def test_a_reading_rounds_to_its_value(value: float) -> None:
    assert float(reading(value)) == value
    assert reading(-value) == -reading(value)


@given(FINITE, FINITE)
def test_readings_are_ordered_as_the_values(first: float, second: float) -> None:
    assert (first < second) == (reading(first) < reading(second))


@given(st.integers(-(10**MAX_DIGITS) + 1, 10**MAX_DIGITS - 1), st.integers(-30, 30))
def test_decimals_of_few_digits_are_read_as_such(digits: int, exponent: int) -> None:
    decimal = Decimal(digits).scaleb(exponent)
    assert reading(float(decimal)) == Fraction(decimal)


def test_other_values_are_the_doubles() -> None:
    for value in (1 / 3, 0.1 + 0.2, 2.0**60 + 2.0**8, 1.23456789012):
        assert reading(value) == Fraction(value)


def scaled(whole: np.ndarray, exponent: int) -> np.ndarray:
    """Return integers times a power of ten, each rounded once."""
    numbers = [float(Decimal(int(value)).scaleb(exponent)) for value in whole.ravel()]
    return np.array(numbers).reshape(whole.shape)


@pytest.mark.parametrize("exponent", range(-6, 7))
@pytest.mark.parametrize(("family", "d"), [(Hyperplanes(), 2), (Hypersurfaces(2), 2)])
def test_a_scaled_table_has_the_same_dichotomies_and_optimum(family, d, exponent) -> None:
    rng = np.random.default_rng(d)
    whole = rng.integers(0, 60, (9, d))
    y = rng.integers(0, 2, len(whole))
    X = scaled(whole, exponent)
    expected, found = (
        {left.tobytes() for left in dichotomies(embedded(table, family.monomials(d))[0]).left}
        for table in (np.unique(whole.astype(float), axis=0), np.unique(X, axis=0))
    )
    assert found == expected
    limits = xt.Limits(max_depth=1)
    costs = [
        xt.solve(xt.Problem(table, y, rules=family, limits=limits)).cost
        for table in (whole.astype(float), X)
    ]
    assert costs[0] == costs[1]


def test_tenths_on_a_line_are_not_separated_by_rounding() -> None:
    """The doubles next to 0.1, 0.2 and 0.3 are not on a line with the zeros beside them."""
    X = scaled(np.array([[k, 3 * k] for k in range(1, 8)]), -1)
    y = np.arange(7) % 2
    problem = xt.Problem(X, y, rules=Hyperplanes(), limits=xt.Limits(max_depth=1))
    assert xt.solve(problem).cost == xt.solve(problem.with_rules(xt.rules.AxisParallel())).cost == 3


def test_a_split_between_tenths_is_exact_as_of_the_decimals() -> None:
    rule = SurfaceRule.linear((3, -1), 0.0)  # 3 * 0.1 > 0.3 in floating point
    X = np.array([[0.1, 0.3], [0.2, 0.5]])
    assert not splits_exactly(rule, X)
    assert rule.holds(X).tolist() == [False, False]
    assert splits_exactly(SurfaceRule.linear((3, -1), 0.05), X)
