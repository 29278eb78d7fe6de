"""Exact coordinates of examples that lie almost in a flat (an affine subspace)."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from exactree.rules.coordinates import Coordinates

NUMBERS = st.sampled_from([0.0, 0.1, 0.2, 0.3, 1.0, 1e6 + 0.1, -1e-300, 5e200, 1 + 2.0**-52])


@given(
    st.integers(1, 4).flatmap(
        lambda d: st.lists(st.lists(NUMBERS, min_size=d, max_size=d), min_size=1, max_size=6)
    )
)
def test_coordinates_are_sums_of_the_columns(rows) -> None:
    """A coordinate is the exact weighted sum minus that of the first example, rounded once."""
    P = np.array(rows)
    coordinates = Coordinates.of(P)
    assert coordinates.values.shape == (len(P), len(coordinates.columns))
    for values, weights in zip(coordinates.values.T, coordinates.columns, strict=True):
        scaled = [
            Fraction(w) * Fraction(float(s))
            for w, s in zip(weights, coordinates.scale, strict=True)
        ]
        sums = [sum(w * Fraction(v) for w, v in zip(scaled, row, strict=True)) for row in rows]
        assert values.tolist() == [float(value - sums[0]) for value in sums]


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=2, max_size=7, unique_by=tuple))
def test_for_each_coordinate_some_example_is_its_unit_vector(rows) -> None:
    """Some example has 1 in it and 0 in all others; the first example has 0 in all coordinates."""
    coordinates = Coordinates.of(np.array(rows)).values
    units = {tuple(row) for row in np.eye(coordinates.shape[1]).tolist()}
    assert units <= {tuple(row) for row in coordinates.tolist()}
    assert not coordinates[0].any()


def test_examples_that_differ_in_the_last_digit_get_distant_coordinates() -> None:
    almost_on_a_line = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    coordinates = Coordinates.of(almost_on_a_line)
    assert sorted(map(tuple, coordinates.values.tolist())) == [(0, 0), (0, 1), (1, 0)]
    on_a_line = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]])
    assert Coordinates.of(on_a_line).values.tolist() == [[0], [0.5], [1]]


def test_columns_that_are_not_finite_have_no_weight() -> None:
    P = np.array([[np.inf, 1.0], [2.0, 3.0], [4.0, 5.0]])
    weights = Coordinates.of(P).weights(np.array([True, False, False]))
    assert weights[0] == 0
    assert weights[1] > 0
    without_columns = Coordinates.of(P[:, :1])
    assert without_columns.values.shape == (3, 0)
    assert without_columns.weights(np.array([True, False, False])).tolist() == [0.0]
