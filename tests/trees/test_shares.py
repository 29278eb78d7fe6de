"""Shares of classes in leaves, smoothed: Laplace and m-estimate against their formulas."""

from typing import Any

import numpy as np
import pytest

from exactree import OptimalTreeClassifier
from exactree.trees.shares import shares_of_classes

VALUE = np.array([[6.0, 2.0], [6.0, 0.0], [0.0, 2.0]])


def test_without_smoothing_shares_are_shares_of_the_weight() -> None:
    assert shares_of_classes(VALUE).tolist() == [[0.75, 0.25], [1, 0], [0, 1]]


def test_laplace_adds_one_example_of_each_class() -> None:
    assert shares_of_classes(VALUE, "laplace").tolist() == [
        [0.7, 0.3],
        [7 / 8, 1 / 8],
        [0.25, 0.75],
    ]


def test_an_m_estimate_moves_shares_towards_those_of_the_table() -> None:
    smoothed = shares_of_classes(VALUE, 2)
    np.testing.assert_allclose(smoothed, [[0.75, 0.25], [7.5 / 8, 0.5 / 8], [1.5 / 4, 2.5 / 4]])
    np.testing.assert_allclose(shares_of_classes(VALUE, 1e12)[1:], [[0.75, 0.25]] * 2)
    assert shares_of_classes(VALUE, 0).tolist() == shares_of_classes(VALUE).tolist()


def test_the_estimator_smooths_and_predicts_the_same() -> None:
    X, y = [[0], [0], [1], [1], [1]], list("aabbb")
    plain, smooth = (
        OptimalTreeClassifier(max_depth=1, smoothing=how).fit(X, y) for how in (None, "laplace")
    )
    assert plain.predict_proba([[0]]).tolist() == [[1, 0]]
    assert smooth.predict_proba([[0]]).tolist() == [[0.75, 0.25]]
    assert smooth.predict(X).tolist() == y
    assert np.isfinite(smooth.predict_log_proba(X)).all()


@pytest.mark.parametrize("smoothing", [-1, float("nan"), float("inf"), "Laplace", True, [1], 1e308])
def test_invalid_smoothing_is_refused(smoothing: Any) -> None:
    with pytest.raises(ValueError, match='smoothing must be None, "laplace" or a number from 0'):
        OptimalTreeClassifier(max_depth=1, smoothing=smoothing).fit([[0], [1]], list("ab"))


def test_the_greatest_smoothing_predicts_the_shares_of_the_table() -> None:
    X, y = [[0], [1], [2], [3]], list("abbb")
    model = OptimalTreeClassifier(max_depth=1, smoothing=2**62).fit(X, y)
    assert model.predict_proba(X).tolist() == [[0.25, 0.75]] * 4
