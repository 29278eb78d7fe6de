"""`OptimalTreeRegressorCV`: an optimal regression tree, its size by cross-validation."""

from typing import Any

from exactree.estimators.labels import flattened
from exactree.estimators.one_tree import OneTreeRegressor
from exactree.estimators.tree_regressor import OptimalTreeRegressor
from exactree.estimators.tuned import TunedTree
from exactree.names import answers_unknown_names


@answers_unknown_names
class OptimalTreeRegressorCV(TunedTree, OneTreeRegressor):
    """An optimal regression tree with size, depth or leaf penalty chosen by cross-validation.

    The choice is made as in `OptimalTreeClassifierCV`.

    Parameters
    ----------
    estimator : OptimalTreeRegressor or None, default=None
        The estimator to tune, with all its parameters; its `max_depth` and `max_size` limit the
        front, and its `time_limit` is the time in seconds for each front.
    along : {"size", "depth", "leaf_penalty"}, default="size"
        The setting to choose.
    cv : int, splitter or iterable, default=None
        As in scikit-learn: None is five folds.
    scoring : str, callable or None, default=None
        Any scorer of scikit-learn; None is R squared.
    n_jobs : int or None, default=None
        Fronts that are computed in parallel, by joblib.
    verbose : int, default=0
        1 shows the fold, the size and the progress of its search: a live line on a terminal or in a
        notebook, lines on standard error elsewhere.

    Attributes
    ----------
    tree_ : RegressionTree
        The fitted tree.
    outcome_, best_estimator_, best_params_, best_index_, best_score_, cv_results_, front_, tried_
        As those of `OptimalTreeClassifierCV`.
    n_splits_ : int
        Number of folds.
    n_features_in_, feature_names_in_
        As those of `OptimalTreeRegressor`.

    Examples
    --------
    >>> from exactree import OptimalTreeRegressorCV
    >>> X = [[i] for i in range(30)]
    >>> y = [i // 15 for i in range(30)]
    >>> tuned = OptimalTreeRegressorCV().fit(X, y)
    >>> tuned.best_params_, tuned.outcome_.status.value
    ({'max_size': 1}, 'optimal')
    """

    @staticmethod
    def _default_estimator() -> OptimalTreeRegressor:
        return OptimalTreeRegressor()

    @staticmethod
    def _labels(y: Any) -> Any:
        return flattened(y)
