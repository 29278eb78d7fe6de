"""Enumeration of all splits by hyperplanes: theoretical counts, an oracle, exactness."""

from fractions import Fraction
from itertools import combinations, product
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from exactree.rules.dichotomies import dichotomies, margin
from exactree.rules.readings import integers, readings
from exactree.rules.sides import ScaledExamples, _exact_sides, determinant, sides


def subsets_on_the_left(rows) -> set[frozenset[int]]:
    """Return the examples that go left, for all dichotomies and their opposites."""
    both = dichotomies(ScaledExamples.of(rows)).mirrored()
    listed = [frozenset(np.flatnonzero(left).tolist()) for left in both.left]
    assert len(set(listed)) == len(listed)
    return set(listed)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_examples_in_general_position_have_covers_number_of_dichotomies(d: int, n: int) -> None:
    """Cover 1965: 2 (C(n-1, 0) + ... + C(n-1, d)) for n examples with d features."""
    rows = np.random.default_rng(n).integers(0, 10**6, size=(n, d)).tolist()
    assert len(subsets_on_the_left(rows)) == 2 * sum(comb(n - 1, i) for i in range(d + 1))


@pytest.mark.parametrize(("d", "functions"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_corners_of_a_cube_have_as_many_dichotomies_as_threshold_functions(
    d: int, functions: int
) -> None:
    """A000609 of the OEIS: many corners of a cube lie in one hyperplane."""
    assert len(subsets_on_the_left(list(product((0, 1), repeat=d)))) == functions


def separable(left, right) -> bool:
    """Return, by a linear program, whether a hyperplane separates two sets of examples."""
    if not left or not right:
        return True
    d = len(left[0])
    rows = [[*x, -1] for x in left] + [[*(-v for v in x), 1] for x in right]
    answer = linprog([0] * (d + 1), rows, [-1] * len(rows), bounds=[(None, None)] * (d + 1))
    return answer.status == 0


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 3))
def test_a_dichotomy_is_listed_iff_a_linear_program_separates_it(data, d) -> None:
    """For examples on a grid, so that many of them are on one line or plane."""
    examples = st.tuples(*[st.integers(0, 2)] * d)
    rows = data.draw(st.lists(examples, min_size=1, max_size=6, unique=True))
    listed = subsets_on_the_left(rows)
    for goes_left in product((True, False), repeat=len(rows)):
        left = [x for x, is_left in zip(rows, goes_left, strict=True) if is_left]
        right = [x for x, is_left in zip(rows, goes_left, strict=True) if not is_left]
        assert (frozenset(np.flatnonzero(goes_left).tolist()) in listed) == separable(left, right)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_rounded_weights_of_a_dichotomy_separate_its_examples(d: int) -> None:
    """On grids and in general position, all weighted sums are smaller on the left."""
    grid = list(product(range(4 if d < 3 else 3), repeat=d))
    drawn = np.random.default_rng(d).integers(-(10**6), 10**6, size=(14, d)).tolist()
    for rows in (grid, drawn):
        examples = ScaledExamples.of(rows)
        assert (margin(examples.rounded, dichotomies(examples)) > 0).all()


def test_a_rounding_error_off_a_line_adds_dichotomies() -> None:
    """0.1 + 0.2 is greater than 0.3 by one rounding error; only 0.3 is on the line of the others.

    Three examples have all 8 dichotomies, unless they are on a line: then 6.
    """
    X = np.array([[0.0, 0.0], [0.1, 0.1], [0.3, 0.1 + 0.2]])
    assert len(subsets_on_the_left(integers(readings(X))[0])) == 8
    X[2, 1] = 0.3
    assert len(subsets_on_the_left(integers(readings(X))[0])) == 6


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([3, 10**3, 10**9, 10**40]))
def test_sides_are_those_of_exact_determinants(r, seed, magnitude) -> None:
    """Determinants of fractions are the reference; large numbers are not exact in floats."""
    rng = np.random.default_rng(seed)
    n = r + 4
    rows = [[int(v) * magnitude // 7 for v in row] for row in rng.integers(-9, 10, size=(n, r))]
    # An example on the line through the first two, and one next to the first.
    rows[-1] = [2 * b - a for a, b in zip(rows[0], rows[1], strict=True)]
    rows[-2] = [rows[0][0] + 1, *rows[0][1:]]
    chosen = np.array([rng.permutation(n)[:r] for _ in range(12)])
    whole = [[Fraction(v) for v in row] for row in rows]
    expected = []
    for subset in chosen.tolist():
        signs = [sign_of([[*whole[i], Fraction(1)] for i in [*subset, j]]) for j in range(n)]
        edges = [[a - b for a, b in zip(rows[i], rows[subset[0]], strict=True)] for i in subset]
        if (ScaledExamples.of(edges).spanning_features() and rank(edges) == r - 1) or r == 1:
            expected.append(signs)
    found = sides(ScaledExamples.of(rows), chosen).side.tolist()
    assert len(found) == len(expected)
    for side, signs in zip(found, expected, strict=True):
        assert side in (signs, [-s for s in signs])


def rank(edges) -> int:
    return len(ScaledExamples.of([[0] * len(edges[0]), *edges]).spanning_features())


def sign_of(matrix) -> int:
    """Return the sign of a determinant, by elimination with fractions."""
    rows, value = [list(row) for row in matrix], Fraction(1)
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return 0
        if pivot != i:
            rows[i], rows[pivot], value = rows[pivot], rows[i], -value
        value *= rows[i][i]
        for k in range(i + 1, len(rows)):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return (value > 0) - (value < 0)


small = st.integers(-4, 4)


@given(
    st.integers(0, 4).flatmap(
        lambda n: st.lists(st.lists(small, min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_determinants_of_integers_have_the_sign_of_elimination_with_fractions(matrix) -> None:
    value = determinant(matrix)
    assert (value > 0) - (value < 0) == sign_of([[Fraction(v) for v in row] for row in matrix])


@given(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2), min_size=1, max_size=5))
def test_integers_are_the_readings_of_a_table_times_factors(rows) -> None:
    numbers = readings(np.array(rows))
    exact, factors = integers(numbers)
    for row, whole in zip(numbers, exact, strict=True):
        for value, number, factor in zip(row, whole, factors, strict=True):
            assert value * factor == number


def test_sides_in_integers_are_those_by_laplaces_expansion() -> None:
    """The hyperplanes are equal; their directions may be opposite."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        r = int(rng.integers(1, 6))
        examples = ScaledExamples.of(rng.integers(-3, 4, size=(7, r)).tolist())
        chosen = np.array(list(combinations(range(7), r)))
        expanded, exact = sides(examples, chosen), _exact_sides(examples, chosen)
        assert (expanded.chosen == exact.chosen).all()
        direction = np.sign((expanded.normal * exact.normal).sum(axis=1))[:, None]
        assert (expanded.side * direction == exact.side).all()
        assert np.allclose(expanded.normal * direction, exact.normal)


def test_the_spanning_features_have_the_rank_of_the_table() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(6, 3)) @ rng.integers(-2, 3, size=(3, 6))
        features = ScaledExamples.of(X.tolist()).spanning_features()
        edges = X[1:] - X[0]
        assert len(features) == np.linalg.matrix_rank(edges)
        assert len(features) == np.linalg.matrix_rank(edges[:, features])
