"""What the classifiers that search share: labels of any kind in, what has least cost out."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import ArrayLike

from exactree.data.features import shown
from exactree.estimators.base import ExactEstimator
from exactree.estimators.fitted_classifier import FittedClassifier
from exactree.estimators.labels import class_labels, refuse_regression_target
from exactree.objectives import ERROR_TERMS, RATES
from exactree.problem import Limits, Problem
from exactree.rules import FixedRules, Hypersurfaces, SurfaceColumn, families_of
from exactree.stopping import Interruptible

AUTO_DEPTH = 3  # a first call answers while the user waits


class ExactClassifier(FittedClassifier, ExactEstimator):
    """A classifier that a search has found, with the proof how good it is."""

    def fit(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find what has least cost.

        A fit that raises leaves an earlier fit as it was, except on Ctrl-C, when the best so far
        is kept.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            Finite numbers, text or categories; NaN, None and the like are missing values.
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
        with Interruptible():
            outcome = self._answer(problem)
            self._keep(problem, outcome)
        return self

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self.classes_ = problem.dataset.classes
        self.n_classes_ = len(self.classes_)

    @abstractmethod
    def _problem(self, X: ArrayLike, labels: Any, sample_weight: ArrayLike | None) -> Problem:
        """State the problem that the parameters describe."""

    def _errors(self) -> dict[str, Any]:
        """Return what else than their weight says how bad errors are; of some classifiers."""
        return {}

    def _stated(
        self,
        X: ArrayLike,
        labels: Any,
        sample_weight: ArrayLike | None,
        n_trees: int = 1,
        demanded: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> Problem:
        """State the problem of the parameters all classifiers have, with more that is demanded."""
        refuse_numbers(self.minimize)
        return Problem(
            X,
            labels,
            sample_weight,
            rules=self.rules,
            minimize=self.minimize,
            leaf_penalty=self.leaf_penalty,
            n_trees=n_trees,
            categories=self.categories,
            class_weight=self.class_weight,
            **self._errors(),
            limits=Limits(
                max_depth=depth_limit(self.max_depth, self.minimize),
                max_size=self.max_size,
                max_errors=self.max_errors,
                min_samples_leaf=self.min_samples_leaf,
                max_leaves_of=self.max_leaves_of,
                **limits,
            ),
            **(demanded or {}),
        )


def minimizes_shares(minimize: Any) -> bool:
    """Tell whether what is minimized minds the shares in leaves, and so how they are smoothed.

    Parameters
    ----------
    minimize : object
        What the user gave.
    """
    names = minimize if isinstance(minimize, tuple) else (minimize,)
    return "log_loss" in names or "gini" in names


def takes_missing(rules: Any) -> bool:
    """Tell whether values of some feature may be missing: no surface depends on all of them.

    Parameters
    ----------
    rules : object
        What the user gave.
    """
    for family in families_of(rules):
        if isinstance(family, Hypersurfaces) and family.features is None:
            return False
        if isinstance(family, FixedRules):
            rules_of = [rule for rule in family.rules if rule.monomials]
            used = {feature for rule in rules_of for feature in SurfaceColumn(rule).features}
            if any(len(used) == len(rule.monomials[0]) for rule in rules_of):
                return False
    return True


def refuse_numbers(minimize: Any) -> None:
    """Refuse errors of a regression, whose labels are no classes.

    Parameters
    ----------
    minimize : object
        What the user gave.

    Raises
    ------
    ValueError
        If it names such an error.
    """
    names = minimize if isinstance(minimize, tuple) else (minimize,)
    if "squared_error" in names or "absolute_error" in names:
        raise ValueError(
            f"minimize={minimize!r} is for numbers, not for classes: use OptimalTreeRegressor."
        )


def depth_limit(max_depth: int | str | None, minimize: Any) -> int | None:
    """Return the limit on depth that a parameter of an estimator states.

    Parameters
    ----------
    max_depth : int, None or "auto"
        "auto" is 3 when errors, of whatever kind, come first, else no limit.
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
        raise ValueError(f'max_depth must be "auto", None or an integer, got {shown(max_depth)}.')
    first = minimize[0] if isinstance(minimize, tuple) and minimize else minimize
    return AUTO_DEPTH if first in (*ERROR_TERMS, *RATES) else None
