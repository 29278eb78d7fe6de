"""Bounds on partitioning and growth functions: published values, laws, and enumeration."""

import runpy
from itertools import product
from math import comb, exp, inf, isfinite, log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.theory import (
    LogPartitioningBounds,
    PartitioningBounds,
    TreeShape,
    enumerate_shapes,
    enumerate_shapes_within,
    growth_function_bound,
    log_growth_function_bound,
    log_partitioning_function_bound,
    partitioning_function_bound,
    stump_partitioning_function_bound,
    trivial_stump_bound,
)
from exactree.theory.divisions import divisions
from exactree.theory.features import Features
from exactree.theory.log_partitions import log_stirling
from exactree.theory.partitions import stirling, unions

PUBLISHED = runpy.run_path(str(Path(__file__).with_name("published.py")))
LEAF = TreeShape()
STUMP = TreeShape(LEAF, LEAF)
SHAPES = {shape.code: shape for shape in enumerate_shapes_within(3)}
SMALL = [shape for leaves in range(1, 8) for shape in enumerate_shapes(leaves)]

shapes = st.sampled_from(SMALL)
features = st.integers(1, 30)
examples = st.integers(1, 25)
parts = st.integers(1, 5)


def set_partitions(items: list[int]) -> list[list[list[int]]]:
    """Return all partitions of a list, by plain recursion."""
    if not items:
        return [[]]
    found = []
    for rest in set_partitions(items[1:]):
        found.append([[items[0]], *rest])
        for i, part in enumerate(rest):
            found.append([*rest[:i], [items[0], *part], *rest[i + 1 :]])
    return found


def caterpillar(leaves: int) -> TreeShape:
    shape = LEAF
    for _ in range(leaves - 1):
        shape = TreeShape(shape, LEAF)
    return shape


def algorithm_1(shape: TreeShape, c: int, m: int, n_features: int) -> int:
    """Return the result of Algorithm 1 as printed, with Stirling numbers and without tables."""
    if c > m or c > shape.leaves:
        return 0
    if c == m or c == 1 or m == 1:
        return 1
    if m <= shape.leaves:
        return stirling(m, c)
    assert shape.left is not None
    assert shape.right is not None
    total = 0
    for k in range(shape.left.leaves, m - shape.right.leaves + 1):
        for a in range(1, c + 1):
            for b in range(max(1, c - a), c + 1):
                left = algorithm_1(shape.left, a, k, n_features)
                right = algorithm_1(shape.right, b, m - k, n_features)
                total += min(2 * n_features, comb(m, k)) * unions(a, b, c) * left * right
    if shape.left == shape.right:
        assert total % 2 == 0
        total //= 2
    return min(total, stirling(m, c))


def test_the_bounds_have_the_published_values() -> None:
    """The numbers computed by the authors' program."""
    assert len(PUBLISHED["PARTITIONS"]) == 160
    for shape_index, n_features, m, c, value in PUBLISHED["PARTITIONS"]:
        shape = SHAPES[PUBLISHED["SHAPES"][shape_index]]
        bound = partitioning_function_bound(shape, n_features=n_features, n_examples=m, n_parts=c)
        assert bound == value, (shape, n_features, m, c)


def test_stirling_numbers_count_partitions() -> None:
    for m in range(1, 8):
        partitions = set_partitions(list(range(m)))
        for c in range(1, m + 2):
            assert stirling(m, c) == sum(len(p) == c for p in partitions)
            if m > 1:
                assert stirling(m, c) == c * stirling(m - 1, c) + stirling(m - 1, c - 1)


def test_unions_count_the_elements_of_the_set_q() -> None:
    """|Q^c| of an a-partition and a b-partition by Definition 12: match parts, count the rest."""
    for a, b in product(range(1, 5), repeat=2):
        counts: dict[int, int] = {}
        for partners in product(range(b + 1), repeat=a):  # partner b: the part is not matched
            matched = [partner for partner in partners if partner < b]
            if len(set(matched)) == len(matched):
                c = a + b - len(matched)
                counts[c] = counts.get(c, 0) + 1
        for c in range(1, 10):
            assert unions(a, b, c) == counts.get(c, 0)


def test_the_number_of_divisions_is_the_minimum_of_two_bounds() -> None:
    for n_features, m in product([1, 2, 7, 100], range(1, 12)):
        found = divisions(Features(numeric=n_features), m)
        assert found.by_size == [min(2 * n_features, comb(m, k)) for k in range(1, m)]
        assert found.groups == []


@given(shapes, features, st.integers(1, 10), parts)
def test_bounds_with_cached_tables_are_those_of_algorithm_1(
    shape: TreeShape, n_features: int, m: int, c: int
) -> None:
    bound = partitioning_function_bound(shape, n_features=n_features, n_examples=m, n_parts=c)
    assert bound == algorithm_1(shape, c, m, n_features)


@pytest.mark.parametrize("form", ["tight", "loose", "paper"])
def test_shared_tables_change_no_bound(form: str) -> None:
    """The order of requests does not matter."""
    rng = np.random.default_rng(1)
    exact, logs = PartitioningBounds(3, form), LogPartitioningBounds(3, form)  # type: ignore[arg-type]
    for _ in range(300):
        shape = SMALL[rng.integers(len(SMALL))]
        m, c = int(rng.integers(1, 20)), int(rng.integers(1, 5))
        bound = partitioning_function_bound(
            shape,
            n_features=3,
            n_examples=m,
            n_parts=c,
            form=form,  # type: ignore[arg-type]
        )
        assert exact.bound(shape, m, c) == bound
        assert exp(logs.bound(shape, m, c)) == pytest.approx(bound, rel=1e-12)


@given(features, examples)
def test_theorem_7_agrees_with_theorem_9_for_stumps(n_features: int, m: int) -> None:
    bound = partitioning_function_bound(STUMP, n_features=n_features, n_examples=m, n_parts=2)
    assert bound == stump_partitioning_function_bound(n_features, m)
    assert bound <= trivial_stump_bound(n_features, m)
    if 2 * n_features <= m:
        assert bound == trivial_stump_bound(n_features, m)
    if 2 * n_features >= comb(m, m // 2):
        gap = n_features * (m - 1) + 1 - 2 ** (m - 1)
        assert bound == 2 ** (m - 1) - 1
        assert trivial_stump_bound(n_features, m) - bound == gap
        assert 2 * gap >= sum(comb(m, m // 2) - comb(m, k) for k in range(1, m))


@given(shapes, features, examples, parts)
def test_the_loose_form_is_an_upper_bound_of_the_other_forms(
    shape: TreeShape, n_features: int, m: int, c: int
) -> None:
    numbers = {"n_features": n_features, "n_examples": m, "n_parts": c}
    tight = partitioning_function_bound(shape, **numbers)
    loose = partitioning_function_bound(shape, form="loose", **numbers)
    assert tight <= loose <= stirling(m, c)
    assert partitioning_function_bound(shape, form="paper", **numbers) <= loose


def test_the_form_of_the_paper_is_no_bound() -> None:
    """A stump splits three examples by one feature in two ways, but the paper's form gives one."""
    numbers = {"n_features": 1, "n_examples": 3, "n_parts": 2}
    assert partitioning_function_bound(STUMP, form="paper", **numbers) == 1
    assert partitioning_function_bound(STUMP, **numbers) == 2
    assert partitioning_function_bound(STUMP, form="loose", **numbers) == 2


@given(shapes, features, examples, parts, st.sampled_from(["tight", "loose", "paper"]))
def test_logarithms_agree_with_the_exact_bounds(
    shape: TreeShape, n_features: int, m: int, c: int, form: str
) -> None:
    numbers = {"n_features": n_features, "n_examples": m, "n_parts": c, "form": form}
    exact = partitioning_function_bound(shape, **numbers)  # type: ignore[arg-type]
    found = log_partitioning_function_bound(shape, **numbers)  # type: ignore[arg-type]
    assert found == (pytest.approx(log(exact), rel=1e-12, abs=1e-12) if exact else -inf)


@given(shapes, features, examples, parts)
def test_bounds_increase_with_examples_features_and_nodes(
    shape: TreeShape, n_features: int, m: int, c: int
) -> None:
    tables = PartitioningBounds(n_features)
    bound = tables.bound(shape, m, c)
    assert bound <= tables.bound(shape, m + 1, c)
    assert bound <= PartitioningBounds(n_features + 1).bound(shape, m, c)
    for larger in (TreeShape(shape, LEAF), TreeShape(shape, STUMP)):
        assert bound <= tables.bound(larger, m, c)


def test_logarithms_of_stirling_numbers_agree_with_integers() -> None:
    for m in [*range(1, 60), 300, 3000]:
        for c in range(1, min(m, 30) + 1):
            assert log_stirling(m, c) == pytest.approx(log(stirling(m, c)), rel=1e-12, abs=1e-12)
    assert log_stirling(3, 4) == -inf


def test_the_growth_function_of_leaves_and_of_few_examples_is_exact() -> None:
    """A leaf gives all examples one label; a shape with a leaf per example allows all labelings."""
    assert growth_function_bound(LEAF, n_features=4, n_examples=9, n_classes=7) == 7
    for shape in SMALL:
        for m, n in product(range(1, shape.leaves + 1), range(1, 5)):
            assert growth_function_bound(shape, n_features=2, n_examples=m, n_classes=n) == n**m


@given(shapes, features, examples, st.integers(1, 12))
def test_growth_function_bounds_agree(shape: TreeShape, n_features: int, m: int, n: int) -> None:
    numbers = {"n_features": n_features, "n_examples": m, "n_classes": n}
    tight, loose = (growth_function_bound(shape, form=f, **numbers) for f in ("tight", "loose"))
    assert n <= tight <= loose <= n**m
    if n == 2:
        assert tight == 2 + 2 * partitioning_function_bound(
            shape, n_features=n_features, n_examples=m, n_parts=2
        )
    assert log_growth_function_bound(shape, **numbers) == pytest.approx(log(loose), abs=1e-9)


def test_bounds_are_finite_for_large_tables_and_trees() -> None:
    numbers = {"n_features": 50, "n_examples": 12_000, "n_classes": 10}
    found = log_growth_function_bound(caterpillar(40), **numbers)
    exact = growth_function_bound(caterpillar(40), form="loose", **numbers)
    assert isfinite(found)
    assert found == pytest.approx(log(exact), rel=1e-12)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"n_features": 0}, "n_features must be at least 1, found 0"),
        ({"n_features": -2}, "n_features must be at least 1, found -2"),
        ({"n_examples": 0}, "n_examples must be at least 1, found 0"),
        ({"n_examples": 2.0}, "n_examples must be a whole number, found 2.0"),
        ({"n_parts": True}, "n_parts must be a whole number, found True"),
        ({"n_parts": 0}, "n_parts must be at least 1, found 0"),
        ({"form": "round"}, "form must be one of tight, loose, paper, found 'round'"),
        ({"shape": "."}, "shape must be a TreeShape, found '.'"),
    ],
)
def test_wrong_numbers_are_refused(change: dict[str, object], sentence: str) -> None:
    numbers = {"shape": STUMP, "n_features": 2, "n_examples": 5, "n_parts": 2} | change
    for bound in (partitioning_function_bound, log_partitioning_function_bound):
        with pytest.raises((ValueError, TypeError), match=sentence):
            bound(**numbers)  # type: ignore[operator]
