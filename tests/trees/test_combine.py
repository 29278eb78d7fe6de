"""One tree for an ensemble: equal predictions, the bounds of Theorem 3.2, no superfluous node."""

import runpy
from itertools import product
from math import inf, nextafter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from exactree.data.dataset import make_dataset
from exactree.trees import Tree, grow
from exactree.trees.ensemble import Ensemble

DATASETS = runpy.run_path(str(Path(__file__).with_name("random_trees.py")))["datasets"]
VALUES = [0.0, 1.0, 2.0, nextafter(2.0, inf), 5e-324]
LEAF = (-1, 0.0, 0.0, -1, -1)


@st.composite
def ensembles(draw):
    """Draw a table and trees on it whose leaves predict any class."""
    dataset = draw(DATASETS(VALUES))
    trees = []
    for _ in range(draw(st.integers(1, 4))):
        nodes, leaf_classes = [], []

        def branch(subset, depth, nodes=nodes, leaf_classes=leaf_classes):
            here = len(nodes)
            nodes.append(LEAF)
            leaf_classes.append(draw(st.integers(0, len(dataset.classes) - 1)))
            features = [
                f for f in range(dataset.X.shape[1]) if len(np.unique(dataset.X[subset, f])) > 1
            ]
            if depth < 3 and features and draw(st.booleans()):
                feature = draw(st.sampled_from(features))
                distinct = np.unique(dataset.X[subset, feature])
                rank = draw(st.integers(0, len(distinct) - 2))
                goes_left = dataset.X[subset, feature] <= distinct[rank]
                low, high = map(float, distinct[rank : rank + 2])
                if low.is_integer() and draw(st.booleans()):
                    goes_left, high = dataset.X[subset, feature] == low, None
                branch(subset[goes_left], depth + 1)
                right = len(nodes)
                branch(subset[~goes_left], depth + 1)
                nodes[here] = (feature, low, high, here + 1, right)

        branch(np.arange(len(dataset.X)), 0)
        trees.append(grow(dataset, nodes, leaf_classes))
    return dataset, Ensemble(tuple(trees))


def cells(trees, n_features):
    """Return examples that include one for every combination of leaves of some trees."""
    values = [{0.0} for _ in range(n_features)]
    for tree in trees:
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0:
                t = float(threshold)
                values[feature] |= {nextafter(t, -inf), t, nextafter(t, inf)}
    return np.array(list(product(*values)))


def subtree_predictions(tree: Tree, node: int, X: np.ndarray) -> np.ndarray:
    """Predict by the subtree below a node, as if the node were the root."""
    reached = np.full(len(X), node)
    while (inner := tree.children_left[reached] >= 0).any():
        value = X[np.arange(len(X)), np.maximum(tree.feature[reached], 0)]
        threshold = tree.threshold[reached]
        by_code = tree.comparison[reached] == "=="
        goes_left = np.where(by_code, value == threshold, value <= threshold)
        child = np.where(goes_left, tree.children_left[reached], tree.children_right[reached])
        reached = np.where(inner, child, reached)
    return tree.prediction[reached]


def check_no_node_is_superfluous(tree: Tree, X: np.ndarray) -> None:
    """Check that each split has non-empty children, and no subtree can replace its parent."""
    passed = tree.decision_path(X).toarray().astype(bool)
    for node in np.flatnonzero(tree.feature >= 0):
        here = X[passed[:, node]]
        goes_left = tree.goes_left(int(node), here)
        assert goes_left.any()
        assert not goes_left.all()
        whole = subtree_predictions(tree, node, here)
        for child in (tree.children_left[node], tree.children_right[node]):
            assert (subtree_predictions(tree, child, here) != whole).any()


@given(ensembles())
def test_the_tree_predicts_like_the_ensemble_everywhere(drawn) -> None:
    _, ensemble = drawn
    tree = ensemble.to_tree()
    X = cells(ensemble.trees, len(ensemble.feature_names))
    assert (tree.predict(X) == ensemble.predict(X)).all()
    assert tree.size <= (ensemble.largest_size + 1) ** len(ensemble.trees) - 1
    assert tree.depth <= ensemble.total_depth
    assert tree.errors[tree.feature < 0].sum() == 0
    check_no_node_is_superfluous(tree, X)


@given(ensembles())
def test_with_examples_the_tree_predicts_and_counts_them(drawn) -> None:
    dataset, ensemble = drawn
    y = dataset.classes[dataset.labels]
    tree = ensemble.to_tree(dataset.X, y, dataset.weights)
    assert (tree.predict(dataset.X) == ensemble.predict(dataset.X)).all()
    # The tree for these examples may have more nodes than the tree for all numbers: a split that
    # only the tree for all numbers needs may make other splits superfluous.
    assert tree.size <= (ensemble.largest_size + 1) ** len(ensemble.trees) - 1
    assert tree.depth <= ensemble.total_depth
    assert tree.n_node_samples[0] == len(dataset.X)
    assert (np.unique(tree.apply(dataset.X)) == np.flatnonzero(tree.feature < 0)).all()
    check_no_node_is_superfluous(tree, dataset.X)


def voting_stumps(n_stumps: int) -> Ensemble:
    """Return an ensemble of stumps on different features, which predict "a" left and "b" right."""
    dataset = make_dataset(np.eye(n_stumps), ["a", *["b"] * (n_stumps - 1)])
    return Ensemble(
        tuple(grow(dataset, [(f, 0.0, 1.0, 1, 2), LEAF, LEAF], [0, 0, 1]) for f in range(n_stumps))
    )


def test_examples_may_lack_a_class() -> None:
    ensemble = voting_stumps(3)
    tree = ensemble.to_tree(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), ["b", "b"])
    assert tree.size == 0
    assert tree.predict(np.zeros((1, 3))) == ["b"]
    assert tree.classes.tolist() == ["a", "b"]


def test_the_tree_of_an_ensemble_of_one_tree_is_that_tree() -> None:
    tree = voting_stumps(3).trees[0]
    alone = Ensemble((tree,)).to_tree()
    assert alone.size == tree.size
    assert alone.threshold.tolist() == tree.threshold.tolist()


def test_equal_trees_by_codes_combine_without_repeated_splits() -> None:
    dataset = make_dataset([[3.0], [5.0], [8.0]], ["a", "b", "c"])
    by_code = [(0, 5.0, None, 1, 2), LEAF, (0, 3.0, None, 3, 4), LEAF, LEAF]
    tree = grow(dataset, by_code, [0, 1, 0, 0, 2])
    combined = Ensemble((tree, tree, tree)).to_tree()
    assert combined.size == 2
    assert combined.comparison.tolist() == ["==", "", "==", "", ""]
    assert combined.predict([[5.0], [3.0], [8.0], [4.0]]).tolist() == ["b", "a", "c", "c"]


def test_ensembles_that_are_too_large_are_refused() -> None:
    with pytest.raises(ValueError, match="has more than 100,000 leaves before it is simplified"):
        voting_stumps(40).to_tree()
    with pytest.raises(ValueError, match="the depths of the 151 trees add up to 151;"):
        voting_stumps(151).to_tree()


def test_examples_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="give X and y together, or neither"):
        voting_stumps(3).to_tree(np.eye(3))
    with pytest.raises(ValueError, match="y has the label 'c', which is not a class"):
        voting_stumps(3).to_tree(np.eye(3), ["a", "b", "c"])
    with pytest.raises(ValueError, match="X has 2 features"):
        voting_stumps(3).to_tree(np.eye(2), ["a", "b"])
