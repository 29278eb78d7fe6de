"""A tree on columns of 0 and 1 agrees with the tree of codes converted from it."""

import numpy as np
import pytest

from exactree.prune import grow_greedily
from exactree.prune.codes_as_columns import CodesAsColumns
from exactree.trees.routing import AT_MOST, EQUAL


@pytest.mark.parametrize("seed", range(20))
def test_the_tree_of_codes_predicts_the_same(seed: int) -> None:
    rng = np.random.default_rng(seed)
    X = rng.integers(-3, 4, size=(60, 3)).astype(float)
    y = rng.integers(0, 3, size=60)
    columns = CodesAsColumns(X, (0, 2))
    on_columns = grow_greedily(columns.X, y, max_leaves=None, random_state=seed)
    tree = columns.tree_of_codes(on_columns, ("a", "b", "c"))
    assert columns.X.shape == (60, 15)  # 7 codes of each of 2 features, and a numeric feature
    assert tree.predict(X).tolist() == on_columns.predict(columns.X).tolist()
    assert tree.leaves == on_columns.leaves
    comparisons = set(zip(tree.feature.tolist(), tree.comparison.tolist(), strict=True))
    assert comparisons >= {(0, EQUAL), (1, AT_MOST), (2, EQUAL)}
    assert len(comparisons) == 4  # with that of leaves
    reached = np.asarray(tree.decision_path(X).todense()).sum(axis=0)
    assert tree.n_node_samples.tolist() == np.ravel(reached).tolist()


def test_numeric_features_are_unchanged() -> None:
    X = np.random.default_rng(0).normal(size=(40, 3))
    assert (CodesAsColumns(X, ()).X == X).all()


def test_one_rule_separates_a_code_in_the_middle() -> None:
    X = np.repeat(np.arange(5.0), 8).reshape(-1, 1)
    y = X[:, 0] == 2
    assert grow_greedily(X, y, random_state=0).leaves == 3
    tree = grow_greedily(X, y, categories=["x0"], random_state=0)
    assert (tree.leaves, tree.threshold[0]) == (2, 2.0)
    assert tree.predict([[2], [7]]).tolist() == [True, False]
