"""Sides of hyperplanes and thresholds are exact."""

from fractions import Fraction
from itertools import permutations
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.proper.rules_at_hand import polygon

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
        turned = sum(order[i] > order[j] for i in range(n) for j in range(i + 1, n))
        total += (-1) ** turned * prod(matrix[i][order[i]] for i in range(n))
    assert determinant([[Fraction(x) for x in row] for row in matrix]) == total


@given(st.tuples(small, small, small), st.tuples(small, small, small))
def test_a_plane_contains_what_defines_it_and_has_two_sides(a, b) -> None:
    plane = (a, b, (7, -9, 11))
    try:
        rule = Hyperplane(plane)
    except ValueError:  # on one line
        return
    assert [rule.side(place) for place in rule.objects] == [1, 1, 1]
    above = tuple(x + n for x, n in zip(a, rule.normal, strict=True))
    below = tuple(x - n for x, n in zip(a, rule.normal, strict=True))
    assert (rule.side(above), rule.side(below)) == (1, -1)


def test_left_is_left_of_the_way() -> None:
    line = Hyperplane(((0, 0), (2, 1)))
    assert [line.side(place) for place in ((0, 1), (0, -1), (4, 2))] == [1, -1, 1]
    inside = (Fraction(3, 2), Fraction(5, 2))
    assert all(side.side(inside) == 1 for side in polygon(4))


def test_one_feature() -> None:
    assert [Hyperplane(((3,),)).side((x,)) for x in (2, 3, 4)] == [-1, 1, 1]
    assert [ThresholdAt(0, (3,)).side((x,)) for x in (2, 3, 4)] == [1, 1, -1]


def test_floats_are_read_as_the_fractions_that_they_are() -> None:
    """In floating point, 0.1 + 0.2 > 0.3; these three lie on no line."""
    line = Hyperplane(((0.0, 0.0), (0.1, 0.1)))
    assert line.side((0.30000000000000004, 0.3)) == -1
    assert line.side((0.3, 0.30000000000000004)) == 1


@pytest.mark.parametrize(
    "objects", [((0, 0), (0, 0)), ((0, 0),), ((0, 0, 0), (1, 1, 1), (2, 2, 2))]
)
def test_what_defines_no_hyperplane_is_refused(objects) -> None:
    with pytest.raises(ValueError, match="hyperplane"):
        Hyperplane(objects)
