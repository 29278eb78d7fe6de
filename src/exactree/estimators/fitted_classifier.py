"""Base class of the classifiers: predictions, probabilities and the score."""

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from exactree.data.weights import read_weights
from exactree.estimators.fitted import FittedEstimator
from exactree.estimators.labels import class_labels


class FittedClassifier(ClassifierMixin, FittedEstimator):  # type: ignore[misc]
    """A classifier of labels of any hashable kind."""

    classes_: NDArray[Any]
    n_classes_: int
    feature_names_in_: NDArray[np.object_]

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Predict the label of every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples,)
            Labels from `classes_`.
        """
        features = self._features(X)
        labels: NDArray[Any] = self.classes_[self._fitted.predict_index(features)]
        return labels

    @abstractmethod
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict a share for each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples, n_classes)
            In the order of `classes_`.
        """

    def predict_log_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the logarithm of `predict_proba`.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples, n_classes)
            Logarithms; minus infinity for a share of zero.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def score(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> float:
        """Return the share of the rows, by weight, whose labels are predicted correctly.

        This is scikit-learn's accuracy, for labels of any hashable kind; labels that `fit` did
        not see count as errors.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.
        y : array-like of shape (n_examples,)
            The true labels.
        sample_weight : array-like of shape (n_examples,), default=None
            Weights of the rows.

        Returns
        -------
        float
            Between 0 and 1.
        """
        features = self._features(X)
        predicted = self._fitted.predict_index(features)
        index = {label: position for position, label in enumerate(self.classes_)}
        truth = np.asarray([index.get(label, -1) for label in class_labels(y)], dtype=np.int64)
        if truth.size != predicted.size:
            raise ValueError(f"X has {predicted.size:,} rows but y has {truth.size:,} labels.")
        weights = read_weights(sample_weight, truth.size)
        return float(np.average(truth == predicted, weights=weights))
