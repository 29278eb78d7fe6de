"""The fields of a problem and the properties derived from them."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.data.parameters import count
from exactree.errors import MethodRefused
from exactree.objectives import (
    ENSEMBLE_OBJECTIVES,
    RATES,
    REGRESSION_TERMS,
    AbsoluteError,
    ClassCosts,
    LeafPrice,
    RateError,
    SquaredError,
)
from exactree.objectives.errors import plain, weight_by_class
from exactree.objectives.smoothed import Smoothed
from exactree.problem.constraints import FeatureConstraints
from exactree.problem.cost_matrix import Costs
from exactree.problem.limits import Limits
from exactree.problem.quantities import Cost, Number, error_term
from exactree.problem.terms import Smoothing, Term, rate_of, term_of
from exactree.rules import RuleFamily

__all__ = ["ProblemProperties"]


@dataclass(frozen=True, eq=False, init=False)
class ProblemProperties:
    """The fields of a problem and derived properties; `Problem` reads them from user input."""

    dataset: Dataset
    rules: RuleFamily
    categories: tuple[int, ...]
    minimize: str | tuple[str, ...]
    quantities: tuple[str, ...]
    leaf_penalty: Fraction
    n_trees: int
    limits: Limits
    feature_constraints: FeatureConstraints
    costs: Costs | None
    smoothing: Smoothing
    positive: int

    @cached_property
    def error_term(self) -> str:
        """The kind of errors that is minimized, "errors" if none is."""
        return error_term(self.quantities)

    @property
    def regression(self) -> bool:
        """Whether labels are numbers (a regression)."""
        return self.error_term in REGRESSION_TERMS

    @property
    def cost_names(self) -> tuple[str, ...]:
        """The quantity of each component of the cost; "cost" for errors with costs or prices."""
        priced = self.leaf_penalty or self.feature_constraints.prices or self.costs is not None
        return tuple(
            "cost" if priced and name == self.error_term else name for name in self.quantities
        )

    @property
    def plain_errors(self) -> bool:
        """Whether errors are the weight of misclassified examples, which every method supports."""
        return self.error_term == "errors" and self.costs is None

    @property
    def exact_errors(self) -> bool:
        """Whether errors are reported as exact fractions, else as the nearest float."""
        return not self.regression and (not isinstance(self.term, ClassCosts) or self.term.exact)

    @cached_property
    def term(self) -> Term:
        """The objective that counts the errors, without leaf prices, in integer weights."""
        return term_of(self.error_term, self.dataset, self.costs, self.smoothing)

    @cached_property
    def min_rows(self) -> int:
        """The minimum leaf size as a number of rows."""
        rows = self.limits.min_rows(len(self.dataset.X))
        if self._common_weight is None or not self.limits.min_weight_fraction_leaf:
            return rows
        return max(rows, ceil(self._exact_min_leaf_weight / self._common_weight))

    @cached_property
    def _common_weight(self) -> int | None:
        """The weight of every row, None if rows weigh differently."""
        weights = self.dataset.weights
        return int(weights[0]) if (weights == weights[0]).all() else None

    @cached_property
    def _exact_min_leaf_weight(self) -> Fraction:
        return Fraction(str(self.limits.min_weight_fraction_leaf)) * self.dataset.total_weight

    @property
    def min_leaf_weight(self) -> int:
        """The minimum leaf weight in integer weights; 0 if `min_rows` expresses this limit."""
        return ceil(self._exact_min_leaf_weight) if self._common_weight is None else 0

    def may_be_leaf(self, subset: Sequence[int] | NDArray[np.int64]) -> bool:
        """Return whether a leaf may hold these rows only: enough rows, and enough weight.

        Parameters
        ----------
        subset : sequence of int
            The rows.
        """
        if len(subset) < self.min_rows:
            return False
        least = self.min_leaf_weight
        return not least or int(self.dataset.weights[list(subset)].sum()) >= least

    @property
    def constrained(self) -> bool:
        """Whether there are constraints beyond the limits of all methods, or prices of features."""
        return bool(self.feature_constraints) or self.min_leaf_weight > 0

    def leaf_value(self, subset: NDArray[np.int64]) -> Fraction:
        """Return the exact value of a leaf to which `monotonic_cst` applies.

        Parameters
        ----------
        subset : ndarray of int64
            The rows that reach the leaf.

        Returns
        -------
        Fraction
            The share of the second of two classes (smoothed if the objective smooths shares), the
            index of the predicted class, or the predicted value of a regression.
        """
        term = self.term
        if isinstance(term, (SquaredError, AbsoluteError)):
            return term.measured(self.dataset, subset)[1]
        return self.class_leaf_value(weight_by_class(self.dataset, subset))

    def class_leaf_value(self, totals: list[int]) -> Fraction:
        """Return the exact value of a leaf of a classification tree, as `leaf_value` does.

        Parameters
        ----------
        totals : list of int
            The weight of each class in the leaf.
        """
        if not self.feature_constraints.in_shares:
            return Fraction(self.predicted(totals))
        term = self.term
        added = term.added if isinstance(term, Smoothed) else (Fraction(0),) * len(totals)
        return (totals[-1] + added[-1]) / (sum(totals) + sum(added, Fraction(0)))

    def predicted(self, totals: list[int]) -> int:
        """Return the class that a leaf predicts: the cheapest, ties to the earlier class.

        Parameters
        ----------
        totals : list of int
            The weight of each class in the leaf.
        """
        term = self.term
        if isinstance(term, ClassCosts):
            return term.predicted_class(totals)
        return totals.index(max(totals))

    @property
    def max_leaves(self) -> int:
        """An upper bound on the leaves of a tree within the limits."""
        depth, size = self.limits.max_depth, self.limits.max_size
        leaves = max(1, len(self.dataset.X) // self.min_rows)
        if size is not None:
            leaves = min(leaves, size + 1)
        if depth is not None and depth < leaves.bit_length():
            leaves = min(leaves, 1 << depth)
        return leaves

    @property
    def max_tree_size(self) -> int | None:
        """The maximum number of inner nodes of a tree, None without a limit."""
        limits = (self.limits.max_size, self.limits.max_total_size)
        return min((size for size in limits if size is not None), default=None)

    @cached_property
    def max_errors(self) -> Number | None:
        """The limit on errors in the user's unit: as given, or 0 when errors do not come first."""
        max_errors = self.limits.max_errors
        if max_errors is None:
            return None if not self.plain_errors or self.quantities[0] == "errors" else 0
        return plain(Fraction(max_errors))

    @cached_property
    def max_error_weight(self) -> int | None:
        """The limit `max_errors` in units of the integer weights, None without a limit.

        It is never above the total weight, which no tree exceeds: without this cap the limit could
        exceed 64 bits where weights are tiny.
        """
        if self.max_errors is None:
            return None
        limit = floor(self.max_errors * self.dataset.weight_scale)
        return min(limit, self.dataset.total_weight)

    @cached_property
    def rate(self) -> RateError | None:
        """The minimized rate of errors of two classes, None if no rate is minimized."""
        return rate_of(self.error_term, self.dataset, self.positive)

    @cached_property
    def leaf_limits(self) -> dict[int, int]:
        """The limit `max_leaves_of` by class index; limits that no tree can exceed are left out."""
        limits = self.limits.max_leaves_of
        if limits is None:
            return {}
        labels = self.dataset.classes.tolist()
        if isinstance(limits, int):
            raise MethodRefused(
                f"max_leaves_of={limits}, an integer, is for solve, fronts, lists of optimal "
                "solutions and the tree classifiers; name the class, as in "
                "max_leaves_of={label: count}."
            )
        for label in limits:
            if label not in labels:
                raise ValueError(f"max_leaves_of names {label!r}, which is not a label of y.")
        # Every leaf holds a row, so a limit of at least the number of rows has no effect. Searches
        # distribute the limit between the two children in one way for each allowed leaf, so a limit
        # of billions must not reach them.
        rows = len(self.dataset.X)
        return {labels.index(label): limit for label, limit in limits.items() if limit < rows}

    @property
    def limits_any_class(self) -> bool:
        """Whether `max_leaves_of` is a number, which limits at least one class."""
        return isinstance(self.limits.max_leaves_of, int)

    @property
    def counted_classes(self) -> tuple[int, ...]:
        """The classes whose leaves decide whether a tree keeps `max_leaves_of`, by index."""
        limit = self.limits.max_leaves_of
        if not isinstance(limit, int):
            return tuple(self.leaf_limits)
        return tuple(range(len(self.dataset.classes))) if limit < len(self.dataset.X) else ()

    def keeps_leaf_limits(self, *of_trees: Sequence[int]) -> bool:
        """Return whether a tree, or the trees of an ensemble, keep `max_leaves_of`.

        A number limits any one class, which is the same class in all trees of an ensemble.

        Parameters
        ----------
        *of_trees : sequence of int
            Of each tree, the number of leaves that predict each of the `counted_classes`.
        """
        most = [max(leaves) for leaves in zip(*of_trees, strict=True)]
        limit = self.limits.max_leaves_of
        if isinstance(limit, int):
            return not most or min(most) <= limit
        return all(n <= own for n, own in zip(most, self.leaf_limits.values(), strict=True))

    @cached_property
    def leaf_price(self) -> LeafPrice:
        """The price of a leaf, exact and in integers for a fast search."""
        return LeafPrice.of(self.exact_leaf_price, self.dataset.total_weight, self.max_leaves)

    @cached_property
    def exact_leaf_price(self) -> Fraction:
        """The price of a leaf in units of the integer weights."""
        return self.leaf_penalty * self.price_unit

    @property
    def price_unit(self) -> int:
        """A price of 1 for a leaf or a feature, in units of the integer weights."""
        # Rates and the balanced error are at most 1; other errors are in units of weight.
        rate = self.error_term in ("balanced_error", *RATES)
        return self.dataset.weight_scale if rate else self.dataset.total_weight

    @property
    def infeasible_reason(self) -> str | None:
        """The reason why the limits are infeasible if they alone are contradictory; else None."""
        rows = len(self.dataset.X)
        feature_constraints = self.feature_constraints
        if (
            feature_constraints.max_features is not None
            and len(feature_constraints.required) > feature_constraints.max_features
        ):
            return (
                f"max_features={feature_constraints.max_features} is less than the number of "
                f"required features"
            )
        if self.min_rows <= rows:
            return None
        return (
            f"min_samples_leaf={self.limits.min_samples_leaf} requires {self.min_rows:,} rows in "
            f"every leaf, but the table has {count(rows, 'row')} of positive weight"
        )

    def cost_of(self, errors: int | Fraction, sizes: Sequence[int], depths: Sequence[int]) -> Cost:
        """Return the reported cost of a tree or an ensemble, in units of the user's weights.

        Parameters
        ----------
        errors, sizes, depths
            As in `exact_cost_of`.

        Returns
        -------
        int, Fraction, float or tuple
            A tuple if `minimize` is a tuple. Exact, except that errors of a regression, log-loss
            and Gini impurity are the floats nearest to the exact values.
        """
        return self.reported_cost(self.exact_cost_of(errors, sizes, depths))

    def reported_cost(self, exact: Cost) -> Cost:
        """Return the reported form of an exact cost: some kinds of errors become floats.

        Parameters
        ----------
        exact : int, Fraction or tuple
            The cost.
        """
        if self.exact_errors:
            return exact
        if not isinstance(exact, tuple):
            return float(exact)
        pairs = zip(self.quantities, exact, strict=True)
        return tuple(float(x) if name == self.error_term else x for name, x in pairs)

    def exact_cost_of(
        self, errors: int | Fraction, sizes: Sequence[int], depths: Sequence[int]
    ) -> Cost:
        """Return the exact cost of a tree or an ensemble, in units of the user's weights.

        Parameters
        ----------
        errors : int or Fraction
            In units of the integer weights.
        sizes, depths : sequence of int
            Of each tree.

        Returns
        -------
        int, Fraction or tuple
            A tuple if `minimize` is a tuple.
        """
        counted = (self._counted(name, errors, sizes, depths) for name in self.quantities)
        return next(counted) if isinstance(self.minimize, str) else tuple(counted)

    def _counted(
        self, name: str, errors: int | Fraction, sizes: Sequence[int], depths: Sequence[int]
    ) -> Number:
        if name == self.error_term:
            leaves = sum(sizes) + len(sizes)
            return (self.rate or self.term).value(errors + self.exact_leaf_price * leaves)
        if self.n_trees == 1:
            return sizes[0] if name == "size" else depths[0]
        objective = ENSEMBLE_OBJECTIVES[name]
        return objective.together(sizes if objective.of == "size" else depths)
