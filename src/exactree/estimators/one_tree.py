"""What an estimator with one tree tells about it."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from exactree.estimators.fitted import FittedEstimator
from exactree.estimators.fitted_classifier import FittedClassifier
from exactree.trees import Tree


class OneTree(FittedEstimator):
    """An estimator whose fit is one tree."""

    _FITTED = "tree_"
    tree_: Tree

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

        A node reduces the errors from those of a leaf in its place to those of two leaves below
        it. These reductions are added up per feature and divided by their total, which is
        the errors of a single leaf less those of the tree. The features of a surface share what it
        saves. All are zero when the tree is a leaf. A feature that only helps together with those
        below it (as in exclusive or) gets zero.
        """
        check_is_fitted(self)
        tree = self.tree_
        saved = np.zeros(self.n_features_in_)
        inner = np.flatnonzero(tree.children_left >= 0)
        left, right = tree.children_left[inner], tree.children_right[inner]
        below = tree.errors[left] + tree.errors[right]
        for feature, gain in zip(tree.feature[inner], tree.errors[inner] - below, strict=True):
            asked = tree.features_asked(int(feature))
            saved[list(asked)] += gain / len(asked)
        total = saved.sum()
        return saved / total if total > 0 else saved


class OneClassTree(OneTree, FittedClassifier):
    """A classifier whose fit is one tree; `smoothing` is a parameter of some."""

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
            Shares of the training weight, smoothed where `smoothing` says so, in the order of
            `classes_`.
        """
        features = self._features(X)
        return self.tree_.shares_at(self.tree_.leaf_index(features), self.smoothing)
