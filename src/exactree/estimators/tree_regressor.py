"""`OptimalTreeRegressor`: the optimal regression tree."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any, Self

from numpy.typing import ArrayLike

from exactree.estimators.base import ExactEstimator, WarmStart
from exactree.estimators.classifier import takes_missing
from exactree.estimators.labels import flattened
from exactree.estimators.one_tree import OneTreeRegressor
from exactree.names import answers_unknown_names
from exactree.problem import Constraints, Limits, Listener, Problem
from exactree.problem.limits import depth_limit
from exactree.problem.problem import FeaturePenalty


@answers_unknown_names
class OptimalTreeRegressor(WarmStart, OneTreeRegressor, ExactEstimator):
    """A regression tree of provably minimum squared or absolute error.

    The parameters are those of `Problem`, `Limits` and `solve`, except that ``max_depth`` and
    ``time_limit`` have defaults that keep a first call short.

    Parameters
    ----------
    minimize : str or tuple of str, default="squared_error"
        "squared_error" (leaves predict the mean) or "absolute_error" (leaves predict the lower
        median), or a tuple of one of these with "size" or "depth", in lexicographic order.
    max_depth : int, None or "auto", default="auto"
        Maximum depth; "auto" is 3 if the error comes first in ``minimize``, else no limit.
    max_size : int or None, default=None
        Maximum number of nodes (leaves not counted).
    min_samples_leaf : int or float, default=1
        Minimum rows in a leaf; a float in (0, 1) is that fraction of the rows, rounded up.
    min_weight_fraction_leaf : int or float, default=0
        Minimum weight of a leaf, as a fraction of the total weight, in [0, 1).
    leaf_penalty : int, float or Fraction, default=0
        Price per leaf in units of the mean error; times the total weight it is added to the error.
    monotonic_cst : array-like of int, mapping of feature to int, or None, default=None
        1 for a feature in which the predicted value must not decrease, -1 for one in which it
        must not increase, 0 for any other; a mapping names features.
    feature_penalty : int, float, Fraction, or mapping of feature to these, default=0
        Price of every feature that the tree uses, in the unit of ``leaf_penalty``.
    constraints : Constraints or None, default=None
        Features that the tree must use or may use only below others, and the maximum number of
        features.
    rules : a family of `exactree.rules`, or None, default=None
        The allowed rules, as in `OptimalTreeClassifier`; None allows axis-parallel rules.
    categories : list of str or int, or None, default=None
        Columns, by name or index, whose values are integer codes without an order: a node
        tests whether a value in one of them equals a code. An example with a code that `fit` did
        not see goes right at each such node.
    method : str, default="auto"
        The method, see `solve`.
    implementation : {"native", "spec"}, default="native"
        The native search of the method or its readable specification.
    time_limit : float or None, default=60
        Seconds after which the best tree so far is kept.
    memory_limit : int or None, default=None
        Bytes the native search may allocate, see `solve`.
    n_jobs : int or None, default=1
        Threads, see `solve`; -1 for all cores, None for the number in ``joblib.parallel_config``.
    stop_at_gap : float, default=0
        Stop when the gap is at most this, in [0, 1).
    on_progress : callable or None, default=None
        Called with a `Progress`; returning True stops the search.
    cluster : dask Client, str, Executor or tuple, default=None
        Workers that share the search, see `solve`. An estimator with the address of a Dask
        scheduler can be cloned and pickled, one with a client cannot.
    resume : path or None, default=None
        Checkpoint file of the search, see `solve`.
    incumbent : Tree or fitted tree of scikit-learn, default=None
        A tree from which the search starts, as in `OptimalTreeClassifier`.
    warm_start : bool, default=False
        Whether a fit starts from the results of the last fit, as in `OptimalTreeClassifier`.
    verbose : int, default=0
        1 shows the progress: a live line on a terminal or in a notebook, lines on standard error
        elsewhere.

    Attributes
    ----------
    tree_ : RegressionTree
        The fitted tree.
    outcome_ : Outcome
        Status, cost, lower bound, gap and statistics of the search.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features; defined only if the table has names.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Reduction of the error by each feature, as shares that sum to one.

    Examples
    --------
    >>> from exactree import OptimalTreeRegressor
    >>> X, y = [[0], [1], [2], [3]], [0.5, 1.5, 7, 8]
    >>> model = OptimalTreeRegressor(max_depth=1).fit(X, y)
    >>> model.predict([[1], [2]]).tolist()
    [1.0, 7.5]
    >>> print(model.outcome_)
    optimal, proved: squared error 1 by a tree of size 1 and depth 1
    """

    def __init__(
        self,
        minimize: str | tuple[str, ...] = "squared_error",
        *,
        max_depth: int | str | None = "auto",
        max_size: int | None = None,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: int | float = 0,
        leaf_penalty: int | float | Fraction = 0,
        monotonic_cst: Sequence[int] | Mapping[Any, int] | None = None,
        feature_penalty: FeaturePenalty = 0,
        constraints: Constraints | None = None,
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
        incumbent: Any = None,
        warm_start: bool = False,
        verbose: int = 0,
    ) -> None:
        self.minimize = minimize
        self.max_depth = max_depth
        self.max_size = max_size
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.leaf_penalty = leaf_penalty
        self.monotonic_cst = monotonic_cst
        self.feature_penalty = feature_penalty
        self.constraints = constraints
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
        self.incumbent = incumbent
        self.warm_start = warm_start
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn; a single leaf has a poor score."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_missing(self.rules)
        tags.input_tags.string = True
        tags.regressor_tags.poor_score = self.max_depth == 0 or self.max_size == 0
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree of minimum cost.

        A fit that raises leaves an earlier fit unchanged, except on Ctrl-C, when the best tree
        so far is kept.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            Finite numbers, text or categories; NaN, None and the like are missing values.
        y : array-like of shape (n_examples,)
            Finite numbers.
        sample_weight : array-like of shape (n_examples,), default=None
            Multiplicities; a row of weight zero is ignored.

        Returns
        -------
        OptimalTreeRegressor
            This estimator.

        Raises
        ------
        Infeasible
            If no tree meets the limits.
        KeyboardInterrupt
            On Ctrl-C, after the best tree so far was kept.

        Warns
        -----
        NotProvedWarning
            If the search stopped before the proof.
        DataWarning
            If a column is text like an identifier, or text because of few values among numbers.
        """
        return self._fit(self._problem(X, flattened(y), sample_weight))

    def _problem(self, X: ArrayLike, targets: Any, sample_weight: ArrayLike | None) -> Problem:
        """Return the problem that the parameters describe."""
        problem = Problem(
            X,
            targets,
            sample_weight,
            rules=self.rules,
            minimize=self.minimize,
            leaf_penalty=self.leaf_penalty,
            categories=self.categories,
            limits=Limits(
                max_depth=depth_limit(self.max_depth, self.minimize),
                max_size=self.max_size,
                min_samples_leaf=self.min_samples_leaf,
                min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            ),
            monotonic_cst=self.monotonic_cst,
            feature_penalty=self.feature_penalty,
            constraints=self.constraints,
        )
        if not problem.regression:
            raise ValueError(
                "minimize must name 'squared_error' or 'absolute_error' in a regression, got "
                f"{self.minimize!r}."
            )
        return problem
