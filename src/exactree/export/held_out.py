"""Errors of a tree or an ensemble on given examples, by row and on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.data.labels import read_labels
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "errors_of",
    "features_of",
    "is_weighted",
    "mean_error",
    "truth_of",
    "typical_error",
    "unit_of",
    "wrong_by",
]


def features_of(model: Tree | Ensemble, X: Any) -> NDArray[np.float64]:
    """Check a table against the features of a tree or an ensemble.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    X : array or data frame
        Examples.
    """
    return make_features(X, model.feature_names, model.named, model.complete_features, model.levels)


def truth_of(model: Tree | Ensemble, y: Any, rows: int) -> NDArray[Any]:
    """Return the class index of each label, -1 for other labels; in a regression the numbers.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    y : array-like
        The labels.
    rows : int
        The required number of labels.
    """
    labels = read_labels(y)
    if len(labels) != rows:
        raise ValueError(f"X has {rows:,} rows but y has {len(labels):,} labels.")
    if isinstance(model, RegressionTree):
        return labels.astype(np.float64)
    index = {label: number for number, label in enumerate(model.classes.tolist())}
    return np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.int64)


def wrong_by(
    model: Tree | Ensemble, predicted: NDArray[np.int64], truth: NDArray[Any]
) -> NDArray[np.float64]:
    """Return the error of the prediction of each row.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    predicted : ndarray of int64
        The indices of the predictions.
    truth : ndarray
        The result of `truth_of`.

    Returns
    -------
    ndarray of float64
        1 for a wrong class; the squared or absolute error for a number.
    """
    if not isinstance(model, RegressionTree):
        return np.asarray(predicted != truth, dtype=np.float64)
    deviation = np.abs(model.classes[predicted] - truth)
    return np.asarray(deviation**2 if model.error_term == "squared_error" else deviation)


def errors_of(model: Tree | Ensemble, X: Any, y: Any) -> NDArray[np.float64]:
    """Return the error of a tree or an ensemble on each row.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    X, y : array-like
        Examples and their labels.
    """
    features = features_of(model, X)
    return wrong_by(model, model.predict_index(features), truth_of(model, y, len(features)))


def mean_error(model: Tree | Ensemble, X: Any, y: Any) -> float | None:
    """Return the error rate on examples, or the mean error of a regression; None without examples.

    Parameters
    ----------
    model : Tree or Ensemble
        The model.
    X, y : array-like
        Examples and their labels.
    """
    wrong = errors_of(model, X, y)
    return float(wrong.mean()) if len(wrong) else None


def unit_of(model: Tree | Ensemble) -> str:
    """Return the name of the mean error of examples."""
    if isinstance(model, RegressionTree):
        return f"mean {model.error_term.replace('_', ' ')}"
    return "error rate"


def typical_error(tree: RegressionTree) -> str:
    """Return the name of the typical error of numbers, which has the unit of the target."""
    squared = tree.error_term == "squared_error"
    return "root mean squared error" if squared else "mean absolute error"


def is_weighted(tree: Tree) -> bool:
    """Return whether examples had other weights than 1 in the fit."""
    return bool((tree.weighted_n_node_samples != tree.n_node_samples).any())
