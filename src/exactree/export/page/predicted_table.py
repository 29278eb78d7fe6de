"""The table of a report, with the predictions of its tree or ensemble."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.export.held_out import features_of, is_weighted, truth_of, wrong_by
from exactree.export.wording import trees_of
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["PredictedTable", "is_training_table", "table_of"]


@dataclass(frozen=True, eq=False)
class PredictedTable:
    """Examples and their predictions.

    Attributes
    ----------
    X : ndarray of float64
        The features.
    truth : ndarray
        The true labels: indices into `model.classes`, -1 for labels that the model does not know;
        in a regression the numbers themselves.
    predicted : ndarray of int64
        The predictions as indices into `model.classes`; in a regression these are the values of
        its leaves.
    wrong : ndarray of float64
        The error of each prediction: 1 for a wrong class, in a regression the squared or absolute
        error.
    leaves : tuple of ndarray of int64
        The leaf of each example in each tree.
    """

    X: NDArray[np.float64]
    truth: NDArray[Any]
    predicted: NDArray[np.int64]
    wrong: NDArray[np.float64]
    leaves: tuple[NDArray[np.int64], ...]


def table_of(model: Tree | Ensemble, X: Any, y: Any) -> PredictedTable:
    """Return examples with their predictions.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    X, y : array-like
        Examples and their labels.
    """
    features = features_of(model, X)
    if not len(features):
        raise ValueError("X has no rows; a report needs examples.")
    truth = truth_of(model, y, len(features))
    predicted = model.predict_index(features)
    leaves = tuple(tree.leaf_index(features) for tree in trees_of(model))
    return PredictedTable(features, truth, predicted, wrong_by(model, predicted, truth), leaves)


def is_training_table(model: Tree | Ensemble, table: PredictedTable) -> bool:
    """Return whether every leaf gets as many examples of each class from the table as in the fit.

    In a regression, and after a fit with weights, only the numbers of rows are compared.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    table : PredictedTable
        Examples.
    """
    for tree, leaves in zip(trees_of(model), table.leaves, strict=True):
        at_leaf = tree.children_left < 0
        rows = np.bincount(leaves, minlength=tree.node_count)
        if (rows != tree.n_node_samples)[at_leaf].any():
            return False
        if isinstance(tree, RegressionTree) or is_weighted(tree):
            continue
        for index in range(tree.n_classes):
            of_class = np.bincount(leaves[table.truth == index], minlength=tree.node_count)
            if (of_class != tree.value[:, index])[at_leaf].any():
                return False
    return True
