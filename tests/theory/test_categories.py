"""Categorical features: bounds compared with plain enumeration, and their tightness."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations, pairwise, product
from math import comb, inf, log

import numpy as np
import pytest

from exactree.theory import (
    Features,
    LogPartitioningBounds,
    PartitioningBounds,
    TreeShape,
    enumerate_shapes,
    log_growth_function_bound,
    partitioning_function_bound,
    realizable_partitions,
    risk_bound,
    stump_partitioning_function_bound,
    trivial_stump_bound,
    vc_dimension_lower_bound,
    vc_dimension_upper_bound,
)
from exactree.theory.divisions import divisions
from exactree.theory.features import FeatureGroup, Kind
from exactree.theory.partitions import stirling, unions

LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)
SMALL = [shape for leaves in range(1, 5) for shape in enumerate_shapes(leaves)]
TABLES = [
    Features(ordinal=(2,)),
    Features(ordinal=(2, 2, 2)),
    Features(ordinal=(3, 4)),
    Features(nominal=(3,)),
    Features(nominal=(2, 3)),
    Features(nominal=(4, 4)),
    Features(nominal=(4,), nominal_rules="subset"),
    Features(nominal=(3, 5), nominal_rules="subset"),
    Features(numeric=1, nominal=(2, 4)),
    Features(numeric=1, ordinal=(3,), nominal=(4,), nominal_rules="subset"),
]


def sizes_of(m: int, c: int) -> Iterator[tuple[int, ...]]:
    """Yield all numbers of examples in c categories, for m examples and no empty category."""
    for ends in combinations(range(1, m), c - 1):
        borders = (0, *ends, m)
        yield tuple(b - a for a, b in pairwise(borders))


def sides_of(kind: Kind, sizes: tuple[int, ...]) -> Counter[int]:
    """Count the sides of rules on one feature by their number of examples."""
    categories = frozenset(range(len(sizes)))
    lefts: set[frozenset[int]]
    if kind == "ordinal":
        lefts = {frozenset(range(end)) for end in range(len(sizes))}
    elif kind == "one-against-rest":
        lefts = {frozenset({category}) for category in range(len(sizes))}
    else:
        lefts = {frozenset(c) for n in range(len(sizes)) for c in combinations(categories, n)}
    sides = (lefts | {categories - left for left in lefts}) - {frozenset(), categories}
    return Counter(sum(sizes[category] for category in side) for side in sides)


@pytest.mark.parametrize("kind", ["ordinal", "one-against-rest", "subset"])
def test_the_numbers_of_sides_of_rules_on_one_feature(kind: Kind) -> None:
    """Over all numbers of examples in the categories, the total is exact.

    The number of sides with k examples is a bound, which is exact except for subsets.
    """
    for categories, m in product(range(1, 7), range(2, 12)):
        group = FeatureGroup(kind, categories, 1)
        all_counts = [
            sides_of(kind, sizes)
            for c in range(1, min(categories, m) + 1)
            for sizes in sizes_of(m, c)
        ]
        assert max(counts.total() for counts in all_counts) == group.sides(m)
        for k, bound in enumerate(group.sides_by_size(m), start=1):
            maximum = max(counts[k] for counts in all_counts)
            assert maximum <= bound
            assert maximum == bound or kind == "subset", (categories, m, k)


def random_table(features: Features, m: int, rng: np.random.Generator) -> np.ndarray:
    """Return a table of random values with the given features; numeric features have no ties."""
    columns = [rng.permutation(m) for _ in range(features.numeric)]
    columns += [rng.integers(0, n, m) for n in features.ordinal + features.nominal]
    return np.column_stack(columns).astype(float)


@pytest.mark.parametrize("features", TABLES, ids=repr)
def test_no_table_has_more_partitions_than_the_bounds(features: Features) -> None:
    rng = np.random.default_rng(0)
    tight, loose = PartitioningBounds(features), PartitioningBounds(features, "loose")
    n_equal = below_numeric = 0
    numeric = PartitioningBounds(features.count)
    for shape, m, _ in product(SMALL, range(1, 7), range(2)):
        X = random_table(features, m, rng)
        for c in range(1, 5):
            count = len(realizable_partitions(shape, X, c, features))
            bound = tight.bound(shape, m, c)
            assert count <= bound <= loose.bound(shape, m, c), (shape, X, c)
            n_equal += 0 < count == bound
            below_numeric += bound < numeric.bound(shape, m, c)
    assert n_equal > 50
    assert below_numeric > 0 or features.nominal_rules == "subset"


def recursion(shape: TreeShape, m: int, c: int, features: Features) -> int:
    """Return the bound by its recursion, without cached tables."""
    if c > min(m, shape.leaves):
        return 0
    if c == 1:
        return 1
    if m <= shape.leaves:
        return stirling(m, c)
    assert shape.children is not None
    left, right = shape.children
    ways = [
        sum(
            unions(a, b, c) * recursion(left, k, a, features) * recursion(right, m - k, b, features)
            for a, b in product(range(1, c + 1), repeat=2)
        )
        for k in range(1, m)
    ]
    groups = features.groups()
    by_size = [group.sides_by_size(m) for group in groups]
    by_size_only = by_group = 0
    for k, n_ways in enumerate(ways, start=1):
        by_size_only += min(comb(m, k), sum(sides[k - 1] for sides in by_size)) * n_ways
    for group, sides in zip(groups, by_size, strict=True):
        by_side = [w for k, w in enumerate(ways, 1) for _ in range(min(comb(m, k), sides[k - 1]))]
        by_group += sum(sorted(by_side, reverse=True)[: group.sides(m)])
    total = min(by_size_only, by_group)
    total += sum(recursion(child, m, c, features) for child in shape.children)
    return min(total // 2 if left == right else total, stirling(m, c))


@pytest.mark.parametrize("features", TABLES, ids=repr)
def test_bounds_with_cached_tables_are_those_of_the_recursion(features: Features) -> None:
    tight = PartitioningBounds(features)
    for shape, m, c in product(SMALL, range(1, 10), range(1, 4)):
        distinct = features.max_distinct(m)
        assert tight.bound(shape, m, c) == recursion(shape, distinct, c, features)


def test_the_bound_is_tight_for_stumps_on_many_examples() -> None:
    """With many examples no two rules split them in the same way."""
    for features in (Features(ordinal=(2, 3, 4)), Features(nominal=(2, 3, 5)), Features(1, (3,))):
        rng = np.random.default_rng(1)
        X = random_table(features, 30, rng)
        count = len(realizable_partitions(STUMP, X, 2, features))
        assert count == stump_partitioning_function_bound(features, 30)
        assert count == trivial_stump_bound(features, 30)
    subsets = Features(nominal=(4,), nominal_rules="subset")
    assert stump_partitioning_function_bound(subsets, 30) == 2**3 - 1


def test_the_maximum_takes_the_sides_with_most_partitions() -> None:
    """One ordinal feature of three categories has four sides, at most two of them of equal size.

    One numeric feature has two sides of each size.
    """
    partitions_by_size = [1, 5, 0, 3, 2]
    ordinal, numeric = Features(ordinal=(3,)), Features(numeric=1)
    assert divisions(ordinal, 6).max_partitions(partitions_by_size) == 5 + 5 + 3 + 3
    assert divisions(numeric, 6).max_partitions(partitions_by_size) == 2 * (1 + 5 + 0 + 3 + 2)


def test_an_integer_is_a_number_of_numeric_features() -> None:
    for shape, m, c in product(SMALL, [3, 8], [2, 3]):
        numbers = {"n_examples": m, "n_parts": c}
        bound = partitioning_function_bound(shape, n_features=3, **numbers)
        assert bound == partitioning_function_bound(shape, n_features=Features(3), **numbers)
        with_constant = Features(3, ordinal=(1,))
        assert bound <= partitioning_function_bound(shape, n_features=with_constant, **numbers)


@pytest.mark.parametrize("features", TABLES, ids=repr)
@pytest.mark.parametrize("form", ["tight", "loose"])
def test_logarithms_agree_with_integers(features: Features, form: str) -> None:
    exact, logs = PartitioningBounds(features, form), LogPartitioningBounds(features, form)
    for leaves, m, c in product(range(1, 7), [1, 2, 5, 9, 20], [1, 2, 3]):
        for shape in enumerate_shapes(leaves):
            expected = exact.bound(shape, m, c)
            found = logs.bound(shape, m, c)
            assert found == pytest.approx(log(expected) if expected else -inf, abs=1e-9)


def test_categories_make_a_smaller_bound() -> None:
    """A feature of two categories has one stump, a numeric feature of 1,000 examples has 999.

    So each of the three nodes reduces the bound by a factor of more than 100.
    """
    shape = TreeShape(STUMP, STUMP)
    table = {"n_examples": 1000, "n_classes": 2}
    two_categories, five_categories = Features(ordinal=(2,) * 10), Features(nominal=(5,) * 10)
    numeric_bound = log_growth_function_bound(shape, n_features=10, **table)
    bound = log_growth_function_bound(shape, n_features=two_categories, **table)
    assert bound < numeric_bound - 3 * log(100)
    bounds = [
        risk_bound(shape, n_features=features, n_errors=3, **table)
        for features in (two_categories, five_categories, 10)
    ]
    assert bounds == sorted(bounds)


def test_many_categories_do_not_overflow() -> None:
    features = Features(2, nominal=(5000,), nominal_rules="subset")
    for form in ("loose", "tight"):
        bound = log_growth_function_bound(
            STUMP, n_features=features, n_examples=2000, n_classes=3, form=form
        )
        assert 1000 < bound < inf


@pytest.mark.parametrize("features", TABLES, ids=repr)
def test_no_table_above_the_upper_bound_of_the_vc_dimension_is_shattered(
    features: Features,
) -> None:
    """No random table with more examples than the upper bound is shattered."""
    rng = np.random.default_rng(2)
    for shape in SMALL:
        lower = vc_dimension_lower_bound(shape, features)
        upper = vc_dimension_upper_bound(shape, features)
        assert 1 <= lower <= upper <= features.max_distinct(100)
        for m in range(upper + 1, 7):
            X = random_table(features, m, rng)
            assert len(realizable_partitions(shape, X, 2, features)) < 2 ** (m - 1) - 1


def test_two_values_are_enough_for_the_lower_bound() -> None:
    """Yıldız: with 2^(m-1) - 1 features of two values stumps shatter m examples, here 4."""
    features = Features(ordinal=(2,) * 3, nominal=(2,) * 4)
    assert vc_dimension_lower_bound(STUMP, features) == 4
    X = np.array([[b >> i & 1 for b in range(1, 8)] for i in range(4)], dtype=float)
    assert len(realizable_partitions(STUMP, X, 2, features)) == 7
    assert vc_dimension_lower_bound(LEAF, features) == 1


def test_bounds_count_distinct_examples() -> None:
    features = Features(ordinal=(2,), nominal=(3,))
    assert features.max_distinct(100) == 6
    shape = TreeShape(STUMP, STUMP)
    bounds = [
        partitioning_function_bound(shape, n_features=features, n_examples=m, n_parts=2)
        for m in (6, 7, 1000)
    ]
    assert bounds == [bounds[0]] * 3
    assert bounds[0] <= 2**5 - 1


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"numeric": -1}, "numeric must be at least 0, found -1"),
        ({"ordinal": (3, 0)}, "each number in ordinal must be at least 1, found 0"),
        ({"nominal": "33"}, "nominal must be a tuple of numbers of categories"),
        ({}, "Features must describe at least one feature, found none"),
        ({"nominal": (3,), "nominal_rules": "multiway"}, "a node with a child for each category"),
        ({"nominal": (3,), "nominal_rules": "all"}, "must be 'one-against-rest' or 'subset'"),
    ],
)
def test_wrong_features_are_refused(parameters: dict[str, object], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        Features(**parameters)


def test_wrong_uses_of_features_are_refused() -> None:
    codes = Features(nominal=(3,))
    with pytest.raises(ValueError, match="form='paper' is for numeric features only"):
        PartitioningBounds(codes, "paper")
    with pytest.raises(ValueError, match="X has 2 columns, but features describes 1"):
        realizable_partitions(STUMP, [[1.0, 2.0]], 2, codes)
