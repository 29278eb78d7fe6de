"""The direction of widest margin: known solutions, its own bound, and another solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from exactree.rules.hulls import widest_margin, widest_margin_weights

QUICK = settings.get_current_profile_name() == "quick"


def margin(weights, left, right) -> float:
    return ((right @ weights).min() - (left @ weights).max()) / np.linalg.norm(weights)


def solved_by_scipy(left, right) -> float:
    """Return the widest margin, by the shortest weights whose sums differ by 2 between the sets."""
    X = np.vstack([left, right])
    rows = np.repeat([-1.0, 1.0], [len(left), len(right)])[:, None] * np.c_[X, np.ones(len(X))]
    between_means = right.mean(axis=0) - left.mean(axis=0)
    found = minimize(
        lambda v: v[:-1] @ v[:-1],
        np.append(between_means, -between_means @ X.mean(axis=0)),
        jac=lambda v: np.append(2 * v[:-1], 0.0),
        constraints={"type": "ineq", "fun": lambda v: rows @ v - 1, "jac": lambda v: rows},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-13},
    )
    return margin(found.x[:-1], left, right)


@st.composite
def two_sides(draw):
    """Draw two sets that a hyperplane separates with a margin of at least 0.1."""
    n, d = draw(st.integers(2, 40)), draw(st.integers(1, 9))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X, normal = rng.normal(size=(n, d)), rng.normal(size=d)
    order = np.argsort(X @ normal)
    first = draw(st.integers(1, n - 1))
    right = X[order[first:]] + 0.1 * normal / np.linalg.norm(normal)
    return X[order[:first]], right


@settings(max_examples=25 if QUICK else 60, deadline=None)
@given(two_sides())
def test_the_margin_is_the_widest_up_to_a_millionth(sides) -> None:
    """Compared with its own bound and with the solution by scipy."""
    left, right = sides
    found = widest_margin(left, right)
    assert margin(found.weights, left, right) == pytest.approx(found.margin)
    assert found.margin >= 0.1 * (1 - 1e-6)
    assert found.margin >= (1 - 1e-6) * found.bound
    other = solved_by_scipy(left, right)
    assert other <= found.bound * (1 + 1e-9)
    assert found.margin >= other * (1 - 1e-6)


def test_known_widest_margins() -> None:
    """A corner next to an edge, and two edges in space whose nearest points are inside them."""
    corner = widest_margin(np.array([[0.0, 0.0], [-3, 1], [-3, -1]]), np.array([[2.0, 5], [2, -7]]))
    assert corner.margin == pytest.approx(2)
    assert corner.weights == pytest.approx([2, 0])
    edges = widest_margin(np.array([[-1.0, 0, 0], [1, 0, 0]]), np.array([[0.0, -1, 3], [0, 1, 3]]))
    assert edges.weights == pytest.approx([0, 0, 3])
    assert edges.bound == pytest.approx(3)


def test_sets_that_nothing_separates_have_no_margin() -> None:
    square = np.array([[0.0, 0], [2, 2], [0, 2], [2, 0]])
    assert widest_margin(square[:2], square[2:]).margin <= 0
    assert widest_margin(square, square[1:2] / 2).margin <= 0
    assert widest_margin(square, square).bound == 0


@pytest.mark.parametrize("power", [-900, -3, 40, 1000])
def test_scales_of_columns_do_not_matter(power: int) -> None:
    X = np.random.default_rng(0).normal(size=(9, 2))
    left = X[:, 0] - 2 * X[:, 1] < 0.1
    weights = widest_margin_weights(X, left)
    assert margin(weights, X[left], X[~left]) > 0
    scaled = widest_margin_weights(X * [2.0**power, 1.0], left)
    assert (scaled * [2.0**power, 1.0] == weights).all()


def test_columns_without_finite_numbers_have_no_weight() -> None:
    X = np.array([[1.0, np.inf, 5.0], [2.0, 1.0, 5.0], [3.0, -1e308, 5.0], [4.0, 1e308, 5.0]])
    weights = widest_margin_weights(X[:, [0, 1, 2]], np.array([True, True, False, False]))
    assert weights[0] > 0
    assert weights[1] == weights[2] == 0
    assert widest_margin_weights(X[2:, [0, 1]], np.array([True, False])).tolist()[1] == 0
