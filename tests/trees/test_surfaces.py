"""Routing of rows in trees with surfaces: by nodes, in blocks, and one by one."""

import numpy as np
import pytest

from exactree.rules import Hypersurfaces
from exactree.rules.surface import Surfaces
from exactree.trees import Tree, routing


def tree_with_surfaces(degree: int) -> Tree:
    """Return a tree that splits by two surfaces, one threshold and one category.

    The table has features 0 to 2; features 3 and 4 stand for the surfaces.
    """
    monomials = Hypersurfaces(degree).monomials(3)
    weights = np.random.default_rng(0).normal(size=(2, len(monomials)))
    weights[1, 0] = 0.0
    children_left = [1, 2, -1, -1, 5, -1, 7, -1, -1]
    inner = np.array(children_left) >= 0
    comparison = ["<=", "<=", "", "", "<=", "", "==", "", ""]
    return Tree(
        children_left=children_left,
        children_right=[4, 3, -1, -1, 6, -1, 8, -1, -1],
        feature=np.where(inner, [3, 1, 0, 0, 4, 0, 2, 0, 0], -2),
        comparison=comparison,
        threshold=np.where(inner, [0.1, 0.3, 0, 0, -0.2, 0, 1, 0, 0], -2.0),
        value=np.array([[5, 2, 1, 1, 3, 1, 2, 1, 1], [0] * 9]).T,
        prediction=np.zeros(9),
        n_node_samples=[5, 2, 1, 1, 3, 1, 2, 1, 1],
        errors=np.zeros(9),
        classes=np.array([0, 1]),
        feature_names=("a", "b", "c"),
        named=False,
        surfaces=Surfaces(monomials, tuple(map(tuple, weights.tolist()))),
    )


def leaf_of(tree: Tree, row: np.ndarray) -> int:
    node = 0
    while not tree.is_leaf(node):
        left = tree.goes_left(node, row[None])[0]
        node = int((tree.children_left if left else tree.children_right)[node])
    return node


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("rows", [0, 1, 50, 100, 257])
def test_rows_in_blocks_reach_the_same_leaves_as_single_rows(degree, rows, monkeypatch) -> None:
    monkeypatch.setattr(routing, "_BLOCK", 50)
    tree = tree_with_surfaces(degree)
    rng = np.random.default_rng(rows)
    X = np.column_stack([rng.normal(size=(rows, 2)), rng.integers(0, 3, rows)])
    expected = [leaf_of(tree, row) for row in X]
    assert tree.apply(X).tolist() == expected if rows else not expected
    if rows > 200:
        assert set(expected) == {2, 3, 5, 7, 8}


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_the_sums_of_one_surface_equal_its_column_of_all_sums(degree) -> None:
    """Bit for bit, for tables stored by rows and by columns; also if sums overflow."""
    surfaces = tree_with_surfaces(degree).surfaces
    X = np.random.default_rng(1).normal(size=(200, 3)) * 10.0 ** np.arange(-90, 110)[:, None]
    for table in (X, np.asfortranarray(X), X[::2]):
        all_sums = surfaces.values(table)
        for k in range(len(surfaces)):
            assert surfaces.sums_of(k, table).tobytes() == all_sums[:, k].copy().tobytes()
