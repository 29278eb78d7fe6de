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
def test_the_points_of_a_plane_and_those_towards_its_normal_are_on_the_left_side(a, b) -> None:
    plane = (a, b, (7, -9, 11))
    try:
        rule = Hyperplane(plane)
    except ValueError:  # the three points are on one line
        return
    assert [rule.side(point) for point in rule.objects] == [1, 1, 1]
    towards = tuple(x + n for x, n in zip(a, rule.normal, strict=True))
    away = tuple(x - n for x, n in zip(a, rule.normal, strict=True))
    assert (rule.side(towards), rule.side(away)) == (1, -1)


def test_the_left_side_is_left_of_the_direction_between_the_points() -> None:
    line = Hyperplane(((0, 0), (2, 1)))
    assert [line.side(point) for point in ((0, 1), (0, -1), (4, 2))] == [1, -1, 1]
    # The corners of the polygon are (0, 0), (1, 1), (2, 4) and (3, 9).
    inside = (Fraction(3, 2), Fraction(7, 2))
    assert all(line.side(inside) == 1 for line in polygon(4))


def test_a_hyperplane_of_one_feature_sends_greater_values_left_and_a_threshold_smaller_values() -> (
    None
):
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
