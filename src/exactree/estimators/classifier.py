"""What the classifiers share: labels of any kind in, predictions and their shares out."""

from abc import abstractmethod
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin

from exactree.data.weights import read_weights
from exactree.estimators.base import ExactEstimator
from exactree.estimators.labels import class_labels, refuse_regression_target
from exactree.problem import Limits, Problem

AUTO_DEPTH = 3  # a first call answers while the user waits


class ExactClassifier(ClassifierMixin, ExactEstimator):  # type: ignore[misc]
    """A classifier that a search has found, with the proof how good it is."""

    classes_: NDArray[Any]
    n_classes_: int
    feature_names_in_: NDArray[np.object_]

    def fit(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find what has least cost.

        A fit that raises leaves an earlier fit as it was, except on Ctrl-C, when the best so far
        is kept.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            Finite numbers.
        y : array-like of shape (n_examples,)
            Labels of any hashable kind.
        sample_weight : array-like of shape (n_examples,), default=None
            Multiplicities; a row of weight zero is as good as absent.

        Returns
        -------
        ExactClassifier
            This estimator.

        Raises
        ------
        Infeasible
            If it is proved that nothing meets the limits.
        KeyboardInterrupt
            On Ctrl-C, after the best so far was kept.

        Warns
        -----
        NotProvedWarning
            If the search stopped before the proof.
        """
        labels = class_labels(y)
        refuse_regression_target(labels)
        problem = self._problem(X, labels, sample_weight)
        outcome = self._answer(problem)
        self._keep(problem, outcome)
        return self

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
        """Return the share of the weight whose label is predicted.

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

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self.classes_ = problem.dataset.classes
        self.n_classes_ = len(self.classes_)

    @abstractmethod
    def _problem(self, X: ArrayLike, labels: Any, sample_weight: ArrayLike | None) -> Problem:
        """State the problem that the parameters describe."""

    def _stated(
        self,
        X: ArrayLike,
        labels: Any,
        sample_weight: ArrayLike | None,
        n_trees: int = 1,
        **limits: Any,
    ) -> Problem:
        """State the problem of the parameters all classifiers have, with further limits."""
        return Problem(
            X,
            labels,
            sample_weight,
            rules=self.rules,
            minimize=self.minimize,
            leaf_penalty=self.leaf_penalty,
            n_trees=n_trees,
            categories=self.categories,
            limits=Limits(
                max_depth=depth_limit(self.max_depth, self.minimize),
                max_size=self.max_size,
                max_errors=self.max_errors,
                min_samples_leaf=self.min_samples_leaf,
                max_leaves_of=self.max_leaves_of,
                **limits,
            ),
        )


def depth_limit(max_depth: int | str | None, minimize: Any) -> int | None:
    """Return the limit on depth that a parameter of an estimator states.

    Parameters
    ----------
    max_depth : int, None or "auto"
        "auto" is 3 when errors come first, else no limit.
    minimize : str or tuple of str
        What is minimized.

    Raises
    ------
    ValueError
        If it is another word.
    """
    if not isinstance(max_depth, str):
        return max_depth
    if max_depth != "auto":
        raise ValueError(f'max_depth must be "auto", None or an integer, got {max_depth!r}.')
    first = minimize[0] if isinstance(minimize, tuple) and minimize else minimize
    return AUTO_DEPTH if first == "errors" else None
