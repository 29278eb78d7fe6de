"""`OptimalEnsembleClassifier`: the optimal ensemble of trees with majority vote."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from exactree.estimators.classifier import ExactClassifier, takes_missing
from exactree.names import answers_unknown_names
from exactree.number_of_trees import solve_number_of_trees
from exactree.problem import Listener, Outcome, Problem
from exactree.trees import Ensemble, Tree


@answers_unknown_names
class OptimalEnsembleClassifier(ExactClassifier):
    """An ensemble of trees with majority vote, of provably minimum cost.

    It predicts the class with the most votes, ties to the earlier class. The parameters are those
    of `Problem`, `Limits` and `solve`, except that ``max_depth`` and ``time_limit`` have defaults
    that keep a first call short.

    Parameters
    ----------
    n_trees : int or "auto", default=3
        Number of trees; "auto" finds the number up to ``max_trees`` with the minimum total size,
        the smallest such number if there are several. With an even number votes can tie. A single
        tree is also an ensemble: its size is both the total and the largest size, and its depth
        both the total and the largest depth.
    minimize : str or tuple of str, default="total_size"
        "total_size", "largest_size", "total_depth", "largest_depth" or "errors", or a tuple of
        them in lexicographic order.
    max_trees : int, default=5
        Maximum number of trees that ``n_trees="auto"`` tries.
    max_depth : int, None or "auto", default="auto"
        Maximum depth of every tree; "auto" is 3 if errors come first in ``minimize``, else no
        limit.
    max_size : int or None, default=None
        Maximum number of nodes of every tree (leaves not counted).
    max_total_size : int or None, default=None
        Maximum number of nodes of all trees together.
    max_errors : int, float, Fraction or None, default=None
        Maximum weight of misclassified examples; None is 0 unless errors come first in
        ``minimize``.
    min_samples_leaf : int or float, default=1
        Minimum rows in a leaf; a float in (0, 1) is that fraction of the rows, rounded up.
    max_leaves_of : mapping of label to int or None, default=None
        Maximum number of leaves per tree that predict a label, for some labels.
    leaf_penalty : int, float or Fraction, default=0
        Price per leaf as an error rate: 0.01 is one per cent of the total weight per leaf.
    class_weight : mapping of label to number, "balanced" or None, default=None
        Factors on the weights of the rows of each class, exact; "balanced" gives all classes the
        same share of the weight, which maximizes the balanced accuracy.
    rules : a family of `exactree.rules`, or None, default=None
        The allowed rules; None allows axis-parallel rules on all features,
        ``rules.AxisParallel(features=[...])`` on some of them.
    categories : list of str or int, or None, default=None
        Columns, by name or index, whose values are integer codes without an order: a node
        tests whether a value in one of them equals a code. An example with a code that `fit` did
        not see goes right at each such node.
    method : str, default="auto"
        The method, see `solve`.
    implementation : {"native", "spec"}, default="native"
        The native search of the method or its readable specification.
    time_limit : float or None, default=60
        Seconds after which the best ensemble so far is kept.
    memory_limit : int or None, default=None
        Bytes the native search may allocate, see `solve`.
    n_jobs : int or None, default=1
        Threads, see `solve`; -1 for all cores, None for the number in ``joblib.parallel_config``.
    stop_at_gap : float, default=0
        Stop when the gap is at most this, in [0, 1).
    on_progress : callable or None, default=None
        Called with a `Progress`; returning True stops the search.
    cluster : dask Client, str, Executor or tuple, default=None
        Workers, one of which does the search, see `solve`. An estimator with the address of a Dask
        scheduler can be cloned and pickled, one with a client cannot.
    resume : path or None, default=None
        Refused unless None: only searches for one tree have a checkpoint file, see `solve`.
    verbose : int, default=0
        1 shows the progress: a live line on a terminal or in a notebook, lines on standard error
        elsewhere.

    Attributes
    ----------
    ensemble_ : Ensemble
        The fitted ensemble.
    estimators_ : list of Tree
        Its trees, each with a ``predict`` of its own.
    n_trees_ : int
        Number of trees.
    outcome_ : Outcome
        Status, cost, lower bound, gap and statistics of the search. With ``n_trees="auto"`` the
        lower bound holds for all numbers of trees, and ``outcome_.stats["by_number"]`` has the
        cost and the lower bound of each number.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; in order of first appearance if they cannot be compared.
    n_classes_ : int
        Number of labels.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features; defined only if the table has names.

    Notes
    -----
    The native searches support all quantities, alone or in a tuple, all limits, and any number of
    classes, except that `leaf_penalty`, like constraints (which `Problem` takes with `n_trees`), is
    for tables of about eight rows.

    For a noisy table the smallest ensemble without errors is large, and finding it takes long;
    allow some errors with ``max_errors``.

    Examples
    --------
    >>> from exactree import OptimalEnsembleClassifier
    >>> ensemble = OptimalEnsembleClassifier(n_trees=3)
    >>> X = [[0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    >>> X += [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    >>> ensemble = ensemble.fit(X, ["few"] * 4 + ["many"] * 3)
    >>> ensemble.outcome_.cost, ensemble.outcome_.status.value
    (3, 'optimal')
    >>> ensemble.predict([[1, 1, 1]]).tolist()
    ['many']
    >>> ensemble.predict_proba([[1, 1, 1]]).tolist()
    [[0.0, 1.0]]
    """

    _MODEL_ATTRIBUTE = "ensemble_"
    ensemble_: Ensemble

    def __init__(
        self,
        n_trees: int | str = 3,
        minimize: str | tuple[str, ...] = "total_size",
        *,
        max_trees: int = 5,
        max_depth: int | str | None = "auto",
        max_size: int | None = None,
        max_total_size: int | None = None,
        max_errors: int | float | Fraction | None = None,
        min_samples_leaf: int | float = 1,
        max_leaves_of: Mapping[Any, int] | None = None,
        leaf_penalty: int | float | Fraction = 0,
        class_weight: Mapping[Any, int | float | Fraction] | str | None = None,
        rules: Any = None,
        categories: Any = None,
        method: str = "auto",
        implementation: str = "native",
        time_limit: float | None = 60,
        memory_limit: int | None = None,
        n_jobs: int | None = 1,
        stop_at_gap: float = 0,
        on_progress: Listener | None = None,
        cluster: Any = None,
        resume: str | PathLike[str] | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_trees = n_trees
        self.minimize = minimize
        self.max_trees = max_trees
        self.max_depth = max_depth
        self.max_size = max_size
        self.max_total_size = max_total_size
        self.max_errors = max_errors
        self.min_samples_leaf = min_samples_leaf
        self.max_leaves_of = max_leaves_of
        self.leaf_penalty = leaf_penalty
        self.class_weight = class_weight
        self.rules = rules
        self.categories = categories
        self.method = method
        self.implementation = implementation
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.n_jobs = n_jobs
        self.stop_at_gap = stop_at_gap
        self.on_progress = on_progress
        self.cluster = cluster
        self.resume = resume
        self.verbose = verbose

    def votes(self, X: ArrayLike) -> NDArray[np.int64]:
        """Return for each row and class how many trees predict it.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples, n_classes)
            In the order of `classes_`; every row sums to the number of trees.
        """
        features = self._features(X)
        return self.ensemble_.votes_of(features)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict the share of the votes for each class.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            A table with the features of `fit`.

        Returns
        -------
        ndarray of shape (n_examples, n_classes)
            Shares of the votes, in the order of `classes_`.
        """
        votes = self.votes(X)
        return votes / self.n_trees_

    @property
    def estimators_(self) -> list[Tree]:
        """The trees of the ensemble."""
        check_is_fitted(self)
        return list(self.ensemble_.trees)

    @property
    def n_trees_(self) -> int:
        """Number of trees."""
        check_is_fitted(self)
        return len(self.ensemble_.trees)

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn; few nodes cannot tell three classes apart."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_missing(self.rules)
        tags.input_tags.string = True
        limits = (self.max_depth, self.max_size, self.max_total_size)
        tags.classifier_tags.poor_score = any(limit in (0, 1) for limit in limits)
        return tags

    def _problem(self, X: ArrayLike, labels: Any, sample_weight: ArrayLike | None) -> Problem:
        """Return the problem that the parameters describe, for any number of trees."""
        # Made for two trees first: a problem with one tree refuses the quantities of ensembles.
        ensemble = self._problem_of(
            X, labels, sample_weight, n_trees=2, max_total_size=self.max_total_size
        )
        if isinstance(self.n_trees, str):
            if self.n_trees != "auto":
                raise ValueError(
                    f'n_trees must be "auto" or an integer >= 1, got {self.n_trees!r}.'
                )
            return ensemble
        return ensemble.with_trees(self.n_trees)

    def _search(self) -> tuple[Callable[..., Outcome], dict[str, Any]]:
        search, options = super()._search()
        if self.n_trees == "auto":
            return solve_number_of_trees, {"max_trees": self.max_trees, **options}
        return search, options
