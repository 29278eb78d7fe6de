"""VC dimensions: published values, enumeration, and the inequalities between the bounds."""

import runpy
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product
from math import log, log2
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.theory import (
    Features,
    PartitioningBounds,
    TreeShape,
    binary_stump_vc_dimension,
    enumerate_shapes,
    enumerate_shapes_within,
    one_sided_vc_dimension,
    stump_vc_dimension,
    vc_dimension_bound_by_lambert,
    vc_dimension_bound_by_size,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)

PUBLISHED = runpy.run_path(str(Path(__file__).with_name("published.py")))
LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)
SHAPES = {shape.code: shape for shape in enumerate_shapes_within(3)}
SMALL = [shape for leaves in range(2, 7) for shape in enumerate_shapes(leaves)]


def test_the_bounds_have_the_published_values() -> None:
    """The numbers computed by the authors' program; for ten features they are in Figure 3."""
    for n_features, pairs in PUBLISHED["VC_DIMENSION"].items():
        for code, (lower, upper) in zip(PUBLISHED["SHAPES"], pairs, strict=True):
            assert vc_dimension_lower_bound(SHAPES[code], n_features) == lower
            assert vc_dimension_upper_bound(SHAPES[code], n_features) == upper


def orders(n_features: int, d: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all tables of d examples without ties, as one order of the examples per feature.

    The examples are numbered in the order of the first feature.
    """
    first = tuple(range(d))
    for others in combinations_with_replacement(list(permutations(first)), n_features - 1):
        yield (first, *others)


def prefixes(order: tuple[int, ...]) -> set[frozenset[int]]:
    return {frozenset(order[:k]) for k in range(len(order) + 1)}


@pytest.mark.parametrize(("n_features", "max_examples"), [(1, 5), (2, 5), (3, 5)])
def test_stumps_shatter_exactly_as_many_examples_as_their_vc_dimension(
    n_features: int, max_examples: int
) -> None:
    """Stumps, and stumps whose left child has a fixed class, over all orders of the examples."""
    stump = one_sided = 0
    for d in range(1, max_examples + 1):
        for table in orders(n_features, d):
            left = set().union(*map(prefixes, table))
            both_sides = left | {frozenset(range(d)) - side for side in left}
            one_sided = d if len(left) == 2**d else one_sided
            stump = d if len(both_sides) == 2**d else stump
    assert (stump, one_sided) == (
        stump_vc_dimension(n_features),
        one_sided_vc_dimension(n_features),
    )
    assert stump < max_examples


@pytest.mark.parametrize("n_features", [1, 2, 3, 4])
def test_the_vc_dimension_of_stumps_on_binary_features_agrees_with_enumeration(
    n_features: int,
) -> None:
    shattered = 0
    for d in range(1, 5):
        columns = [frozenset(i for i in range(d) if bits >> i & 1) for bits in range(2**d)]
        for table in combinations_with_replacement(columns, n_features):
            everything = frozenset(range(d))
            sides = {everything, frozenset(), *table, *(everything - column for column in table)}
            shattered = d if len(sides) == 2**d else shattered
    assert shattered == binary_stump_vc_dimension(n_features)
    assert binary_stump_vc_dimension(n_features) == int(log2(n_features + 1)) + 1


@given(st.integers(1, 10**6))
def test_the_vc_dimensions_of_kinds_of_stumps_are_ordered(n_features: int) -> None:
    """Yıldız's lower bound; and with a fixed class per child twice as many features are needed."""
    assert binary_stump_vc_dimension(n_features) <= stump_vc_dimension(n_features)
    assert one_sided_vc_dimension(2 * n_features) == stump_vc_dimension(n_features)


def test_the_bounds_are_equal_for_stumps() -> None:
    for n_features in range(1, 400):
        exact = stump_vc_dimension(n_features)
        assert vc_dimension_lower_bound(STUMP, n_features) == exact
        assert vc_dimension_upper_bound(STUMP, n_features) == exact


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_algorithm_2_returns_the_last_number_of_examples_not_excluded(shape: TreeShape) -> None:
    for n_features in (1, 3):
        tables = PartitioningBounds(n_features)
        m = shape.leaves + 1
        while tables.bound(shape, m, 2) >= 2 ** (m - 1) - 1:
            m += 1
        assert vc_dimension_upper_bound(shape, n_features) == m - 1
        assert vc_dimension_lower_bound(shape, n_features) <= m - 1


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_corollary_10_bounds_the_vc_dimension_by_the_size(shape: TreeShape) -> None:
    for n_features, m in product([1, 2, 10, 1000], [2, 3, 10, 25]):
        bound = PartitioningBounds(n_features).bound(shape, m, 2)
        assert bound <= (14 * m * n_features) ** shape.size
    for n_features in (1, 2, 10):
        by_size = vc_dimension_bound_by_size(shape, n_features)
        assert vc_dimension_upper_bound(shape, n_features) <= by_size
        assert (14 * by_size * n_features) ** shape.size >= 2 ** (by_size - 1) - 1
        more = by_size + 1
        assert (14 * more * n_features) ** shape.size < 2 ** (more - 1) - 1
        assert by_size <= vc_dimension_bound_by_lambert(shape, n_features)


def test_the_bound_by_lambert_is_the_closed_form_of_scipy() -> None:
    scipy = pytest.importorskip("scipy.special")
    for shape in SMALL:
        for n_features in (1, 10, 10**6):
            argument = -log(2) / (56 * shape.size * n_features)
            expected = -shape.size / log(2) * scipy.lambertw(argument, -1).real
            assert vc_dimension_bound_by_lambert(shape, n_features) == pytest.approx(expected)


def test_the_vc_dimension_of_a_leaf_is_1() -> None:
    for n_features in (1, 10):
        assert vc_dimension_lower_bound(LEAF, n_features) == 1
        assert vc_dimension_upper_bound(LEAF, n_features) == 1
        assert vc_dimension_bound_by_size(LEAF, n_features) == 1


@pytest.mark.parametrize(
    "dimension", [vc_dimension_lower_bound, vc_dimension_upper_bound, vc_dimension_bound_by_size]
)
def test_wrong_input_is_refused(dimension: object) -> None:
    with pytest.raises(ValueError, match="n_features must be at least 1, found 0"):
        dimension(STUMP, 0)  # type: ignore[operator]
    with pytest.raises(TypeError, match="shape must be a TreeShape, found None"):
        dimension(None, 3)  # type: ignore[operator]


@pytest.mark.parametrize(
    "dimension", [stump_vc_dimension, one_sided_vc_dimension, binary_stump_vc_dimension]
)
def test_negative_numbers_of_features_are_refused(dimension: object) -> None:
    with pytest.raises(ValueError, match="n_features must be at least 1, found -1"):
        dimension(-1)  # type: ignore[operator]


def test_weighted_sums_shatter_one_example_more_than_they_have_terms() -> None:
    """Stumps agree with Cover's count; two stumps under a root shatter the examples of both."""
    for terms in range(1, 7):
        features = Features(surfaces=(terms,))
        assert vc_dimension_lower_bound(STUMP, features) == terms + 1
        assert vc_dimension_upper_bound(STUMP, features) == terms + 1
    two = TreeShape(STUMP, STUMP)
    lines = Features(surfaces=(2,))
    assert vc_dimension_lower_bound(two, lines) == 6 <= vc_dimension_upper_bound(two, lines)
    # Lines in the plane, and thresholds on ten features, which shatter six examples.
    mixed = Features(numeric=10, surfaces=(2,))
    assert vc_dimension_lower_bound(STUMP, mixed) == 6 <= vc_dimension_upper_bound(STUMP, mixed)


def test_the_vc_dimension_of_fixed_rules_is_bounded_by_their_number() -> None:
    """They may all be equal, or they may shatter examples like binary features."""
    three_rules = Features(fixed_rules=3)
    assert vc_dimension_lower_bound(STUMP, three_rules) == 1
    assert vc_dimension_upper_bound(STUMP, three_rules) == 3 == binary_stump_vc_dimension(3)
    assert three_rules.max_distinct(100) == 8
    with pytest.raises(ValueError, match="each number in surfaces must be at least 1, found 0"):
        Features(surfaces=(0,))
    with pytest.raises(ValueError, match="fixed_rules must be at least 0"):
        Features(fixed_rules=-1)
    with pytest.raises(TypeError, match="surfaces must be a tuple of numbers of terms"):
        Features(surfaces=2)  # type: ignore[arg-type]
