"""The note of an outcome whether rounding to float32 moves a row to another leaf."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import exactree as xt

# Neighbours of numbers that float32 merges, and numbers that it does not round.
NEAR = [0.1, np.nextafter(0.1, 1), 0.1 + 1e-9, float(np.float32(0.1)), 0.5, 1.0, 1e39, -1e39]
VALUES = st.one_of(st.sampled_from(NEAR), st.integers(-2, 2).map(float))


def rounded(X: np.ndarray) -> np.ndarray:
    with np.errstate(over="ignore"):
        return X.astype(np.float32).astype(np.float64)


@given(st.data(), st.integers(2, 12), st.sampled_from(["numbers", "missing", "categories"]))
def test_the_note_says_whether_any_row_changes_its_leaf(
    data: st.DataObject, rows: int, kind: str
) -> None:
    row = st.lists(VALUES, min_size=2, max_size=2)
    X = np.array(data.draw(st.lists(row, min_size=rows, max_size=rows)))
    y = data.draw(st.lists(st.integers(0, 1), min_size=rows, max_size=rows))
    if kind == "missing":
        X[:: data.draw(st.integers(2, 4)), 0] = np.nan
    if kind == "categories":
        X[:, 0] = np.round(np.clip(X[:, 0], 0, 3))
    categories = [0] if kind == "categories" else None
    tree = xt.solve(xt.Problem(X, y, categories=categories, limits=xt.Limits(max_depth=2))).tree
    assert tree is not None
    same = (tree.leaf_index(X) == tree.leaf_index(rounded(X))).all()
    assert tree.same_in_float32 == same


@pytest.mark.parametrize(("scale", "same"), [(1.0, True), (1e-9, False)])
def test_a_surface_is_compared_with_rounded_features(scale: float, same: bool) -> None:
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]) * scale + 1
    problem = xt.Problem(
        X, [0, 0, 1, 1], rules=xt.rules.Hyperplanes(), limits=xt.Limits(max_depth=2)
    )
    tree = xt.solve(problem).tree
    assert tree is not None
    assert tree.same_in_float32 is same
