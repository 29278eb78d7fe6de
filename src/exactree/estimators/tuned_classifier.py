"""The optimal classification tree of the size that held-out examples prefer."""

from typing import Any

from numpy.typing import NDArray

from exactree.estimators.labels import class_labels, refuse_regression_target
from exactree.estimators.one_tree import OneClassTree
from exactree.estimators.tree_classifier import OptimalTreeClassifier
from exactree.estimators.tuned import TunedTree


class OptimalTreeClassifierCV(TunedTree, OneClassTree):
    """The best classification tree of a size, depth or price of leaves chosen by cross-validation.

    For every fold the whole front is computed once: the best tree of each size, or of each depth.
    Nothing is fitted again for another setting. The setting whose trees have the greatest mean
    score on held-out examples is chosen, the smaller tree where several are equal, and the tree of
    that setting for all examples is the fit.

    Parameters
    ----------
    estimator : OptimalTreeClassifier or None, default=None
        What is tuned, with all its parameters; its `max_depth` and `max_size` say where the front
        ends, its `time_limit` how many seconds a front may take.
    along : {"size", "depth", "leaf_penalty"}, default="size"
        What is chosen.
    cv : int, splitter or iterable, default=None
        As in scikit-learn: None is five folds, stratified.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn; None is the accuracy.
    n_jobs : int or None, default=None
        Fronts that are computed at the same time, by joblib: in threads, or as the user's
        ``joblib.parallel_config`` says.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    outcome_ : Outcome
        What is proved about it.
    best_estimator_ : OptimalTreeClassifier
        Fitted with it.
    best_params_, best_index_, best_score_
        The setting, its place in `cv_results_`, and its mean score.
    cv_results_ : dict
        As that of scikit-learn's ``GridSearchCV``.
    front_ : tuple of Outcome
        The best trees of all sizes, or depths, for all examples.
    tried_ : tuple of Outcome
        Of these the tree of each setting.
    n_splits_ : int
        Number of folds.
    classes_, n_classes_, n_features_in_, feature_names_in_
        As those of `OptimalTreeClassifier`.

    See Also
    --------
    exactree.tuning.plot_tuning : Draws scores and the front.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifierCV
    >>> X = [[i] for i in range(30)]
    >>> y = [(i // 10) % 2 for i in range(30)]
    >>> tuned = OptimalTreeClassifierCV().fit(X, y)
    >>> tuned.best_params_, tuned.outcome_.status.value
    ({'max_size': 2}, 'optimal')
    """

    @staticmethod
    def _by_default() -> OptimalTreeClassifier:
        return OptimalTreeClassifier()

    @staticmethod
    def _labels(y: Any) -> NDArray[Any]:
        labels = class_labels(y)
        refuse_regression_target(labels)
        return labels

    @property
    def smoothing(self) -> float | str | None:  # type: ignore[override]
        """How `predict_proba` smooths: as the estimator that is tuned."""
        stated: float | str | None = self._tuned().smoothing
        return stated
