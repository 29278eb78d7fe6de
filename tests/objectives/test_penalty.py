"""A search's integer prices order trees exactly as the exact price does."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactree.objectives import LeafPrice

# Fractions that 64 bits hold, floats read as decimals, and prices next to simple fractions.
prices = (
    st.fractions(0, 20)
    | st.floats(0, 20).map(lambda x: Fraction(str(x)))
    | st.tuples(st.integers(0, 40), st.integers(1, 8), st.sampled_from([-1, 1])).map(
        lambda t: max(Fraction(0), Fraction(t[0], t[1]) + Fraction(t[2], 10**30))
    )
)


@given(price=prices, total=st.integers(1, 9), most=st.integers(1, 6))
def test_every_two_trees_compare_as_under_the_exact_price(
    price: Fraction, total: int, most: int
) -> None:
    chosen = LeafPrice.of(price, total, most)
    trees = [(errors, leaves) for errors in range(total + 1) for leaves in range(1, most + 1)]
    scaled = {t: chosen.error_price * t[0] + chosen.leaf_price * t[1] for t in trees}
    # Above the total weight the price is cut off; all that matters then is which trees are best
    # beside a leaf of some number of errors.
    for leaf_errors in range(total + 1):
        some = [t for t in trees if t[1] > 1 or t[0] == leaf_errors]
        best = min(chosen.exact_cost(*t) for t in some)
        least = min(scaled[t] for t in some)
        assert [t for t in some if scaled[t] == least] == [
            t for t in some if chosen.exact_cost(*t) == best
        ]
    if price <= total:
        for first, second in product(trees, trees):
            exact = chosen.exact_cost(*first) <= chosen.exact_cost(*second)
            assert (scaled[first] <= scaled[second]) == exact


@given(price=prices, total=st.integers(1, 9), most=st.integers(1, 6))
@example(price=Fraction(5) + Fraction(1, 10**30), total=9, most=3)
@example(price=Fraction(5) - Fraction(1, 10**30), total=9, most=3)
def test_lower_bounds_stay_below_every_exact_cost(price: Fraction, total: int, most: int) -> None:
    chosen = LeafPrice.of(price, total, most)
    for errors, leaves in product(range(total + 1), range(1, most + 1)):
        scaled = chosen.error_price * errors + chosen.leaf_price * leaves
        exact = chosen.exact_cost(errors, leaves)
        assert chosen.exact_lower_bound(scaled) <= exact
        if not chosen.substituted:
            assert chosen.exact_lower_bound(scaled) == exact


def test_the_greatest_total_has_room_for_no_penalty_and_one_leaf() -> None:
    chosen = LeafPrice.of(Fraction(0), 2**62 - 1, 1)
    assert (chosen.error_price, chosen.leaf_price, chosen.substituted) == (1, 0, False)


@given(price=prices, total=st.integers(1, 2**40), most=st.integers(1, 10**6))
def test_costs_of_a_search_stay_below_two_to_the_62(price: Fraction, total: int, most: int) -> None:
    chosen = LeafPrice.of(price * total, total, min(most, total))
    assert 0 < chosen.error_price * total + chosen.leaf_price + 1 < 2**62


def test_a_price_that_fits_is_kept() -> None:
    chosen = LeafPrice.of(Fraction(3, 2), 150, 8)
    assert (chosen.error_price, chosen.leaf_price, chosen.substituted) == (2, 3, False)


@pytest.mark.parametrize("penalty", [1 / 3, 0.00021544346900318845, 0.1 + 0.2])
def test_a_float_with_many_digits_is_substituted_by_a_small_denominator(penalty: float) -> None:
    total = 10**7 + 1
    chosen = LeafPrice.of(Fraction(str(penalty)) * total, total, 8)
    assert chosen.substituted
    assert chosen.error_price <= 14
