"""Tightness of the bounds: the samples of Appendix A, and small tables by enumeration."""

from itertools import product
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.theory import (
    Features,
    PartitioningBounds,
    TreeShape,
    enumerate_shapes,
    pairwise_unions,
    realizable_partitions,
    stump_partitioning_function_bound,
    tight_table,
    vc_dimension_lower_bound,
)
from exactree.theory.partitions import stirling, unions
from exactree.theory.realizable import Partition, sides_of_rules

LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)
SMALL = [shape for leaves in range(1, 5) for shape in enumerate_shapes(leaves)]


def random_orders(n_features: int, m: int, seed: int) -> np.ndarray:
    """Return a table whose features sort the examples in random orders, without ties."""
    rng = np.random.default_rng(seed)
    return np.column_stack([rng.permutation(m) for _ in range(n_features)]).astype(float)


def stump_partitions(X: np.ndarray) -> int:
    return len(realizable_partitions(STUMP, X, 2))


def partitions_of_subset(
    X: np.ndarray, shape: TreeShape, subset: frozenset[int], c: int
) -> set[Partition]:
    """Return the realizable partitions of a subset, as sets of row indices of the whole table."""
    rows = sorted(subset)
    partitions = realizable_partitions(shape, X[rows], c)
    return {
        frozenset(frozenset(rows[i] for i in part) for part in partition)
        for partition in partitions
    }


@pytest.mark.parametrize("m", range(1, 8))
def test_the_bound_is_tight_for_few_examples(m: int) -> None:
    """Appendix A.4: equality for all m <= 7 and any number of features."""
    for n_features in range(1, 25):
        bound = stump_partitioning_function_bound(n_features, m)
        assert stump_partitions(tight_table(n_features, m)) == bound


def test_the_bound_is_tight_for_few_features() -> None:
    """Appendix A.2: equality for 2l <= m, where the trivial bound is exact as well."""
    for m in range(8, 15):
        for n_features in range(1, m // 2 + 1):
            bound = stump_partitioning_function_bound(n_features, m)
            assert stump_partitions(tight_table(n_features, m)) == bound == n_features * (m - 1)


@pytest.mark.parametrize("m", [8, 9, 10])
def test_many_features_realize_all_partitions_into_two(m: int) -> None:
    """Appendix A.3: stumps realize all partitions into two for 2l >= C(m, floor(m/2)).

    The table is constructed by matchings. With one feature less, the bound is less than the number
    of all partitions.
    """
    pytest.importorskip("networkx")
    n_features = (comb(m, m // 2) + 1) // 2
    assert stump_partitions(tight_table(n_features, m)) == 2 ** (m - 1) - 1
    assert stump_partitions(tight_table(n_features + 1, m)) == 2 ** (m - 1) - 1
    assert stump_partitioning_function_bound(n_features - 1, m) < 2 ** (m - 1) - 1


@pytest.mark.parametrize("m", [3, 4, 5, 6, 7])
def test_the_construction_for_many_features_also_holds_for_few_examples(m: int) -> None:
    """The construction of A.3 also holds where the printed tables are used."""
    pytest.importorskip("networkx")
    from exactree.theory.tight_tables import _all_sides

    orders = _all_sides(m)
    assert len(orders) == (comb(m, m // 2) + 1) // 2
    assert all(sorted(order) == list(range(m)) for order in orders)
    prefixes = {frozenset(order[:k]) for order in orders for k in range(m + 1)}
    suffixes = {frozenset(order[k:]) for order in orders for k in range(m + 1)}
    assert len(prefixes | suffixes) == 2**m


def test_tables_between_few_and_many_features_are_refused() -> None:
    with pytest.raises(ValueError, match="known are at most 4 features, or at least 35"):
        tight_table(20, 8)


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_no_table_has_more_partitions_than_the_bound(shape: TreeShape) -> None:
    """Random orders of up to six examples; with ties there are not more partitions."""
    n_equal = 0
    for m, n_features in product(range(1, 7), [1, 2, 3]):
        tables = PartitioningBounds(n_features)
        for seed in range(3):
            X = random_orders(n_features, m, seed)
            for c in range(1, 5):
                count = len(realizable_partitions(shape, X, c))
                bound = tables.bound(shape, m, c)
                assert count <= bound, (X, c)
                assert len(realizable_partitions(shape, X // 2, c)) <= count
                n_equal += count == bound
    assert n_equal > 100


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_all_partitions_of_at_most_as_many_examples_as_leaves_are_realizable(
    shape: TreeShape,
) -> None:
    """The first case of Theorem 9."""
    for m, c in product(range(1, shape.leaves + 1), range(1, 5)):
        assert len(realizable_partitions(shape, random_orders(1, m, 0), c)) == stirling(m, c)


@pytest.mark.parametrize("shape", SMALL[1:], ids=lambda shape: shape.code)
def test_proposition_13_joins_the_partitions_of_the_subtrees(shape: TreeShape) -> None:
    """The partitions of a tree are the pairwise unions of those of its subtrees."""
    assert shape.children is not None
    left, right = shape.children
    for seed, n_features, c in product(range(3), [1, 2], [1, 2, 3]):
        m = shape.leaves + 1
        X = random_orders(n_features, m, seed)
        all_rows = frozenset(range(m))
        found: set[Partition] = set()
        # `sides_of_rules` contains both sides of each rule.
        for side in sides_of_rules(X, all_rows, Features(numeric=n_features)):
            for a, b in product(range(1, c + 1), repeat=2):
                for first in partitions_of_subset(X, left, side, a):
                    for second in partitions_of_subset(X, right, all_rows - side, b):
                        found |= set(pairwise_unions(first, second, c))
        assert found == realizable_partitions(shape, X, c)


def test_proposition_13_needs_a_rule_with_two_nonempty_sides() -> None:
    """Equal examples form one part, but no rule splits them, so there is no pairwise union."""
    X = np.zeros((3, 1))
    assert sides_of_rules(X, frozenset(range(3)), Features(numeric=1)) == set()
    assert realizable_partitions(STUMP, X, 1) == {frozenset({frozenset(range(3))})}


@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 8))
def test_the_set_q_has_the_size_of_the_formula(a: int, b: int, c: int) -> None:
    """The number is C(a, c-b) C(b, c-a) (a+b-c)!, and all pairwise unions satisfy Definition 12."""
    first = frozenset(frozenset({i}) for i in range(a))
    second = frozenset(frozenset({-1 - i}) for i in range(b))
    listed = list(pairwise_unions(first, second, c))
    assert len(listed) == len(set(listed)) == unions(a, b, c)
    possible_parts = {*first, *second, *(p | q for p, q in product(first, second))}
    for partition in listed:
        assert len(partition) == c
        assert partition <= possible_parts
        assert sum(map(len, partition)) == a + b


@pytest.mark.parametrize("shape", SMALL, ids=lambda shape: shape.code)
def test_the_lower_bound_of_the_vc_dimension_is_shattered(shape: TreeShape) -> None:
    """A table for the tree joins those for its subtrees, separated in every feature."""
    for n_features in (1, 2, 3):
        X = shattered(shape, n_features)
        assert len(X) == vc_dimension_lower_bound(shape, n_features)
        assert len(realizable_partitions(shape, X, 2)) == 2 ** (len(X) - 1) - 1


def shattered(shape: TreeShape, n_features: int) -> np.ndarray:
    """Return a table that trees of a shape shatter."""
    if shape.children is None:
        return np.zeros((1, n_features))
    if shape == STUMP:
        return tight_table(n_features, vc_dimension_lower_bound(STUMP, n_features))
    low, high = (shattered(child, n_features) for child in shape.children)
    return np.vstack([low, high + low.max() + 1])


@pytest.mark.parametrize(
    ("X", "c", "sentence"),
    [
        ([1.0, 2.0], 2, r"X must have rows and columns, found the shape \(2,\)"),
        (np.zeros((0, 2)), 2, r"X must have rows and columns, found the shape \(0, 2\)"),
        ([[1.0]], 0, "n_parts must be at least 1, found 0"),
    ],
)
def test_wrong_tables_are_refused(X: object, c: int, sentence: str) -> None:
    with pytest.raises(ValueError, match=sentence):
        realizable_partitions(STUMP, X, c)
