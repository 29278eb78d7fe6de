"""`OptimalTreeClassifier`: the optimal classification tree."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from exactree.estimators.base import WarmStart
from exactree.estimators.classifier import (
    ExactClassifier,
    minimizes_shares,
    takes_missing,
)
from exactree.estimators.one_tree import OneTreeClassifier
from exactree.names import answers_unknown_names
from exactree.objectives import ClassCosts
from exactree.problem import Constraints, Listener, Problem
from exactree.problem.encoding.trees import costs_of_nodes
from exactree.problem.problem import FeaturePenalty
from exactree.trees.shares import checked_smoothing


@answers_unknown_names
class OptimalTreeClassifier(WarmStart, OneTreeClassifier, ExactClassifier):
    """A classification tree of provably minimum cost.

    The parameters are those of `Problem`, `Limits` and `solve`, except that ``max_depth`` and
    ``time_limit`` have defaults that keep a first call short.

    Parameters
    ----------
    minimize : str or tuple of str, default="errors"
        "errors", "balanced_error", "log_loss", "gini", "size" or "depth", or a tuple of them in
        lexicographic order, with one kind of errors; for two classes also "f1_error",
        "precision_error" or "recall_error".
    max_depth : int, None or "auto", default="auto"
        Maximum depth; "auto" is 3 if errors come first in ``minimize``, else no limit.
    max_size : int or None, default=None
        Maximum number of nodes (leaves not counted).
    max_errors : int, float, Fraction or None, default=None
        Maximum weight of misclassified examples; None is 0 unless errors come first in
        ``minimize``.
    min_samples_leaf : int or float, default=1
        Minimum rows in a leaf; a float in (0, 1) is that fraction of the rows, rounded up.
    min_weight_fraction_leaf : int or float, default=0
        Minimum weight of a leaf, as a fraction of the total weight, in [0, 1).
    max_leaves_of : mapping of label to int, int or None, default=None
        Maximum number of leaves that predict a label, for some labels; an integer limits the
        leaves of one label, whichever gives the best tree.
    leaf_penalty : int, float or Fraction, default=0
        Price per leaf as an error rate: 0.01 is one per cent of the total weight per leaf.
    class_weight : mapping of label to number, "balanced" or None, default=None
        Factors on the weights of the rows of each class, exact; "balanced" gives all classes the
        same share of the weight, which maximizes the balanced accuracy.
    monotonic_cst : array-like of int, mapping of feature to int, or None, default=None
        1 for a feature in which the share of the second of two classes must not decrease, -1 for
        one in which it must not increase, 0 for any other; a mapping names features.
    feature_penalty : int, float, Fraction, or mapping of feature to these, default=0
        Price of every feature that the tree uses, in the unit of ``leaf_penalty``.
    constraints : Constraints or None, default=None
        Features that the tree must use or may use only below others, the maximum number of
        features, and the quantity to which ``monotonic_cst`` applies.
    cost_matrix : mapping of label to mapping of label to number, array or None, default=None
        Costs of errors, by true and predicted label; see `Problem`.
    positive : label, default=None
        The positive class of F1, precision and recall; None is the last of the two classes.
    min_precision, min_recall : float, Fraction or None, default=None
        Minimum precision and recall of the tree, if F1, precision or recall is optimized.
    smoothing : {"laplace"}, float or None, default=None
        Smoothing of the shares in a leaf by `predict_proba`: "laplace" adds one example of each
        class, a number m adds m examples with the shares of the whole table (m-estimate). The
        objectives "log_loss" and "gini" use smoothed shares; `predict` never does.
    rules : a family of `exactree.rules`, or None, default=None
        The allowed rules; None allows axis-parallel rules on all features,
        ``rules.AxisParallel(features=[...])`` on some of them; ``rules.Hyperplanes()``,
        ``rules.Hypersurfaces(degree)``, or ``rules.Mixed([...])`` of several families.
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
        A tree from which the search starts, see `solve`.
    warm_start : bool, default=False
        Whether a fit starts from the tree and the lower bound of the last fit.
    verbose : int, default=0
        1 shows the progress: a live line on a terminal or in a notebook, lines on standard error
        elsewhere.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    outcome_ : Outcome
        Status, cost, lower bound, gap and statistics of the search.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; in order of first appearance if they cannot be compared.
    n_classes_ : int
        Number of labels.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features; defined only if the table has names.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Reduction of the errors, or of their costs, by each feature, as shares that sum to one.

    Notes
    -----
    Labels may be of any hashable kind. Real numbers with fractional parts are also labels (0.5 and
    1.5 are two classes), unless they look like a regression target: more than 20 distinct values,
    or more than two and more than half as many as rows, are refused.

    Examples
    --------
    >>> from exactree import OptimalTreeClassifier
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], ["no", "yes", "yes", "no"]
    >>> model = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> model.predict([[1, 0]]).tolist()
    ['yes']
    >>> print(model.outcome_)
    optimal, proved: 0 errors by a tree of size 3 and depth 2
    """

    def __init__(
        self,
        minimize: str | tuple[str, ...] = "errors",
        *,
        max_depth: int | str | None = "auto",
        max_size: int | None = None,
        max_errors: int | float | Fraction | None = None,
        min_samples_leaf: int | float = 1,
        min_weight_fraction_leaf: int | float = 0,
        max_leaves_of: Mapping[Any, int] | int | None = None,
        leaf_penalty: int | float | Fraction = 0,
        class_weight: Mapping[Any, int | float | Fraction] | str | None = None,
        monotonic_cst: Sequence[int] | Mapping[Any, int] | None = None,
        feature_penalty: FeaturePenalty = 0,
        constraints: Constraints | None = None,
        cost_matrix: Any = None,
        positive: Any = None,
        min_precision: float | Fraction | None = None,
        min_recall: float | Fraction | None = None,
        smoothing: float | str | None = None,
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
        self.max_errors = max_errors
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.max_leaves_of = max_leaves_of
        self.leaf_penalty = leaf_penalty
        self.class_weight = class_weight
        self.monotonic_cst = monotonic_cst
        self.feature_penalty = feature_penalty
        self.constraints = constraints
        self.cost_matrix = cost_matrix
        self.positive = positive
        self.min_precision = min_precision
        self.min_recall = min_recall
        self.smoothing = smoothing
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
        """Describe the estimator to scikit-learn; one rule cannot tell three classes apart."""
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = takes_missing(self.rules)
        tags.input_tags.string = True
        tags.classifier_tags.poor_score = self.max_depth in (0, 1) or self.max_size in (0, 1)
        return tags

    def _problem(self, X: ArrayLike, labels: Any, sample_weight: ArrayLike | None) -> Problem:
        """Return the problem that the parameters describe."""
        checked_smoothing(self.smoothing)
        arguments = {
            "monotonic_cst": self.monotonic_cst,
            "feature_penalty": self.feature_penalty,
            "constraints": self.constraints,
        }
        limits: dict[str, Any] = {
            "min_weight_fraction_leaf": self.min_weight_fraction_leaf,
            "min_precision": self.min_precision,
            "min_recall": self.min_recall,
        }
        problem = self._problem_of(X, labels, sample_weight, arguments=arguments, **limits)
        constraints = problem.feature_constraints
        # The search knows the smoothing only if the objective depends on it.
        unknown_smoothing = self.smoothing and not minimizes_shares(self.minimize)
        if unknown_smoothing and constraints.directions and constraints.in_shares:
            raise ValueError(
                "smoothing changes the shares to which monotonic_cst applies; leave it None, or "
                "use constraints=Constraints(monotonic_in='prediction')."
            )
        return problem

    def _error_arguments(self) -> dict[str, Any]:
        smoothing = self.smoothing if minimizes_shares(self.minimize) else None
        parameters = {"cost_matrix": self.cost_matrix, "smoothing": smoothing}
        return parameters | {"positive": self.positive}

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self._costs_of_nodes = None
        if outcome.tree is not None and isinstance(problem.term, ClassCosts):
            self._costs_of_nodes = costs_of_nodes(problem.dataset, outcome.tree, problem.term)
