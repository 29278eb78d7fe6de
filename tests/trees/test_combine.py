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
from exactree.rules.surface import Surfaces
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

        def branch(part, depth, nodes=nodes, leaf_classes=leaf_classes):
            here = len(nodes)
            nodes.append(LEAF)
            leaf_classes.append(draw(st.integers(0, len(dataset.classes) - 1)))
            features = [
                f for f in range(dataset.X.shape[1]) if len(np.unique(dataset.X[part, f])) > 1
            ]
            if depth < 3 and features and draw(st.booleans()):
                feature = draw(st.sampled_from(features))
                distinct = np.unique(dataset.X[part, feature])
                place = draw(st.integers(0, len(distinct) - 2))
                goes_left = dataset.X[part, feature] <= distinct[place]
                low, high = map(float, distinct[place : place + 2])
                if low.is_integer() and draw(st.booleans()):
                    goes_left, high = dataset.X[part, feature] == low, None
                branch(part[goes_left], depth + 1)
                right = len(nodes)
                branch(part[~goes_left], depth + 1)
                nodes[here] = (feature, low, high, here + 1, right)

        branch(np.arange(len(dataset.X)), 0)
        trees.append(grow(dataset, nodes, leaf_classes))
    return dataset, Ensemble(tuple(trees))


def cells(trees, n_features):
    """Return one example for every cell that the thresholds and codes of some trees leave."""
    values = [{0.0} for _ in range(n_features)]
    for tree in trees:
        for feature, threshold in zip(tree.feature, tree.threshold, strict=True):
            if feature >= 0:
                t = float(threshold)
                values[feature] |= {nextafter(t, -inf), t, nextafter(t, inf)}
    return np.array(list(product(*values)))


def subtree_predictions(tree: Tree, node: int, X: np.ndarray) -> np.ndarray:
    """Predict from a node on, as if it were the root."""
    at = np.full(len(X), node)
    while (inner := tree.children_left[at] >= 0).any():
        value = X[np.arange(len(X)), np.maximum(tree.feature[at], 0)]
        by_code = tree.comparison[at] == "=="
        left = np.where(by_code, value == tree.threshold[at], value <= tree.threshold[at])
        at = np.where(inner, np.where(left, tree.children_left[at], tree.children_right[at]), at)
    return tree.prediction[at]


def check_nothing_is_spare(tree: Tree, X: np.ndarray) -> None:
    """Every rule divides its examples, and neither subtree could take the node's place."""
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
def test_predicts_the_same_everywhere(drawn) -> None:
    _, ensemble = drawn
    tree = ensemble.to_tree()
    X = cells(ensemble.trees, len(ensemble.feature_names))
    assert (tree.predict(X) == ensemble.predict(X)).all()
    assert tree.size <= (ensemble.largest_size + 1) ** len(ensemble.trees) - 1
    assert tree.depth <= ensemble.total_depth
    assert tree.errors[tree.feature < 0].sum() == 0
    check_nothing_is_spare(tree, X)


@given(ensembles())
def test_with_examples_it_counts_them(drawn) -> None:
    dataset, ensemble = drawn
    y = dataset.classes[dataset.labels]
    tree = ensemble.to_tree(dataset.X, y, dataset.weights)
    assert (tree.predict(dataset.X) == ensemble.predict(dataset.X)).all()
    # (It may have more nodes than the tree for all numbers: the rules that are left divide these
    # examples, and another rule might also have served the parts above.)
    assert tree.size <= (ensemble.largest_size + 1) ** len(ensemble.trees) - 1
    assert tree.depth <= ensemble.total_depth
    assert tree.n_node_samples[0] == len(dataset.X)
    assert (np.unique(tree.apply(dataset.X)) == np.flatnonzero(tree.feature < 0)).all()
    check_nothing_is_spare(tree, dataset.X)


def stumps(counts: int) -> Ensemble:
    """Return stumps on features of their own that vote for the class of their side."""
    dataset = make_dataset(np.eye(counts), ["a", *["b"] * (counts - 1)])
    return Ensemble(
        tuple(grow(dataset, [(f, 0.0, 1.0, 1, 2), LEAF, LEAF], [0, 0, 1]) for f in range(counts))
    )


def test_examples_may_lack_a_class() -> None:
    ensemble = stumps(3)
    tree = ensemble.to_tree(np.array([[1.0, 1.0, 0.0], [1.0, 1.0, 1.0]]), ["b", "b"])
    assert tree.size == 0
    assert tree.predict(np.zeros((1, 3))) == ["b"]
    assert tree.classes.tolist() == ["a", "b"]


def test_one_tree_stays_what_it_is() -> None:
    tree = stumps(3).trees[0]
    alone = Ensemble((tree,)).to_tree()
    assert alone.size == tree.size
    assert alone.threshold.tolist() == tree.threshold.tolist()


def test_a_code_is_requested_once() -> None:
    dataset = make_dataset([[3.0], [5.0], [8.0]], ["a", "b", "c"])
    by_code = [(0, 5.0, None, 1, 2), LEAF, (0, 3.0, None, 3, 4), LEAF, LEAF]
    tree = grow(dataset, by_code, [0, 1, 0, 0, 2])
    combined = Ensemble((tree, tree, tree)).to_tree()
    assert combined.size == 2
    assert combined.comparison.tolist() == ["==", "", "==", "", ""]
    assert combined.predict([[5.0], [3.0], [8.0], [4.0]]).tolist() == ["b", "a", "c", "c"]


def test_refuses_splits_on_surfaces() -> None:
    surfaces = Surfaces(((1, 0), (0, 1)), ((1.0, -1.0),))
    tree = Tree(
        children_left=[1, -1, -1],
        children_right=[2, -1, -1],
        feature=[2, -2, -2],  # the first surface, after the features 0 and 1
        comparison=["<=", "", ""],
        threshold=[0.0, -2.0, -2.0],
        value=[[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
        prediction=[0, 0, 1],
        n_node_samples=[2, 1, 1],
        errors=[1.0, 0.0, 0.0],
        classes=["a", "b"],
        feature_names=("x0", "x1"),
        named=False,
        surfaces=surfaces,
    )
    for examples in ((), ([[0.0, 1.0], [1.0, 0.0]], ["a", "b"])):
        with pytest.raises(ValueError, match="node 0 of the tree splits on a hyperplane"):
            Ensemble((tree, tree)).to_tree(*examples)


def test_refuses_what_is_too_large() -> None:
    with pytest.raises(ValueError, match="has more than 100,000 leaves before it is simplified"):
        stumps(40).to_tree()
    with pytest.raises(ValueError, match="the depths of the 151 trees add up to 151;"):
        stumps(151).to_tree()


def test_refuses_examples_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="give X and y together, or neither"):
        stumps(3).to_tree(np.eye(3))
    with pytest.raises(ValueError, match="y has the label 'c', which is not a class"):
        stumps(3).to_tree(np.eye(3), ["a", "b", "c"])
    with pytest.raises(ValueError, match="X has 2 features"):
        stumps(3).to_tree(np.eye(2), ["a", "b"])
