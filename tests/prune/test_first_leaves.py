"""Greedy trees that stop at a number of leaves, in each order of growth."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from exactree.prune.first_leaves import first_leaves, grow_greedily
from exactree.prune.partly_pruned import collapsed
from exactree.trees.routing import node_depths


@pytest.mark.parametrize("leaves", [1, 2, 5, 9])
def test_best_first_trees_are_those_of_scikit_learn(leaves: int) -> None:
    """On a table without ties between rules."""
    rng = np.random.default_rng(7)
    X = rng.normal(size=(300, 2))
    y = (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=300) > 1).astype(int)
    whole = grow_greedily(X, y, max_leaves=None, random_state=0)
    tree = first_leaves(whole, leaves)
    assert tree.leaves == leaves
    if leaves > 1:
        model = DecisionTreeClassifier(max_leaf_nodes=leaves, random_state=0).fit(X, y)
        assert tree.predict(X).tolist() == model.predict(X).tolist()
        assert tree.depth == model.get_depth()
    assert grow_greedily(X, y, max_leaves=leaves, random_state=0) == tree


def test_every_order_adds_one_node_at_a_time_and_ends_with_the_whole_tree() -> None:
    X, y = load_breast_cancer(return_X_y=True)
    whole = grow_greedily(X, y, max_leaves=None, random_state=0)
    trees = {}
    for order in ("best-first", "depth-first", "purest-first"):
        grown = [first_leaves(whole, n, order) for n in range(1, whole.leaves + 3)]
        assert [tree.leaves for tree in grown] == [*range(1, whole.leaves + 1)] + 2 * [whole.leaves]
        assert grown[-1] == whole
        trees[order] = grown[8]  # that of nine leaves
    assert len(set(trees.values())) == 3


def test_depth_first_goes_left_first() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, size=200)
    whole = grow_greedily(X, y, max_leaves=None, random_state=0)
    tree = first_leaves(whole, 10, "depth-first")
    depths = node_depths(whole.children_left, whole.children_right)
    inner = np.flatnonzero(whole.feature >= 0)[:9]
    assert tree.feature[tree.feature >= 0].tolist() == whole.feature[inner].tolist()
    assert tree.depth == depths[inner].max() + 1


def test_purest_first_ignores_weights() -> None:
    """Each next node has the purest children of all candidates, whatever their weights."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 2))
    y = (X[:, 0] > 0) * 2 + (rng.random(150) < 0.3)
    whole = grow_greedily(X, y, max_leaves=None, random_state=0)
    reached = np.asarray(whole.decision_path(X).todense(), dtype=bool)

    def mean_gini(node: int) -> float:
        children = (whole.children_left[node], whole.children_right[node])
        counts = np.array([np.bincount(y[reached[:, child]], minlength=4) for child in children])
        sizes = counts.sum(axis=1)
        return float((sizes - (counts**2).sum(axis=1) / sizes).sum() / sizes.sum())

    candidates, weights = [0], []
    for leaves in range(2, 12):
        node = min(candidates, key=mean_gini)
        weights.append(whole.n_node_samples[node])
        children = (whole.children_left[node], whole.children_right[node])
        candidates = [other for other in candidates if other != node]
        candidates += [int(child) for child in children if whole.feature[child] >= 0]
        assert first_leaves(whole, leaves, "purest-first") == collapsed(whole, candidates)
    assert weights != sorted(weights, reverse=True)  # not in the order of weights


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"order": "random"}, "order must be one of best-first, depth-first, purest-first"),
        ({"max_leaves": 0}, "max_leaves must be at least 1, found 0"),
        ({"max_leaves": 2.5}, "max_leaves must be a whole number, found 2.5"),
    ],
)
def test_wrong_input_is_refused(change: dict[str, object], sentence: str) -> None:
    with pytest.raises((ValueError, TypeError), match=sentence):
        grow_greedily([[0.0], [1.0]], [0, 1], **change)  # type: ignore[arg-type]
