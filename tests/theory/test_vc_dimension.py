"""VC dimensions: published values, plain enumeration, and the inequalities between the bounds."""

import runpy
from collections.abc import Iterator
from itertools import combinations_with_replacement, permutations, product
from math import log2
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


def test_published_values() -> None:
    """The numbers of the authors' own program; for ten features those of Figure 3."""
    for n_features, pairs in PUBLISHED["VC_DIMENSION"].items():
        for code, (lower, upper) in zip(PUBLISHED["SHAPES"], pairs, strict=True):
            assert vc_dimension_lower_bound(SHAPES[code], n_features) == lower
            assert vc_dimension_upper_bound(SHAPES[code], n_features) == upper


def orders(n_features: int, d: int) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield what tables of distinct values are to a tree: an order of d examples per feature.

    The first order is that of the examples' numbers.
    """
    first = tuple(range(d))
    for others in combinations_with_replacement(list(permutations(first)), n_features - 1):
        yield (first, *others)


def prefixes(order: tuple[int, ...]) -> set[frozenset[int]]:
    return {frozenset(order[:k]) for k in range(len(order) + 1)}


@pytest.mark.parametrize(("n_features", "most"), [(1, 5), (2, 5), (3, 5)])
def test_stumps_shatter_exactly_so_many_examples(n_features: int, most: int) -> None:
    """A stump, and a threshold whose left side has a fixed class, over all orders of examples."""
    stump = one_sided = 0
    for d in range(1, most + 1):
        for table in orders(n_features, d):
            left = set().union(*map(prefixes, table))
            either = left | {frozenset(range(d)) - side for side in left}
            one_sided = d if len(left) == 2**d else one_sided
            stump = d if len(either) == 2**d else stump
    assert (stump, one_sided) == (
        stump_vc_dimension(n_features),
        one_sided_vc_dimension(n_features),
    )
    assert stump < most


@pytest.mark.parametrize("n_features", [1, 2, 3, 4])
def test_stumps_on_binary_features(n_features: int) -> None:
    shattered = 0
    for d in range(1, 5):
        columns = [frozenset(i for i in range(d) if bits >> i & 1) for bits in range(2**d)]
        for table in combinations_with_replacement(columns, n_features):
            every = frozenset(range(d))
            sides = {every, frozenset(), *table, *(every - column for column in table)}
            shattered = d if len(sides) == 2**d else shattered
    assert shattered == binary_stump_vc_dimension(n_features)
    assert binary_stump_vc_dimension(n_features) == int(log2(n_features + 1)) + 1


@given(st.integers(1, 10**6))
def test_stumps_of_different_kinds(n_features: int) -> None:
    """Yıldız's lower bound, and the factor of two that one side costs."""
    assert binary_stump_vc_dimension(n_features) <= stump_vc_dimension(n_features)
    assert one_sided_vc_dimension(2 * n_features) == stump_vc_dimension(n_features)


def test_algorithm_2_ends_exactly_for_stumps() -> None:
    for n_features in range(1, 400):
        exact = stump_vc_dimension(n_features)
        assert vc_dimension_lower_bound(STUMP, n_features) == exact
        assert vc_dimension_upper_bound(STUMP, n_features) == exact


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_algorithm_2_ends_where_the_bound_falls_below_all_ways(shape: TreeShape) -> None:
    for n_features in (1, 3):
        tables = PartitioningBounds(n_features)
        m = shape.leaves + 1
        while tables.bound(shape, m, 2) >= 2 ** (m - 1) - 1:
            m += 1
        assert vc_dimension_upper_bound(shape, n_features) == m - 1
        assert vc_dimension_lower_bound(shape, n_features) <= m - 1


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_corollary_10(shape: TreeShape) -> None:
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


def test_the_closed_form_by_lambert() -> None:
    scipy = pytest.importorskip("scipy.special")
    for shape in SMALL:
        for n_features in (1, 10, 10**6):
            argument = -0.6931471805599453 / (56 * shape.size * n_features)
            closed = -shape.size / 0.6931471805599453 * scipy.lambertw(argument, -1).real
            assert vc_dimension_bound_by_lambert(shape, n_features) == pytest.approx(closed)


def test_a_leaf() -> None:
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
def test_a_table_has_a_feature(dimension: object) -> None:
    with pytest.raises(ValueError, match="n_features must be at least 1, found -1"):
        dimension(-1)  # type: ignore[operator]


def test_weighted_sums_shatter_one_example_more_than_they_have_terms() -> None:
    """Cover's count says so of stumps, exactly; two stumps shatter the examples of both."""
    for terms in range(1, 7):
        features = Features(surfaces=(terms,))
        assert vc_dimension_lower_bound(STUMP, features) == terms + 1
        assert vc_dimension_upper_bound(STUMP, features) == terms + 1
    two = TreeShape(STUMP, STUMP)
    lines = Features(surfaces=(2,))
    assert vc_dimension_lower_bound(two, lines) == 6 <= vc_dimension_upper_bound(two, lines)
    # A line in the plane and a threshold on one of ten features, which shatters six examples.
    mixed = Features(numeric=10, surfaces=(2,))
    assert vc_dimension_lower_bound(STUMP, mixed) == 6 <= vc_dimension_upper_bound(STUMP, mixed)


def test_of_given_rules_nothing_is_known_but_how_many_there_are() -> None:
    """They may all be the same, or split one example after the other from the rest."""
    given = Features(fixed_rules=3)
    assert vc_dimension_lower_bound(STUMP, given) == 1
    assert vc_dimension_upper_bound(STUMP, given) == 3 == binary_stump_vc_dimension(3)
    assert given.max_distinct(100) == 8
    with pytest.raises(ValueError, match="each number in surfaces must be at least 1, found 0"):
        Features(surfaces=(0,))
    with pytest.raises(ValueError, match="fixed_rules must be at least 0"):
        Features(fixed_rules=-1)
    with pytest.raises(TypeError, match="surfaces must be a tuple of numbers of terms"):
        Features(surfaces=2)  # type: ignore[arg-type]
