"""How wrong a tree or an ensemble is on examples that are given, row by row and on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.dataset import make_features
from exactree.data.labels import read_labels
from exactree.trees import Ensemble, RegressionTree, Tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["errors_of", "features_of", "mean_error", "truth_of", "unit_of", "wrong_by"]


def features_of(model: Tree | Ensemble, X: Any) -> NDArray[np.float64]:
    """Check a table against the features of a tree or an ensemble.

    Parameters
    ----------
    model : Tree or Ensemble
        What predicts.
    X : array or data frame
        Examples.
    """
    return make_features(X, model.feature_names, model.named, model.no_missing, model.levels)


def truth_of(model: Tree | Ensemble, y: Any, rows: int) -> NDArray[Any]:
    """Return what is true: the index of each label among the classes, -1 for others; or numbers.

    Parameters
    ----------
    model : Tree or Ensemble
        What predicts.
    y : array-like
        The labels.
    rows : int
        How many there must be.
    """
    labels = read_labels(y)
    if len(labels) != rows:
        raise ValueError(f"X has {rows:,} rows but y has {len(labels):,} labels.")
    if isinstance(model, RegressionTree):
        return labels.astype(np.float64)
    index = {label: place for place, label in enumerate(model.classes.tolist())}
    return np.array([index.get(label, -1) for label in labels.tolist()], dtype=np.int64)


def wrong_by(
    model: Tree | Ensemble, predicted: NDArray[np.int64], truth: NDArray[Any]
) -> NDArray[np.float64]:
    """Return for each row how wrong a prediction is.

    Parameters
    ----------
    model : Tree or Ensemble
        What predicts.
    predicted : ndarray of int64
        The indices of what was predicted.
    truth : ndarray
        What `truth_of` returned.

    Returns
    -------
    ndarray of float64
        Of classes 1 where the label is another; of numbers the squared or absolute distance.
    """
    if not isinstance(model, RegressionTree):
        return np.asarray(predicted != truth, dtype=np.float64)
    off = np.abs(model.classes[predicted] - truth)
    return np.asarray(off**2 if model.error_term == "squared_error" else off)


def errors_of(model: Tree | Ensemble, X: Any, y: Any) -> NDArray[np.float64]:
    """Return for each row how wrong the prediction of a tree or an ensemble is.

    Parameters
    ----------
    model : Tree or Ensemble
        What predicts.
    X, y : array-like
        Examples and their labels.
    """
    features = features_of(model, X)
    return wrong_by(model, model.predict_index(features), truth_of(model, y, len(features)))


def mean_error(model: Tree | Ensemble, X: Any, y: Any) -> float | None:
    """Return the error rate on examples, or the mean error of numbers; None without examples.

    Parameters
    ----------
    model : Tree or Ensemble
        What predicts.
    X, y : array-like
        Examples and their labels.
    """
    wrong = errors_of(model, X, y)
    return float(wrong.mean()) if len(wrong) else None


def unit_of(model: Tree | Ensemble) -> str:
    """Return what the errors of examples are called when they are divided by their number."""
    if isinstance(model, RegressionTree):
        return f"mean {model.error_term.replace('_', ' ')}"
    return "error rate"
