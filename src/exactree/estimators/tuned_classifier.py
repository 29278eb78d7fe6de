"""`OptimalTreeClassifierCV`: an optimal classification tree, its size by cross-validation."""

from typing import Any

from numpy.typing import NDArray

from exactree.estimators.labels import class_labels, refuse_regression_target
from exactree.estimators.one_tree import OneTreeClassifier
from exactree.estimators.tree_classifier import OptimalTreeClassifier
from exactree.estimators.tuned import TunedTree
from exactree.names import answers_unknown_names


@answers_unknown_names
class OptimalTreeClassifierCV(TunedTree, OneTreeClassifier):
    """An optimal classification tree with size, depth or leaf penalty chosen by cross-validation.

    For every fold the whole Pareto front is computed once: the best tree of each size, or of each
    depth. No setting is fitted separately. The setting with the greatest mean score on held-out
    examples is chosen (the smaller tree among equals), and the tree of this setting for all
    examples is kept.

    Parameters
    ----------
    estimator : OptimalTreeClassifier or None, default=None
        The estimator to tune, with all its parameters; its `max_depth` and `max_size` limit the
        front, and its `time_limit` is the time in seconds for each front.
    along : {"size", "depth", "leaf_penalty"}, default="size"
        The setting to choose.
    cv : int, splitter or iterable, default=None
        As in scikit-learn: None is five folds, stratified.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn; None is the accuracy.
    n_jobs : int or None, default=None
        Fronts that are computed in parallel, by joblib: in threads, or as configured by
        ``joblib.parallel_config``.
    verbose : int, default=0
        1 shows the fold, the size and the progress of its search: a live line on a terminal or in a
        notebook, lines on standard error elsewhere.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    outcome_ : Outcome
        The outcome of its search.
    best_estimator_ : OptimalTreeClassifier
        The tuned estimator with `best_params_`; its fitted tree is `tree_`.
    best_params_, best_index_, best_score_
        The setting, its place in `cv_results_`, and its mean score.
    cv_results_ : dict
        As that of scikit-learn's ``GridSearchCV``.
    front_ : tuple of Outcome
        The best trees of all sizes, or depths, for all examples.
    tried_ : tuple of Outcome
        For each setting compared, the outcome of `front_` that it selects.
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
    def _default_estimator() -> OptimalTreeClassifier:
        return OptimalTreeClassifier()

    @staticmethod
    def _labels(y: Any) -> NDArray[Any]:
        labels = class_labels(y)
        refuse_regression_target(labels)
        return labels

    @property
    def smoothing(self) -> float | str | None:  # type: ignore[override]
        """The smoothing of `predict_proba`: that of the tuned estimator."""
        smoothing: float | str | None = self._tuned().smoothing
        return smoothing
