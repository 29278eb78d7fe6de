"""The examples that the nodes of a compressed tree count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.data.labels import read_labels
from exactree.data.parameters import shown
from exactree.data.weights import read_weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from exactree.compress.model import InputModel
    from exactree.trees import Tree

__all__ = ["CountedExamples", "counting", "read_examples"]


@dataclass(frozen=True)
class CountedExamples:
    """CountedExamples of the classes of a model; those of weight zero are left out.

    Attributes
    ----------
    X : ndarray of float64
        The features.
    labels : ndarray of int64
        The indices of the classes.
    weights : ndarray of float64
        The weights, positive.
    """

    X: NDArray[np.float64]
    labels: NDArray[np.int64]
    weights: NDArray[np.float64]


def read_examples(model: InputModel, X: Any, y: Any, sample_weight: Any) -> CountedExamples:
    """Check examples against the features and the classes of a model.

    Parameters
    ----------
    model : InputModel
        The model.
    X, y, sample_weight : array-like
        As in `smallest_equal_tree`.
    """
    features = make_features(X, model.feature_names, model.named, levels=model.levels)
    if y is None:
        raise ValueError("X needs y: give the labels of the examples to count.")
    labels = read_labels(y)
    if len(labels) != len(features):
        raise ValueError(f"X has {len(features):,} rows but y has {len(labels):,} labels.")
    index = {label: number for number, label in enumerate(model.classes.tolist())}
    for row, label in enumerate(labels.tolist()):
        if label not in index:
            raise ValueError(
                f"y, row {row}: {shown(label)} is not a class of the ensemble. "
                "(Rows are counted from 0.)"
            )
    weights = np.asarray(read_weights(sample_weight, len(labels)), dtype=np.float64)
    kept = np.flatnonzero(weights)
    found = np.array([index[label] for label in labels.tolist()], dtype=np.int64)
    return CountedExamples(features[kept], found[kept], weights[kept])


def counting(tree: Tree, examples: CountedExamples) -> Tree:
    """Return a tree whose nodes count examples; unchanged if a leaf has none of them.

    Parameters
    ----------
    tree : Tree
        The tree.
    examples : CountedExamples
        The examples.
    """
    leaves = tree.leaf_index(examples.X)
    rows = np.bincount(leaves, minlength=tree.node_count)
    if (rows[tree.children_left < 0] == 0).any():
        return tree
    value = np.zeros((tree.node_count, tree.n_classes))
    np.add.at(value, (leaves, examples.labels), examples.weights)
    for node in np.flatnonzero(tree.children_left >= 0)[::-1].tolist():  # children come later
        left, right = tree.children_left[node], tree.children_right[node]
        rows[node], value[node] = rows[left] + rows[right], value[left] + value[right]
    inner = tree.children_left >= 0
    prediction = np.where(inner, value.argmax(axis=1), tree.prediction)
    predicted = value[np.arange(tree.node_count), prediction]
    return replace(
        tree,
        value=value,
        prediction=prediction,
        n_node_samples=rows,
        errors=value.sum(axis=1) - predicted,
        counts_rows=True,
    )
