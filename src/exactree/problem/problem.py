"""The problem a user states: a table, the allowed rules, what to minimize, the limits.

Length: what is stated and what follows from it are one frozen class, half of it its description.
"""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset, make_dataset
from exactree.data.features import count
from exactree.objectives import (
    ENSEMBLE_OBJECTIVES,
    RATES,
    TERMS_OF_NUMBERS,
    AbsoluteError,
    ClassCosts,
    LeafPrice,
    RateError,
    SquaredError,
)
from exactree.objectives.errors import class_weights, plain
from exactree.objectives.smoothed import Smoothed
from exactree.problem.allowed_rules import all_rules
from exactree.problem.checks import (
    check_class_costs,
    check_demands,
    check_light_leaves,
    check_penalty,
    check_regression,
)
from exactree.problem.class_weight import weigh_classes
from exactree.problem.confusion import positive_class
from exactree.problem.constraints import Constraints, Demands, demands_of
from exactree.problem.cost import Cost, Number
from exactree.problem.cost_matrix import Costs, read_costs, with_room
from exactree.problem.limits import Limits
from exactree.problem.parameters import (
    columns_of_codes,
    exact_number,
    whole_number,
)
from exactree.problem.quantities import error_term, quantity_of, read_quantities
from exactree.problem.terms import Smoothing, Term, rate_of, term_of
from exactree.rules import AxisParallel, RuleFamily
from exactree.trees.shares import checked_smoothing

__all__ = ["Problem"]

_NO_LIMITS = Limits()

Price = int | float | Fraction
FeaturePenalty = Price | Mapping[Any, Price]


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """A table, the allowed rules, what to minimize, and the limits; checked and immutable.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features: numbers, text or categories; NaN, None and the like are missing values.
    y : array-like, shape (n,)
        Labels of any hashable kind; finite numbers when their squared or absolute error is
        minimized.
    sample_weight : array-like, shape (n,), optional
        Non-negative weights, exact when whole; rows of weight zero are dropped.
    rules : AxisParallel, Hyperplanes, Hypersurfaces, FixedRules or Mixed, optional
        The allowed rules, by default `AxisParallel()`; ``features=[...]`` restricts each family
        to some features, and ``Mixed([...])`` allows several families in one tree. As an
        attribute: all rules, those of `categories` among them.
    minimize : str or tuple of str
        Of one tree "errors" (the weight of misclassified examples, or what they cost by a
        `cost_matrix`), "balanced_error" (one less the balanced accuracy), "log_loss" or "gini" (of
        the shares in the leaves, smoothed by `smoothing`), "f1_error", "precision_error" or
        "recall_error" (of two classes: one less F1, precision or recall), "squared_error" or
        "absolute_error" (of a regression: the weighted sums of squared distances from the mean, or
        of distances from the median, of each leaf), "size" or "depth"; of several
        "errors", "total_size", "largest_size", "total_depth" or "largest_depth". A tuple is
        minimized in lexicographic order.
    leaf_penalty : int, float, Decimal or Fraction
        Added to the errors, of whatever kind, for every leaf, times the total weight; at least 0.
        A float is read by its shortest decimal form, so 0.01 is 1/100.
    n_trees : int
        Trees of an ensemble that predicts by most votes, ties to the earlier class; 1 for a tree.
    categories : list of str or int, optional
        Columns, by name or index, whose values are integer codes without an order: their rules are
        "x[feature] == code". As an attribute: their indices, a tuple.
    limits : Limits
        Depth, size, errors, rows per leaf, leaves of a class. `max_errors` is 0 unless stated
        when something else than errors comes first in `minimize`; a regression has no such limit.

    class_weight : mapping of label to number, or "balanced", optional
        Factors on the weights of the rows of each class, 1 where none is stated; a float is read
        by its shortest decimal form. "balanced" gives all classes the same share of the total
        weight: then the errors, divided by the total, are one less the balanced accuracy. Every
        quantity that counts weight counts these.
    monotonic_cst : sequence of int, or mapping of feature to int, optional
        1 for a feature in which the tree must not decrease, -1 for one in which it must not
        increase, 0 for any other, as in scikit-learn: in what is said in `Constraints.monotonic_in`
        of two classes, or in the predicted number of a regression.
    feature_penalty : int, float, Fraction, or mapping of feature to these
        Added to the errors, of whatever kind, for every feature that the tree asks, times the
        total weight, exact as `leaf_penalty`.
    constraints : Constraints, optional
        Which features the tree must ask, may ask only below others, and how many.
    cost_matrix : mapping of label to mapping of label to number, or square array, optional
        What a unit of weight of a true label costs (at least 0) where another, or the same, is
        predicted: ``{true: {predicted: cost}}``, 1 for wrong predictions and 0 for right ones
        where none is stated, or an array by true and predicted classes in their order. It may name
        labels that no example has: they can be predicted. "errors" are then the sum of the costs.
    smoothing : {"laplace"}, float or None
        How the shares in leaves are smoothed where "log_loss" or "gini" is minimized, as in
        `exactree.trees.Tree.predict_proba`.
    positive : label, optional
        The class that rates call positive, by default the last one.

    Attributes
    ----------
    dataset : Dataset
        The checked table; its weights hold the factors of the classes.
    demands : Demands
        Constraints, directions and prices of features, with features by index.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter, column or row and what is allowed.
    """

    dataset: Dataset
    rules: RuleFamily
    categories: tuple[int, ...]
    minimize: str | tuple[str, ...]
    quantities: tuple[str, ...]
    leaf_penalty: Fraction
    n_trees: int
    limits: Limits
    demands: Demands
    costs: Costs | None
    smoothing: Smoothing
    positive: int

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        rules: RuleFamily | None = None,
        minimize: str | tuple[str, ...] = "errors",
        leaf_penalty: int | float | Fraction = 0,
        n_trees: int = 1,
        categories: Iterable[str | int] | None = None,
        limits: Limits = _NO_LIMITS,
        class_weight: Mapping[Any, int | float | Fraction] | str | None = None,
        monotonic_cst: Sequence[int] | Mapping[Any, int] | None = None,
        feature_penalty: FeaturePenalty = 0,
        constraints: Constraints | None = None,
        cost_matrix: Any = None,
        smoothing: Smoothing = None,
        positive: Any = None,
    ) -> None:
        n_trees = whole_number("n_trees", n_trees, 1, "an integer >= 1")
        quantities = read_quantities(minimize, n_trees)
        rules = AxisParallel() if rules is None else rules
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits(...), got {limits!r}.")
        penalty = exact_number("leaf_penalty", leaf_penalty, "a finite number >= 0")
        check_penalty(penalty, quantities, minimize, "minimize")
        term = error_term(quantities)
        regression = term in TERMS_OF_NUMBERS
        if regression:
            check_regression(limits, penalty, minimize, class_weight)
        check_class_costs(limits, quantities, minimize, cost_matrix is not None, n_trees)
        # Only the search for errors of classes counts in integers with the penalty.
        denominator = penalty.denominator if penalty and term == "errors" else None
        kind = {"regression": regression, "with_missing": True, "with_levels": True}
        dataset = make_dataset(X, y, sample_weight, penalty_denominator=denominator, **kind)
        dataset = weigh_classes(dataset, class_weight, denominator)
        dataset, costs = read_costs(dataset, cost_matrix)
        dataset = with_room(dataset, costs, penalty > 0)
        codes = columns_of_codes(categories, dataset.X, dataset.feature_names, dataset.kept)
        codes = tuple(sorted({*codes, *dataset.levels}))
        family = all_rules(dataset, rules, codes)
        asked = (monotonic_cst, feature_penalty, constraints)
        demands = demands_of(dataset, family, regression, *asked)
        check_demands(demands, quantities, n_trees)
        stated = {
            "dataset": dataset,
            "rules": family,
            "categories": codes,
            "minimize": minimize,
            "quantities": quantities,
            "leaf_penalty": penalty,
            "n_trees": n_trees,
            "limits": limits,
            "demands": demands,
            "costs": costs,
            "smoothing": checked_smoothing(smoothing),
            "positive": positive_class(dataset, positive, term in RATES),
        }
        for name, value in stated.items():
            object.__setattr__(self, name, value)
        self.leaf_limits  # noqa: B018  (refuses labels that are not in the table)
        check_light_leaves(self.least_weight, self.rules, n_trees)
        if self.constrained and self.error_term in RATES:
            raise ValueError(
                "monotonic_cst, feature_penalty, constraints, and min_weight_fraction_leaf of rows "
                "that weigh differently, do not go with a rate, which is no sum over leaves: its "
                f"front has no search under constraints; got minimize={minimize!r}."
            )

    def __repr__(self) -> str:
        rows, columns = self.dataset.X.shape
        table = f"{count(rows, 'example')}, {count(columns, 'feature')}"
        classes = count(len(self.dataset.classes), "label" if self.regression else "class")
        rules = "" if self.rules == AxisParallel() else f", rules={self.rules}"
        penalty = f", leaf_penalty={self.leaf_penalty}" if self.leaf_penalty else ""
        trees = f", n_trees={self.n_trees}" if self.n_trees > 1 else ""
        costs = "" if self.costs is None else ", with a cost_matrix"
        smoothed = "" if self.smoothing is None else f", smoothing={self.smoothing!r}"
        demands = f", {self.demands}" if self.demands else ""
        how = f"{rules}{penalty}{costs}{smoothed}{trees}{demands}"
        asked = f"minimize={self.minimize!r}{how}, limits={self.limits}"
        return f"Problem({table}, {classes}, {asked})"

    @cached_property
    def error_term(self) -> str:
        """What kind of errors is minimized, "errors" if none is."""
        return error_term(self.quantities)

    @property
    def regression(self) -> bool:
        """Whether labels are numbers to be predicted, no classes."""
        return self.error_term in TERMS_OF_NUMBERS

    @property
    def plain_errors(self) -> bool:
        """Whether errors are the weight of misclassified examples, which all methods count."""
        return self.error_term == "errors" and self.costs is None

    @property
    def exact_errors(self) -> bool:
        """Whether errors are told as exact fractions, else as the nearest float."""
        return not self.regression and (not isinstance(self.term, ClassCosts) or self.term.exact)

    @cached_property
    def term(self) -> Term:
        """The objective that counts the errors, without leaf prices, in integer weights."""
        return term_of(self.error_term, self.dataset, self.costs, self.smoothing)

    @cached_property
    def min_rows(self) -> int:
        """Rows every leaf must hold: what its limits say, as an absolute number."""
        rows = self.limits.min_rows(len(self.dataset.X))
        if self._weight is None or not self.limits.min_weight_fraction_leaf:
            return rows
        return max(rows, ceil(self._least_weight / self._weight))

    @cached_property
    def _weight(self) -> int | None:
        """The weight of every row, None where rows weigh differently."""
        weights = self.dataset.weights
        return int(weights[0]) if (weights == weights[0]).all() else None

    @cached_property
    def _least_weight(self) -> Fraction:
        return Fraction(str(self.limits.min_weight_fraction_leaf)) * self.dataset.total_weight

    @property
    def least_weight(self) -> int:
        """Weight every leaf must hold, in integer weights; 0 where `min_rows` says it all."""
        return ceil(self._least_weight) if self._weight is None else 0

    @property
    def constrained(self) -> bool:
        """Whether trees must obey more than limits that every method knows, or pay for features."""
        return bool(self.demands) or self.least_weight > 0

    def said(self, part: NDArray[np.int64]) -> Fraction:
        """Return what a leaf says that `monotonic_cst` is about, exactly.

        Parameters
        ----------
        part : ndarray of int64
            The rows that reach the leaf.

        Returns
        -------
        Fraction
            The share of the second of two classes, smoothed where the objective's shares are, the
            index of the predicted class, or the predicted number.
        """
        term = self.term
        if isinstance(term, (SquaredError, AbsoluteError)):
            return term.measured(self.dataset, part)[1]
        return self.said_of(class_weights(self.dataset, part))

    def said_of(self, totals: list[int]) -> Fraction:
        """Return what a leaf of classes says, exactly.

        Parameters
        ----------
        totals : list of int
            The weight of each class in the leaf.
        """
        if not self.demands.in_shares:
            return Fraction(self.predicted(totals))
        term = self.term
        added = term.added if isinstance(term, Smoothed) else (Fraction(0),) * len(totals)
        return (totals[-1] + added[-1]) / (sum(totals) + sum(added, Fraction(0)))

    def predicted(self, totals: list[int]) -> int:
        """Return the class that a leaf predicts: what costs least, ties to the earlier class.

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
    def most_leaves(self) -> int:
        """No tree within the limits has more leaves."""
        depth, size = self.limits.max_depth, self.limits.max_size
        leaves = max(1, len(self.dataset.X) // self.min_rows)
        if size is not None:
            leaves = min(leaves, size + 1)
        if depth is not None and depth < leaves.bit_length():
            leaves = min(leaves, 1 << depth)
        return leaves

    @property
    def most_size(self) -> int | None:
        """Nodes that any one tree may have, None without a limit."""
        stated = (self.limits.max_size, self.limits.max_total_size)
        return min((size for size in stated if size is not None), default=None)

    @cached_property
    def max_errors(self) -> Number | None:
        """The limit on errors in the user's unit: as stated, or 0 when errors do not come first."""
        stated = self.limits.max_errors
        if stated is None:
            return None if not self.plain_errors or self.quantities[0] == "errors" else 0
        return plain(Fraction(stated))

    @cached_property
    def most_errors(self) -> int | None:
        """The limit `max_errors` in units of the integer weights, None without one.

        It is never above the total weight, which no tree exceeds: with tiny weights the limit
        itself can be beyond 64 bits.
        """
        if self.max_errors is None:
            return None
        stated = floor(self.max_errors * self.dataset.weight_scale)
        return min(stated, self.dataset.total_weight)

    @cached_property
    def rate(self) -> RateError | None:
        """The rate of errors of two classes that is minimized, if one is."""
        return rate_of(self.error_term, self.dataset, self.positive)

    @cached_property
    def leaf_limits(self) -> dict[int, int]:
        """The limit `max_leaves_of` by class index; empty without one."""
        labels = self.dataset.classes.tolist()
        stated = self.limits.max_leaves_of or {}
        for label in stated:
            if label not in labels:
                raise ValueError(f"max_leaves_of names {label!r}, which is no label of y.")
        return {labels.index(label): most for label, most in stated.items()}

    @cached_property
    def leaf_price(self) -> LeafPrice:
        """The price of a leaf, exact and in integers for a fast search."""
        return LeafPrice.of(self.exact_leaf_price, self.dataset.total_weight, self.most_leaves)

    @cached_property
    def exact_leaf_price(self) -> Fraction:
        """The price of a leaf in units of the integer weights."""
        return self.leaf_penalty * self.price_unit

    @property
    def price_unit(self) -> int:
        """What a price of 1 for a leaf or a feature is, in units of the integer weights."""
        # A rate is 1 where all is wrong, other errors are up to the whole weight.
        rate = self.error_term in ("balanced_error", *RATES)
        return self.dataset.weight_scale if rate else self.dataset.total_weight

    @property
    def infeasible_reason(self) -> str | None:
        """Why no tree can meet the limits, as far as the limits alone tell; else None."""
        rows = len(self.dataset.X)
        demands = self.demands
        if demands.max_features is not None and len(demands.required) > demands.max_features:
            return f"max_features={demands.max_features} is less than all features in required"
        if self.min_rows <= rows:
            return None
        return (
            f"min_samples_leaf={self.limits.min_samples_leaf} asks for {self.min_rows:,} rows in "
            f"every leaf, but the table has {count(rows, 'row')} of positive weight"
        )

    def minimizing(self, quantities: str | tuple[str, ...]) -> "Problem":
        """Return the same problem with other quantities to minimize.

        Only limits that were stated apply to it: where `max_errors` was 0 because errors did not
        come first, or would become so, there is no limit on errors.

        Parameters
        ----------
        quantities : str or tuple of str
            As `minimize`.
        """
        names = read_quantities(quantities, self.n_trees, "quantities")
        check_penalty(self.leaf_penalty, names, quantities, "quantities")
        if (error_term(names) in TERMS_OF_NUMBERS) != self.regression:
            kind = "numbers" if self.regression else "classes"
            raise ValueError(
                f"quantities={quantities!r} do not go with a problem that minimizes "
                f"{self.minimize!r}: its labels are {kind}."
            )
        limits, costs = self.limits, self.costs is not None
        check_class_costs(limits, names, quantities, costs, self.n_trees)
        positive_class(self.dataset, None, error_term(names) in RATES)
        plain_errors = error_term(names) == "errors" and not costs
        if limits.max_errors is None and plain_errors:
            total = Fraction(self.dataset.total_weight, self.dataset.weight_scale)
            limits = replace(limits, max_errors=total)
        return self._with(minimize=quantities, quantities=names, limits=limits)

    def in_plain_errors(
        self, dataset: Dataset, leaf_penalty: Fraction, limits: Limits
    ) -> "Problem":
        """Return the question about plain errors on other weights, in place of the kind asked.

        Parameters
        ----------
        dataset : Dataset
            The table with these weights.
        leaf_penalty : Fraction
            The price of a leaf there.
        limits : Limits
            In place of the problem's own.
        """
        names = tuple("errors" if name == self.error_term else name for name in self.quantities)
        minimize = names[0] if len(names) == 1 else names
        return self._with(
            dataset=dataset,
            minimize=minimize,
            quantities=names,
            leaf_penalty=leaf_penalty,
            limits=limits,
            costs=None,
        )

    def within(self, limits: Limits) -> "Problem":
        """Return the same problem with other limits.

        Parameters
        ----------
        limits : Limits
            In place of the problem's own; on labels of the table.
        """
        return self._with(limits=limits)

    def with_trees(self, n_trees: int) -> "Problem":
        """Return the same problem for another number of trees.

        Sizes and depths of an ensemble become the size and depth of a tree where there is only
        one, and its size and depth the total ones of an ensemble.

        Parameters
        ----------
        n_trees : int
            At least 1.
        """
        n_trees = whole_number("n_trees", n_trees, 1, "an integer >= 1")
        names = dict.fromkeys(quantity_of(name, n_trees) for name in self.quantities)
        minimize = next(iter(names)) if isinstance(self.minimize, str) else tuple(names)
        return self._with(n_trees=n_trees, minimize=minimize, quantities=tuple(names))

    def of_examples(self, rows: NDArray[np.int64]) -> "Problem":
        """Return the question about some examples: without price of leaves, or demand on them.

        No tree for all examples is smaller, less deep or makes fewer errors than its best tree.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the dataset.
        """
        whole = self.dataset
        some = replace(
            whole,
            X=np.ascontiguousarray(whole.X[rows]),
            labels=whole.labels[rows],
            weights=whole.weights[rows],
            kept=whole.kept[rows],
        )
        limits = replace(
            self.limits, min_samples_leaf=1, min_weight_fraction_leaf=0, max_leaves_of=None
        )
        return self._with(dataset=some, limits=limits, leaf_penalty=Fraction(0))

    def of_part(self, rows: NDArray[np.int64], columns: Sequence[int]) -> "Problem":
        """Return the question about some examples and features without any constraint.

        Prices and the demand on rows are those of the whole table; limits on errors and on leaves
        of classes are not there.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the dataset.
        columns : sequence of int
            Features of it.
        """
        whole = self.dataset
        part = replace(
            whole,
            X=np.ascontiguousarray(whole.X[np.ix_(rows, np.asarray(columns, dtype=np.int64))]),
            labels=whole.labels[rows],
            weights=whole.weights[rows],
            kept=whole.kept[rows],
            feature_names=tuple(whole.feature_names[column] for column in columns),
        )
        limits = Limits(min_samples_leaf=self.min_rows)
        other = self._with(dataset=part, limits=limits, demands=Demands())
        other.__dict__["leaf_price"] = self.leaf_price
        return other

    def _with(self, **changed: Any) -> "Problem":
        other = copy(self)
        for name, kept in vars(Problem).items():
            if isinstance(kept, cached_property):  # what was worked out before
                other.__dict__.pop(name, None)
        for name, value in changed.items():
            object.__setattr__(other, name, value)
        return other

    def cost_of(self, errors: int | Fraction, sizes: Sequence[int], depths: Sequence[int]) -> Cost:
        """Return the cost of a tree or an ensemble as it is told, in units of the user's weights.

        Parameters
        ----------
        errors : int or Fraction
            In units of the integer weights.
        sizes, depths : sequence of int
            Of each tree.

        Returns
        -------
        int, Fraction, float or tuple
            A tuple when `minimize` is one. Exact; errors of a regression, log-loss and Gini
            impurity are the float nearest to the exact ones.
        """
        return self.told(self.exact_cost_of(errors, sizes, depths))

    def told(self, exact: Cost) -> Cost:
        """Return an exact cost as it is told: of some kinds errors are the nearest float.

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
            A tuple when `minimize` is one.
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
