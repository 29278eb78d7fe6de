"""Sides of hyperplanes and thresholds are exact."""

from fractions import Fraction
from itertools import permutations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.proper.shared_rules import polygon

from exactree.proper import Hyperplane, ThresholdAt
from exactree.proper.geometry import determinant

small = st.integers(-3, 3)


@given(
    st.integers(0, 4).flatmap(
        lambda n: st.lists(st.lists(small, min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_determinant_is_the_signed_sum_of_products(matrix: list[list[int]]) -> None:
    n = len(matrix)
    total = 0
    for order in permutations(range(n)):
        inversions = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n))
        total += (-1) ** inversions * prod(matrix[i][order[i]] for i in range(n))
    assert determinant([[Fraction(x) for x in row] for row in matrix]) == total


@given(st.tuples(small, small, small), st.tuples(small, small, small))
def test_a_plane_contains_its_defining_points_and_has_two_sides(a, b) -> None:
    plane = (a, b, (7, -9, 11))
    try:
        rule = Hyperplane(plane)
    except ValueError:  # the three points are on one line
        return
    assert [rule.side(point) for point in rule.objects] == [1, 1, 1]
    above = tuple(x + n for x, n in zip(a, rule.normal, strict=True))
    below = tuple(x - n for x, n in zip(a, rule.normal, strict=True))
    assert (rule.side(above), rule.side(below)) == (1, -1)


def test_the_left_side_is_left_of_the_direction_between_the_points() -> None:
    line = Hyperplane(((0, 0), (2, 1)))
    assert [line.side(point) for point in ((0, 1), (0, -1), (4, 2))] == [1, -1, 1]
    inside = (Fraction(3, 2), Fraction(5, 2))
    assert all(side.side(inside) == 1 for side in polygon(4))


def test_sides_of_rules_on_one_feature() -> None:
    assert [Hyperplane(((3,),)).side((x,)) for x in (2, 3, 4)] == [-1, 1, 1]
    assert [ThresholdAt(0, (3,)).side((x,)) for x in (2, 3, 4)] == [1, 1, -1]


def test_floats_are_exact_fractions() -> None:
    """In floating point 0.1 + 0.2 is 0.30000000000000004: the points are close to the line."""
    line = Hyperplane(((0.0, 0.0), (0.1, 0.1)))
    assert line.side((0.30000000000000004, 0.3)) == -1
    assert line.side((0.3, 0.30000000000000004)) == 1


@pytest.mark.parametrize(
    "objects", [((0, 0), (0, 0)), ((0, 0),), ((0, 0, 0), (1, 1, 1), (2, 2, 2))]
)
def test_points_that_define_no_hyperplane_are_refused(objects) -> None:
    with pytest.raises(ValueError, match="hyperplane"):
        Hyperplane(objects)
