"""A search's integer prices order trees exactly as the exact price does."""

from fractions import Fraction

import pytest
from hypothesis import given
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


@given(price=prices, total=st.integers(1, 12), most=st.integers(1, 9))
def test_every_two_trees_compare_as_under_the_exact_price(
    price: Fraction, total: int, most: int
) -> None:
    chosen = LeafPrice.of(price, total, most)
    # A tree of several leaves that costs no more than the single leaf is all that matters above
    # the total weight, where the price is cut off.
    trees = [(errors, leaves) for errors in range(total + 1) for leaves in range(1, most + 1)]
    best = min(chosen.exact_cost(*tree) for tree in trees)
    scaled = [chosen.error_price * e + chosen.leaf_price * k for e, k in trees]
    assert {t for t, s in zip(trees, scaled, strict=True) if s == min(scaled)} == {
        tree for tree in trees if chosen.exact_cost(*tree) == best
    }
    if price <= total:
        for first, cost in zip(trees, scaled, strict=True):
            for second, other in zip(trees, scaled, strict=True):
                exact = chosen.exact_cost(*first) <= chosen.exact_cost(*second)
                assert (cost <= other) == exact


@given(
    price=prices,
    total=st.integers(1, 12),
    most=st.integers(1, 9),
    data=st.data(),
)
def test_lower_bounds_stay_below_every_exact_cost(
    price: Fraction, total: int, most: int, data: st.DataObject
) -> None:
    chosen = LeafPrice.of(price, total, most)
    errors, leaves = data.draw(st.integers(0, total)), data.draw(st.integers(1, most))
    scaled = chosen.error_price * errors + chosen.leaf_price * leaves
    assert chosen.exact_lower_bound(scaled) <= chosen.exact_cost(errors, leaves)
    if not chosen.substituted and leaves == 1:
        assert chosen.exact_lower_bound(scaled) == chosen.exact_cost(errors, leaves)


@given(price=prices, total=st.integers(1, 2**40), most=st.integers(1, 10**6))
def test_costs_of_a_search_stay_below_two_to_the_62(price: Fraction, total: int, most: int) -> None:
    chosen = LeafPrice.of(price * total, total, min(most, total))
    assert 0 < chosen.error_price * total + chosen.leaf_price + 1 < 2**62


def test_a_price_that_fits_is_kept() -> None:
    chosen = LeafPrice.of(Fraction(3, 2), 150, 8)
    assert (chosen.error_price, chosen.leaf_price, chosen.substituted) == (2, 3, False)


@pytest.mark.parametrize("penalty", [1 / 3, 0.00021544346900318845, 0.1 + 0.2])
def test_a_float_with_many_digits_is_substituted_by_a_small_denominator(penalty: float) -> None:
    total = 10**7
    chosen = LeafPrice.of(Fraction(str(penalty)) * total, total, 8)
    if chosen.substituted:
        assert chosen.error_price <= 16
    assert chosen.error_price * total + chosen.leaf_price < 2**62
