"""Base classes of the estimators with one tree: leaves, paths, importances, predictions."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted

from exactree.estimators.fitted import FittedEstimator
from exactree.estimators.fitted_classifier import FittedClassifier
from exactree.trees import Tree


class OneTree(FittedEstimator):
    """An estimator whose fit is one tree."""

    _MODEL_ATTRIBUTE = "tree_"
    tree_: Tree
    # The cost of a leaf in the place of each node, where that is not `tree_.errors`.
    _costs_of_nodes: NDArray[np.float64] | None = None

    def apply(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return the index of the leaf that each row reaches.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples,)
            Positions in the arrays of `tree_`.
        """
        features = self._features(X)
        return self.tree_.leaf_index(features)

    def explain(self, x: ArrayLike, **options: Any) -> Any:
        """Explain the prediction of one example; see `exactree.export.explain`.

        Parameters
        ----------
        x : array-like or data frame
            The values of the features of one example.
        **options
            Options of `exactree.export.explain`: `to`, `costs`, `fixed` and `exact`.
        """
        from exactree.export import explain  # explanations are not needed to fit

        check_is_fitted(self)
        return explain(self.tree_, x, **options)

    def decision_path(self, X: ArrayLike) -> Any:
        """Return the nodes and leaves that each row passes.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        scipy sparse matrix of shape (n_examples, node_count)
            One where the row passes.
        """
        features = self._features(X)
        return self.tree_.paths_to(self.tree_.leaf_index(features))

    def get_depth(self) -> int:
        """Return the depth of the tree: the nodes on its longest path.

        Returns
        -------
        int
            0 for a single leaf.
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves.

        Returns
        -------
        int
            At least 1.
        """
        check_is_fitted(self)
        return self.tree_.leaves

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Weighted error reduction of each feature, as shares that sum to one.

        The reduction of a node is the number of errors of a leaf in its place minus that of two
        leaves in place of its children, or zero if the difference is negative. Reductions are
        summed by feature and divided by their total. If the objective is not plain errors, its
        costs take the place of errors. The features of a surface share its reduction equally. All
        importances are zero if the tree is a single leaf. A feature that helps only together with
        features below it (as in exclusive or) gets zero.
        """
        check_is_fitted(self)
        tree = self.tree_
        reductions = np.zeros(self.n_features_in_)
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = tree.children_left[inner], tree.children_right[inner]
        errors = tree.errors if self._costs_of_nodes is None else self._costs_of_nodes
        gains = np.maximum(errors[inner] - errors[left] - errors[right], 0)
        for feature, gain in zip(tree.feature[inner], gains, strict=True):
            used = tree.features_of_operand(int(feature))
            reductions[list(used)] += gain / len(used)
        total = reductions.sum()
        return reductions / total if total > 0 else reductions


class OneTreeClassifier(OneTree, FittedClassifier):
    """A classifier whose fit is one tree; some of them have a parameter `smoothing`."""

    smoothing: float | str | None = None

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the share of each class in the leaf that a row reaches.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples, n_classes)
            Shares of the training weight, smoothed by `smoothing`, in the order of `classes_`.
        """
        features = self._features(X)
        return self.tree_.shares_at(self.tree_.leaf_index(features), self.smoothing)


class OneTreeRegressor(RegressorMixin, OneTree):  # type: ignore[misc]
    """A regressor whose fit is one tree."""

    feature_names_in_: NDArray[np.object_]

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the target of every row.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples,)
            The value of the leaf that the row reaches.
        """
        features = self._features(X)
        numbers: NDArray[np.float64] = self.tree_.value[self.tree_.leaf_index(features), 0]
        return numbers
