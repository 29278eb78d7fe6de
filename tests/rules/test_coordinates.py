"""Exact coordinates of examples that lie almost in a flat."""

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
    """Each, rounded once, is the exact weighted sum, less that of the first example."""
    P = np.array(rows)
    found = Coordinates.of(P)
    assert found.values.shape == (len(P), len(found.columns))
    for values, weights in zip(found.values.T, found.columns, strict=True):
        scaled = [
            Fraction(w) * Fraction(float(s)) for w, s in zip(weights, found.scale, strict=True)
        ]
        sums = [sum(w * Fraction(v) for w, v in zip(scaled, row, strict=True)) for row in rows]
        assert values.tolist() == [float(value - sums[0]) for value in sums]


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=2, max_size=7, unique_by=tuple))
def test_different_examples_have_different_coordinates(rows) -> None:
    """As many coordinates as the flat has dimensions: one example each has a 1 and else 0."""
    found = Coordinates.of(np.array(rows)).values
    units = {tuple(row) for row in np.eye(found.shape[1]).tolist()}
    assert units <= {tuple(row) for row in found.tolist()}
    assert not found[0].any()


def test_what_differs_in_the_last_digit_lies_far_apart() -> None:
    line = np.array([[0.1, 0.3], [0.2, 0.2], [0.3, 0.1]])
    found = Coordinates.of(line)
    assert sorted(map(tuple, found.values.tolist())) == [(0, 0), (0, 1), (1, 0)]
    flat = np.array([[0.25, 0.75], [0.5, 0.5], [0.75, 0.25]])
    assert Coordinates.of(flat).values.tolist() == [[0], [0.5], [1]]


def test_columns_that_are_not_finite_have_no_weight() -> None:
    P = np.array([[np.inf, 1.0], [2.0, 3.0], [4.0, 5.0]])
    weights = Coordinates.of(P).weights(np.array([True, False, False]))
    assert weights[0] == 0
    assert weights[1] > 0
    nothing = Coordinates.of(P[:, :1])
    assert nothing.values.shape == (3, 0)
    assert nothing.weights(np.array([True, False, False])).tolist() == [0.0]
