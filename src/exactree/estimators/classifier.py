"""Base class of the classifiers that run a search."""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, Self

from numpy.typing import ArrayLike

from exactree.estimators.base import ExactEstimator
from exactree.estimators.fitted_classifier import FittedClassifier
from exactree.estimators.labels import class_labels, refuse_regression_target
from exactree.objectives import SMOOTHED_TERMS
from exactree.problem import Limits, Problem
from exactree.problem.limits import depth_limit
from exactree.problem.quantities import refuse_list
from exactree.rules import AxisParallel, FixedRules, Hypersurfaces, SurfaceColumn, families_of


class ExactClassifier(FittedClassifier, ExactEstimator):
    """A classifier found by a search, with a proof of its quality."""

    def fit(self, X: ArrayLike, y: Any, sample_weight: ArrayLike | None = None) -> Self:
        """Find the tree or ensemble of minimum cost.

        A fit that raises leaves an earlier fit unchanged, except on Ctrl-C, when the best solution
        so far is kept.

        Parameters
        ----------
        X : array-like or data frame of shape (n_examples, n_features)
            Finite numbers, text or categories; NaN, None and the like are missing values.
        y : array-like of shape (n_examples,)
            Labels of any hashable kind.
        sample_weight : array-like of shape (n_examples,), default=None
            Multiplicities; a row of weight zero is ignored.

        Returns
        -------
        ExactClassifier
            This estimator.

        Raises
        ------
        Infeasible
            If no tree or ensemble meets the limits.
        KeyboardInterrupt
            On Ctrl-C, after the best solution so far was kept.

        Warns
        -----
        NotProvedWarning
            If the search stopped before the proof.
        DataWarning
            If a column is text like an identifier, or text because of few values among numbers, or
            there are more than half as many classes as rows.
        """
        labels = class_labels(y)
        refuse_regression_target(labels)
        return self._fit(self._problem(X, labels, sample_weight))

    def _set_fitted(self, problem: Problem, outcome: Any) -> None:
        super()._set_fitted(problem, outcome)
        self.classes_ = problem.dataset.classes
        self.n_classes_ = len(self.classes_)

    @abstractmethod
    def _problem(self, X: ArrayLike, labels: Any, sample_weight: ArrayLike | None) -> Problem:
        """Return the problem that the parameters describe."""

    def _error_arguments(self) -> dict[str, Any]:
        """Return further arguments of `Problem` that define errors, such as a cost matrix."""
        return {}

    def _problem_of(
        self,
        X: ArrayLike,
        labels: Any,
        sample_weight: ArrayLike | None,
        n_trees: int = 1,
        arguments: Mapping[str, Any] | None = None,
        **limits: Any,
    ) -> Problem:
        """Return the problem of the parameters that all classifiers share.

        `arguments` and `limits` are further arguments of `Problem` and `Limits`.
        """
        refuse_regression_errors(self.minimize)
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
            **self._error_arguments(),
            limits=Limits(
                max_depth=depth_limit(self.max_depth, self.minimize),
                max_size=self.max_size,
                max_errors=self.max_errors,
                min_samples_leaf=self.min_samples_leaf,
                max_leaves_of=self.max_leaves_of,
                **limits,
            ),
            **(arguments or {}),
        )


def minimizes_shares(minimize: Any) -> bool:
    """Return whether the objective depends on the shares in leaves, and thus on their smoothing.

    Parameters
    ----------
    minimize : object
        The user's argument.
    """
    names = minimize if isinstance(minimize, tuple) else (minimize,)
    return any(name in SMOOTHED_TERMS for name in names)


def takes_missing(rules: Any) -> bool:
    """Return whether some feature may have missing values: no surface uses all features.

    Parameters
    ----------
    rules : object
        The user's argument.
    """
    for family in families_of(rules):
        if isinstance(family, Hypersurfaces) and family.features is None:
            return False
        if not isinstance(family, AxisParallel | FixedRules | Hypersurfaces | None):
            return False  # a family of the user
        if isinstance(family, FixedRules):
            fixed_rules = [rule for rule in family.rules if rule.monomials]
            used = {feature for rule in fixed_rules for feature in SurfaceColumn(rule).features}
            if any(len(used) == len(rule.monomials[0]) for rule in fixed_rules):
                return False
    return True


def refuse_regression_errors(minimize: Any) -> None:
    """Refuse errors of a regression in a classifier.

    Parameters
    ----------
    minimize : object
        The user's argument.

    Raises
    ------
    ValueError
        If it names such an error.
    """
    refuse_list(minimize, "minimize")
    names = minimize if isinstance(minimize, tuple) else (minimize,)
    if "squared_error" in names or "absolute_error" in names:
        raise ValueError(f"minimize={minimize!r} is for regression: use OptimalTreeRegressor.")
