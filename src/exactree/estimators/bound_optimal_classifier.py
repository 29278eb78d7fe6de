"""`BoundOptimalTreeClassifier`: the classification tree with the minimum risk bound."""

from collections.abc import Callable
from typing import Any

from numpy.typing import ArrayLike

from exactree.bound_optimal import CurveEntry, solve_bound_optimal
from exactree.estimators.tree_classifier import OptimalTreeClassifier
from exactree.names import answers_unknown_names
from exactree.problem import Listener, Outcome, Problem
from exactree.theory.risk import DEFAULT_R


@answers_unknown_names
class BoundOptimalTreeClassifier(OptimalTreeClassifier):
    """A classification tree with the provably minimum risk bound; it needs no cross-validation.

    With probability 1 - ``delta``, the error rate on new examples does not exceed the risk bound.
    The bound grows with the training errors of the tree and with the number of partitions that
    trees of its shape can realize. A tree that minimizes it is as large as the examples justify.

    Parameters
    ----------
    max_leaves : int, default=8
        Maximum number of leaves, from 1 to 14.
    delta : float, default=0.05
        The probability with which the bound may fail.
    r : float, default=2**-13.7
        The prior of k errors is (1 - r) r^k: the smaller r, the more an error counts relative to a
        leaf. The default was calibrated by the authors of the bound.
    rules : AxisParallel, Hyperplanes, Hypersurfaces, FixedRules, Mixed or None, default=None
        The allowed rules; None allows axis-parallel rules. The bound counts the partitions
        of each family; rules of a ``FixedRules`` must have been chosen independently of the
        examples.
    categories : list of str or int, or None, default=None
        Columns, by name or index, whose values are integer codes without an order: a node
        tests whether a value in one of them equals a code. The bound counts them as nominal
        features.
    implementation : {"native", "spec"}, default="native"
        The fast search, or the enumeration of all trees, for small tables only.
    time_limit : float or None, default=60
        Seconds after which the best tree so far is kept.
    on_progress : callable or None, default=None
        Called with a `Progress` about risk bounds; returning True stops the search.
    verbose : int, default=0
        1 shows the progress: a live line on a terminal or in a notebook, lines on standard error
        elsewhere.

    Attributes
    ----------
    tree_ : Tree
        The fitted tree.
    risk_bound_ : float
        Its risk bound. It is often above 1; then it is no guarantee and only compares trees.
    outcome_ : Outcome
        Status, cost (the risk bound), a lower bound on the risk bound of every tree with at most
        ``max_leaves`` leaves, and statistics.
    curve_ : tuple of bound_optimal.CurveEntry
        The minimum errors and their risk bound for each number of leaves; empty with "spec".
        ``bound_optimal.plot_curve(classifier.curve_)`` draws it.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; in order of first appearance if they cannot be compared.
    n_classes_ : int
        Number of labels.
    n_features_in_ : int
        Number of features seen by `fit`.
    feature_names_in_ : ndarray of shape (`n_features_in_`,)
        Names of the features; defined only if the table has names.
    feature_importances_ : ndarray of shape (`n_features_in_`,)
        Reduction of the errors by each feature, as shares that sum to one.

    Notes
    -----
    Weights must be whole numbers: a row of weight two counts as two examples.

    Examples
    --------
    >>> from exactree import BoundOptimalTreeClassifier
    >>> X = [[i] for i in range(40)]
    >>> y = [i >= 20 for i in range(40)]
    >>> classifier = BoundOptimalTreeClassifier(max_leaves=2).fit(X, y)
    >>> classifier.get_n_leaves(), classifier.outcome_.status.value
    (2, 'optimal')
    """

    risk_bound_: float
    curve_: tuple[CurveEntry, ...]

    def __init__(
        self,
        max_leaves: int = 8,
        *,
        delta: float = 0.05,
        r: float = DEFAULT_R,
        rules: Any = None,
        categories: Any = None,
        implementation: str = "native",
        time_limit: float | None = 60,
        on_progress: Listener | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_leaves = max_leaves
        self.delta = delta
        self.r = r
        self.rules = rules
        self.categories = categories
        self.implementation = implementation
        self.time_limit = time_limit
        self.on_progress = on_progress
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        """Describe the estimator to scikit-learn; two leaves cannot tell three classes apart."""
        tags = super(OptimalTreeClassifier, self).__sklearn_tags__()
        tags.input_tags.string = True
        tags.classifier_tags.poor_score = self.max_leaves in (1, 2)
        return tags

    def _problem(self, X: ArrayLike, labels: Any, sample_weight: ArrayLike | None) -> Problem:
        """Return the problem of the table and the rules."""
        return Problem(X, labels, sample_weight, rules=self.rules, categories=self.categories)

    def _shown_problem(self, problem: Problem) -> None:
        """Return no problem: costs are risk bounds."""

    def _search(self) -> tuple[Callable[..., Outcome], dict[str, Any]]:
        return solve_bound_optimal, {
            "max_leaves": self.max_leaves,
            "delta": self.delta,
            "r": self.r,
            "implementation": self.implementation,
            "time_limit": self.time_limit,
        }

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self.risk_bound_ = float(outcome.cost)
        self.curve_ = outcome.stats.get("curve", ())
