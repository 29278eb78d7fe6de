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
from exactree.rules.sides import ScaledExamples, _exact_sides, determinant, integers, sides


def left_sides(rows) -> set[frozenset[int]]:
    """Return the left sides of all divisions, each once."""
    found = dichotomies(ScaledExamples.of(rows)).mirrored()
    listed = [frozenset(np.flatnonzero(left).tolist()) for left in found.left]
    assert len(set(listed)) == len(listed)
    return set(listed)


@pytest.mark.parametrize("d", [1, 2, 3])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 13])
def test_covers_number(d: int, n: int) -> None:
    """Cover 1965: n examples in general position are divided in 2 (C(n-1, 0) + ... + C(n-1, d))."""
    rows = np.random.default_rng(n).integers(0, 10**6, size=(n, d)).tolist()
    assert len(left_sides(rows)) == 2 * sum(comb(n - 1, i) for i in range(d + 1))


@pytest.mark.parametrize(("d", "functions"), [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_threshold_functions(d: int, functions: int) -> None:
    """The corners of a cube are as far from general position as can be: A000609 of the OEIS."""
    assert len(left_sides(list(product((0, 1), repeat=d)))) == functions


def separable(left, right) -> bool:
    """Tell by a linear programme whether a hyperplane has the one on the left of the other."""
    if not left or not right:
        return True
    d = len(left[0])
    rows = [[*x, -1] for x in left] + [[*(-v for v in x), 1] for x in right]
    answer = linprog([0] * (d + 1), rows, [-1] * len(rows), bounds=[(None, None)] * (d + 1))
    return answer.status == 0


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(1, 3))
def test_divisions_are_what_is_separable(data, d) -> None:
    """Any position: on lines, in planes, on grids."""
    places = st.tuples(*[st.integers(0, 2)] * d)
    rows = data.draw(st.lists(places, min_size=1, max_size=6, unique=True))
    found = left_sides(rows)
    for goes_left in product((True, False), repeat=len(rows)):
        left = [x for x, side in zip(rows, goes_left, strict=True) if side]
        right = [x for x, side in zip(rows, goes_left, strict=True) if not side]
        assert (frozenset(np.flatnonzero(goes_left).tolist()) in found) == separable(left, right)


@pytest.mark.parametrize("d", [1, 2, 3])
def test_the_rules_do_what_they_say(d: int) -> None:
    """On grids, and in general position: their weighted sums are smaller on the left."""
    grid = list(product(range(4 if d < 3 else 3), repeat=d))
    drawn = np.random.default_rng(d).integers(-(10**6), 10**6, size=(14, d)).tolist()
    for rows in (grid, drawn):
        examples = ScaledExamples.of(rows)
        assert (margin(examples.rounded, dichotomies(examples)) > 0).all()


def test_nearly_on_a_line() -> None:
    """The middle one is off the line of the others by less than a rounding error of 0.3."""
    X = np.array([[0.0, 0.0], [0.1, 0.1], [0.3, 0.1 + 0.2]])
    assert len(left_sides(integers(X)[0])) == 8
    X[2, 1] = 0.3
    assert len(left_sides(integers(X)[0])) == 6


@settings(deadline=None)
@given(st.integers(1, 4), st.integers(0, 2**32 - 1), st.sampled_from([3, 10**3, 10**9, 10**40]))
def test_sides_are_exact(r, seed, most) -> None:
    """Against determinants of fractions; large numbers need the integers."""
    rng = np.random.default_rng(seed)
    n = r + 4
    rows = [[int(v) * most // 7 for v in row] for row in rng.integers(-9, 10, size=(n, r))]
    # Examples that are almost, or exactly, on a line with two others.
    rows[-1] = [a + b - c for a, b, c in zip(rows[0], rows[1 % r], rows[0], strict=True)]
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
    rows, product_ = [list(row) for row in matrix], Fraction(1)
    for i in range(len(rows)):
        pivot = next((k for k in range(i, len(rows)) if rows[k][i]), None)
        if pivot is None:
            return 0
        if pivot != i:
            rows[i], rows[pivot], product_ = rows[pivot], rows[i], -product_
        product_ *= rows[i][i]
        for k in range(i + 1, len(rows)):
            factor = rows[k][i] / rows[i][i]
            rows[k] = [a - factor * b for a, b in zip(rows[k], rows[i], strict=True)]
    return (product_ > 0) - (product_ < 0)


small = st.integers(-4, 4)


@given(
    st.integers(0, 4).flatmap(
        lambda n: st.lists(st.lists(small, min_size=n, max_size=n), min_size=n, max_size=n)
    )
)
def test_determinants_of_integers(matrix) -> None:
    value = determinant(matrix)
    assert (value > 0) - (value < 0) == sign_of([[Fraction(v) for v in row] for row in matrix])


@given(st.lists(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=2), min_size=1, max_size=5))
def test_integers_are_the_table(rows) -> None:
    exact, powers = integers(np.array(rows))
    for row, whole in zip(rows, exact, strict=True):
        for value, number, power in zip(row, whole, powers, strict=True):
            assert Fraction(value) == Fraction(number) / Fraction(2) ** power


def test_many_features_are_computed_in_integers() -> None:
    """The same hyperplanes, but for their direction, as by Laplace's expansion."""
    for seed in range(200):
        rng = np.random.default_rng(seed)
        r = int(rng.integers(1, 6))
        examples = ScaledExamples.of(rng.integers(-3, 4, size=(7, r)).tolist())
        chosen = np.array(list(combinations(range(7), r)))
        plain, exact = sides(examples, chosen), _exact_sides(examples, chosen)
        assert (plain.chosen == exact.chosen).all()
        turn = np.sign((plain.normal * exact.normal).sum(axis=1))[:, None]
        assert (plain.side * turn == exact.side).all()
        assert np.allclose(plain.normal * turn, exact.normal)


def test_features_that_span_are_found_whatever_their_order() -> None:
    for seed in range(200):
        rng = np.random.default_rng(seed)
        X = rng.integers(-2, 3, size=(6, 3)) @ rng.integers(-2, 3, size=(3, 6))
        features = ScaledExamples.of(X.tolist()).spanning_features()
        edges = X[1:] - X[0]
        assert len(features) == np.linalg.matrix_rank(edges)
        assert len(features) == np.linalg.matrix_rank(edges[:, features])
