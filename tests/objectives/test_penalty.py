"""A search's integer prices order trees exactly as the exact price does."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from exactree.data.weights import TOTAL_LIMIT
from exactree.objectives import LeafPrice
from exactree.objectives.penalty import SearchPrices

# Fractions, floats read as decimals, and prices that differ from simple fractions by 1e-30.
prices = (
    st.fractions(0, 20)
    | st.floats(0, 20).map(lambda x: Fraction(str(x)))
    | st.builds(
        lambda simple, sign: max(Fraction(0), simple + Fraction(sign, 10**30)),
        st.builds(Fraction, st.integers(0, 40), st.integers(1, 8)),
        st.sampled_from([-1, 1]),
    )
)


@given(price=prices, total=st.integers(1, 9), max_leaves=st.integers(1, 6))
def test_every_two_trees_compare_as_under_the_exact_price(
    price: Fraction, total: int, max_leaves: int
) -> None:
    leaf_price = LeafPrice.of(price, total, max_leaves)
    trees = [(errors, leaves) for errors in range(total + 1) for leaves in range(1, max_leaves + 1)]
    scaled = {
        (errors, leaves): leaf_price.error_price * errors + leaf_price.leaf_price * leaves
        for errors, leaves in trees
    }
    # The best trees are the same for every price. The single leaf of a table has a fixed number of
    # errors; every number is tried, together with all trees of two or more leaves.
    for single_leaf_errors in range(total + 1):
        possible = [
            (errors, leaves)
            for errors, leaves in trees
            if leaves > 1 or errors == single_leaf_errors
        ]
        min_exact = min(leaf_price.exact_cost(*tree) for tree in possible)
        min_scaled = min(scaled[tree] for tree in possible)
        assert [tree for tree in possible if scaled[tree] == min_scaled] == [
            tree for tree in possible if leaf_price.exact_cost(*tree) == min_exact
        ]
    for first, second in product(trees, trees):
        exact = leaf_price.exact_cost(*first) <= leaf_price.exact_cost(*second)
        assert (scaled[first] <= scaled[second]) == exact


@given(price=prices, total=st.integers(1, 9), max_leaves=st.integers(1, 6))
@example(price=Fraction(5) + Fraction(1, 10**30), total=9, max_leaves=3)
@example(price=Fraction(5) - Fraction(1, 10**30), total=9, max_leaves=3)
def test_lower_bounds_stay_below_every_exact_cost(
    price: Fraction, total: int, max_leaves: int
) -> None:
    leaf_price = LeafPrice.of(price, total, max_leaves)
    for errors, leaves in product(range(total + 1), range(1, max_leaves + 1)):
        scaled = leaf_price.error_price * errors + leaf_price.leaf_price * leaves
        exact = leaf_price.exact_cost(errors, leaves)
        assert leaf_price.exact_lower_bound(scaled) <= exact
        if not leaf_price.substituted:
            assert leaf_price.exact_lower_bound(scaled) == exact


def test_without_a_penalty_the_prices_are_exact_for_the_greatest_total_weight() -> None:
    leaf_price = LeafPrice.of(Fraction(0), 2**62 - 1, 1)
    assert (leaf_price.error_price, leaf_price.leaf_price, leaf_price.substituted) == (1, 0, False)


@given(penalty=prices, total=st.integers(1, 2**40), max_leaves=st.integers(1, 10**6))
def test_the_cost_of_a_single_leaf_plus_one_stays_below_two_to_the_62(
    penalty: Fraction, total: int, max_leaves: int
) -> None:
    leaf_price = LeafPrice.of(penalty * total, total, min(max_leaves, total))
    assert 0 < leaf_price.error_price * total + leaf_price.leaf_price + 1 < 2**62


def test_a_price_with_a_small_denominator_is_kept() -> None:
    leaf_price = LeafPrice.of(Fraction(3, 2), 150, 8)
    assert (leaf_price.error_price, leaf_price.leaf_price, leaf_price.substituted) == (2, 3, False)


@pytest.mark.parametrize("penalty", [1 / 3, 0.00021544346900318845, 0.1 + 0.2])
def test_a_float_with_many_digits_is_replaced_by_a_price_of_small_denominator(
    penalty: float,
) -> None:
    total = 10**7 + 1
    leaf_price = LeafPrice.of(Fraction(str(penalty)) * total, total, 8)
    assert leaf_price.substituted
    # The price is replaced by the mediant of two neighbouring fractions. Their denominators are at
    # most 7, the greatest difference between 1 and 8 leaves; that of the mediant is at most 7 + 7.
    assert leaf_price.error_price <= 14


@given(
    leaf=prices,
    features=st.lists(prices, max_size=3),
    total=st.integers(1, 9) | st.integers(2**55, TOTAL_LIMIT - 1),
    share=st.fractions(0, 1),
    max_leaves=st.integers(1, 6),
    feasible=st.booleans(),
)
@example(Fraction(1, 3), [Fraction(1, 10**30)], TOTAL_LIMIT - 1, Fraction(1), 2, False)
@example(Fraction(2**80), [Fraction(2**70)], 9, Fraction(1), 6, False)
@example(Fraction(1), [Fraction(2**70)], 9, Fraction(1), 6, True)
def test_costs_with_prices_of_features_fit_and_are_too_low_by_at_most_the_shortfall(
    leaf: Fraction,
    features: list[Fraction],
    total: int,
    share: Fraction,
    max_leaves: int,
    feasible: bool,
) -> None:
    most = int(share * total)
    prices = SearchPrices.with_features(
        leaf, features, (total, most), max_leaves, leaf_is_feasible=feasible
    )
    assert prices.error_price * total < TOTAL_LIMIT
    choices = product((0, 1), repeat=len(features))
    for errors, leaves, used in product((0, most), (1, max_leaves), choices):
        exact = errors + leaf * leaves + sum(f * use for f, use in zip(features, used, strict=True))
        cost = prices.error_price * errors + prices.leaf_price * leaves
        cost += sum(f * use for f, use in zip(prices.features, used, strict=True))
        can_be_optimal = not feasible or exact <= most + leaf
        assert cost < TOTAL_LIMIT or not can_be_optimal
        if prices.rounded or any(features):
            excess = exact - Fraction(cost, prices.error_price)
            assert excess >= 0
            assert excess <= prices.shortfall or not can_be_optimal
        assert prices.exact_lower_bound(cost) <= exact
