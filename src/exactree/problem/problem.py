"""`Problem`: reads and checks a problem, and derives problems with other fields."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset, make_dataset
from exactree.data.parameters import count, shown
from exactree.names import answers_unknown_names
from exactree.notebook import paragraph
from exactree.objectives import RATES, REGRESSION_TERMS
from exactree.problem.allowed_rules import all_rules
from exactree.problem.checks import (
    check_class_costs,
    check_feature_prices,
    check_penalty,
    check_rate,
    check_regression,
)
from exactree.problem.class_weight import weigh_classes
from exactree.problem.confusion import positive_class
from exactree.problem.constraints import Constraints, FeatureConstraints, read_feature_constraints
from exactree.problem.cost_matrix import Costs, read_costs, with_room_for_costs
from exactree.problem.limits import Limits
from exactree.problem.parameters import columns_of_codes, exact_number, number_of_trees
from exactree.problem.properties import ProblemProperties
from exactree.problem.quantities import error_term, quantity_of, read_quantities
from exactree.problem.terms import Smoothing
from exactree.rules import AxisParallel, RuleFamily
from exactree.trees.shares import checked_smoothing

__all__ = ["Problem"]

_NO_LIMITS = Limits()

Price = int | float | Fraction
FeaturePenalty = Price | Mapping[Any, Price]


@answers_unknown_names
@dataclass(frozen=True, eq=False, init=False)
class Problem(ProblemProperties):
    """A table, the allowed rules, an objective and limits; checked and immutable.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features: numbers, text or categories; NaN, None and the like are missing values.
    y : array-like, shape (n,)
        Labels of any hashable kind; finite numbers when their squared or absolute error is
        minimized.
    sample_weight : array-like, shape (n,), optional
        Non-negative weights, exact when whole; rows of weight zero are dropped.
    rules : AxisParallel, Hyperplanes, Hypersurfaces, FixedRules, Mixed or RuleFamily, optional
        The allowed rules, by default `AxisParallel()`; ``features=[...]`` restricts each family
        to some features, and ``Mixed([...])`` allows several families in one tree. A family of
        your own is asked for its columns on the table. As an attribute: all rules, including
        those of `categories`.
    minimize : str or tuple of str
        For one tree "errors" (the weight of misclassified examples, or their cost by
        `cost_matrix`), "balanced_error" (1 - balanced accuracy), "log_loss" or "gini" (of
        the shares in the leaves, smoothed by `smoothing`), "f1_error", "precision_error" or
        "recall_error" (for two classes: 1 - F1, 1 - precision or 1 - recall), "squared_error" or
        "absolute_error" (for regression: the weighted sum of squared distances from the mean, or
        of distances from the median, of each leaf), "size" or "depth". For an ensemble
        "errors", "total_size", "largest_size", "total_depth" or "largest_depth", and on small
        tables the three rates of two classes. A tuple is minimized in lexicographic order.
    leaf_penalty : int, float, Decimal or Fraction
        The price of a leaf as a share of the total weight, at least 0; it is added to errors of
        any kind. A float is read by its shortest decimal form, so 0.01 is 1/100.
    n_trees : int
        Trees of an ensemble that predicts by majority vote, ties to the earlier class; 1 for a
        single tree, at most 1,000.
    categories : list of str or int, optional
        Columns, by name or index, whose values are integer codes without an order: their rules are
        "x[feature] == code". As an attribute: their indices, a tuple.
    limits : Limits
        Limits on depth, size, errors, leaf size and leaves of a class. If errors do not come
        first in `minimize`, `max_errors` is 0 by default; errors of other kinds than "errors"
        without a cost matrix have no limit.
    class_weight : mapping of label to number, or "balanced", optional
        Factors on the weights of the rows of each class, by default 1; a float is read by its
        shortest decimal form. "balanced" gives all classes the same share of the total weight:
        then the errors, divided by the total, are 1 - balanced accuracy. All quantities and
        limits in units of weight use the weights with these factors.
    monotonic_cst : sequence of int, or mapping of feature to int, optional
        1 for a feature in which the tree must not decrease, -1 for a feature in which it must not
        increase, 0 for any other, as in scikit-learn. It applies to the quantity named by
        `Constraints.monotonic_in` for two classes, and to the predicted value of a regression.
    feature_penalty : int, float, Fraction, or mapping of feature to these
        The price of every feature that the tree uses, as a share of the total weight; it is added
        to errors of any kind and read exactly, as `leaf_penalty` is. An ensemble pays once for a
        feature, however many trees use it.
    constraints : Constraints, optional
        Features that the tree must use or may use only below others, and the maximum number of
        features.
    cost_matrix : mapping of label to mapping of label to number, or square array, optional
        The cost, at least 0, of predicting a label for a unit of weight of a true label:
        ``{true: {predicted: cost}}``, by default 1 for wrong and 0 for right predictions, or
        an array by true and predicted classes in their order. It may name labels that no example
        has; trees may predict them. "errors" are then the sum of the costs.
    smoothing : {"laplace"}, float or None
        Smoothing of the shares in leaves if "log_loss" or "gini" is minimized, as in
        `exactree.trees.Tree.predict_proba`.
    positive : label, optional
        The positive class of rates, by default the last class.

    Attributes
    ----------
    dataset : Dataset
        The checked table; its weights include the factors of the classes.
    feature_constraints : FeatureConstraints
        Constraints, directions and prices of features, with features by index.

    Raises
    ------
    ValueError, TypeError
        If an argument is invalid; one sentence names the parameter, column or row.
    """

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
        n_trees = number_of_trees(n_trees)
        quantities = read_quantities(minimize, n_trees)
        rules = AxisParallel() if rules is None else rules
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits(max_depth=...), got {shown(limits)}.")
        penalty = exact_number("leaf_penalty", leaf_penalty, "a finite number >= 0")
        check_penalty(penalty, quantities, minimize, "minimize")
        term = error_term(quantities)
        regression = term in REGRESSION_TERMS
        if regression:
            check_regression(limits, minimize, class_weight)
        check_class_costs(limits, quantities, minimize, cost_matrix is not None, n_trees)
        # Only searches for "errors" add leaf prices as integers, which bounds the weights.
        denominator = penalty.denominator if penalty and term == "errors" else None
        kind = {"regression": regression, "with_missing": True, "with_levels": True}
        dataset = make_dataset(X, y, sample_weight, penalty_denominator=denominator, **kind)
        dataset = weigh_classes(dataset, class_weight, denominator)
        dataset, costs = read_costs(dataset, cost_matrix)
        dataset = with_room_for_costs(dataset, costs, penalty > 0)
        codes = columns_of_codes(categories, dataset.X, dataset.feature_names, dataset.kept)
        category_columns = tuple(sorted({*codes, *dataset.levels}))
        family = all_rules(dataset, rules, category_columns)
        feature_arguments = (monotonic_cst, feature_penalty, constraints)
        feature_constraints = read_feature_constraints(
            dataset, family, regression, *feature_arguments
        )
        check_feature_prices(feature_constraints, quantities)
        values = {
            "dataset": dataset,
            "rules": family,
            "categories": category_columns,
            "minimize": minimize,
            "quantities": quantities,
            "leaf_penalty": penalty,
            "n_trees": n_trees,
            "limits": limits,
            "feature_constraints": feature_constraints,
            "costs": costs,
            "smoothing": checked_smoothing(smoothing),
            "positive": positive_class(dataset, positive, term in RATES),
        }
        for name, value in values.items():
            object.__setattr__(self, name, value)
        if not isinstance(self.limits.max_leaves_of, int):
            self.leaf_limits  # noqa: B018  (refuses labels that are not in the table)
        check_rate(feature_constraints, quantities, n_trees, minimize, "minimize")

    def __repr__(self) -> str:
        rows, columns = self.dataset.X.shape
        table = f"{count(rows, 'example')}, {count(columns, 'feature')}"
        classes = count(len(self.dataset.classes), "label" if self.regression else "class")
        rules = "" if self.rules == AxisParallel() else f", rules={self.rules}"
        penalty = f", leaf_penalty={self.leaf_penalty}" if self.leaf_penalty else ""
        trees = f", n_trees={self.n_trees}" if self.n_trees > 1 else ""
        costs = "" if self.costs is None else ", with a cost_matrix"
        smoothed = "" if self.smoothing is None else f", smoothing={self.smoothing!r}"
        feature_constraints = f", {self.feature_constraints}" if self.feature_constraints else ""
        options = f"{rules}{penalty}{costs}{smoothed}{trees}{feature_constraints}"
        arguments = f"minimize={self.minimize!r}{options}, limits={self.limits}"
        return f"Problem({table}, {classes}, {arguments})"

    def _repr_html_(self) -> str:
        return paragraph(repr(self))

    def minimizing(self, quantities: str | tuple[str, ...]) -> "Problem":
        """Return the same problem with other quantities to minimize.

        Only the limits that the user set are kept: an unset `max_errors` means no limit, and its
        default 0 does not apply if errors do not come first.

        Parameters
        ----------
        quantities : str or tuple of str
            As `minimize`.
        """
        names = read_quantities(quantities, self.n_trees, "quantities")
        check_penalty(self.leaf_penalty, names, quantities, "quantities")
        if (error_term(names) in REGRESSION_TERMS) != self.regression:
            kind = "a regression" if self.regression else "a classification"
            raise ValueError(
                f"quantities={quantities!r} do not go with {kind}, which minimizes "
                f"{self.minimize!r}."
            )
        limits, costs = self.limits, self.costs is not None
        check_class_costs(limits, names, quantities, costs, self.n_trees)
        positive_class(self.dataset, None, error_term(names) in RATES)
        check_rate(self.feature_constraints, names, self.n_trees, quantities, "quantities")
        plain_errors = error_term(names) == "errors" and not costs
        if limits.max_errors is None and plain_errors:
            total = Fraction(self.dataset.total_weight, self.dataset.weight_scale)
            limits = replace(limits, max_errors=total)
        return self._with(minimize=quantities, quantities=names, limits=limits)

    def with_plain_errors(
        self, dataset: Dataset, leaf_penalty: Fraction, limits: Limits
    ) -> "Problem":
        """Return the problem with plain errors on other weights instead of its kind of errors.

        `min_weight_fraction_leaf` is a share of the problem's own weight: it becomes a number of
        rows before the weights change. If rows weigh differently it is a constraint that no
        search for plain errors supports; the result is then a relaxation.

        Parameters
        ----------
        dataset : Dataset
            The table with these weights.
        leaf_penalty : Fraction
            The price of a leaf there.
        limits : Limits
            In place of the problem's own, with the same minimum leaf size.
        """
        names = tuple("errors" if name == self.error_term else name for name in self.quantities)
        minimize = names[0] if len(names) == 1 else names
        return self._with(
            dataset=dataset,
            minimize=minimize,
            quantities=names,
            leaf_penalty=leaf_penalty,
            limits=replace(limits, min_samples_leaf=self.min_rows, min_weight_fraction_leaf=0),
            costs=None,
        )

    def with_costs(self, costs: Costs, limits: Limits) -> "Problem":
        """Return the problem that minimizes costs of errors instead of a rate, without leaf prices.

        Parameters
        ----------
        costs : tuple of tuple of Fraction
            By true and by predicted class.
        limits : Limits
            In place of the problem's own.
        """
        return self._with(
            minimize="errors",
            quantities=("errors",),
            leaf_penalty=Fraction(0),
            limits=limits,
            costs=costs,
        )

    def in_columns(self, dataset: Dataset) -> "Problem":
        """Return the same problem with thresholds on other columns, without feature constraints.

        Parameters
        ----------
        dataset : Dataset
            The same rows with these columns. Feature constraints are dropped because columns are
            not features; a search under such constraints uses the original problem.
        """
        free = FeatureConstraints()
        rules = AxisParallel()
        return self._with(dataset=dataset, rules=rules, categories=(), feature_constraints=free)

    def within(self, limits: Limits) -> "Problem":
        """Return the same problem with other limits.

        Parameters
        ----------
        limits : Limits
            The limits that replace the problem's own; labels in them are labels of the table.
        """
        return self._with(limits=limits)

    def with_errors_alone(self) -> "Problem":
        """Return the problem that minimizes the errors alone, within the limits of this problem.

        Its limits include the default 0 of `max_errors` where other quantities come first.
        """
        limits = replace(self.limits, max_errors=self.max_errors)
        return self._with(minimize=self.error_term, quantities=(self.error_term,), limits=limits)

    def with_leaf_penalty(self, leaf_penalty: Fraction) -> "Problem":
        """Return the same problem with another price of a leaf.

        Parameters
        ----------
        leaf_penalty : Fraction
            The price, as a share of the total weight.
        """
        return self._with(leaf_penalty=leaf_penalty)

    def with_rules(self, rules: RuleFamily) -> "Problem":
        """Return the same problem with other rules on the same features.

        Parameters
        ----------
        rules : RuleFamily
            The families of rules, which refer to features by index.
        """
        return self._with(rules=rules)

    def with_trees(self, n_trees: int) -> "Problem":
        """Return the same problem for another number of trees.

        Sizes and depths of an ensemble become the size and depth of a single tree; the size and
        depth of a single tree become the total size and total depth of an ensemble.

        Parameters
        ----------
        n_trees : int
            At least 1.
        """
        n_trees = number_of_trees(n_trees)
        names = dict.fromkeys(quantity_of(name, n_trees) for name in self.quantities)
        minimize = next(iter(names)) if isinstance(self.minimize, str) else tuple(names)
        return self._with(n_trees=n_trees, minimize=minimize, quantities=tuple(names))

    def relaxed_to_examples(self, rows: NDArray[np.int64]) -> "Problem":
        """Return the problem on some examples, without a leaf penalty or limits on leaves.

        It is a relaxation: its minimum size, depth and errors are lower bounds on those of trees
        for all examples.

        Parameters
        ----------
        rows : ndarray of int64
            Rows of the dataset.
        """
        limits = replace(
            self.limits, min_samples_leaf=1, min_weight_fraction_leaf=0, max_leaves_of=None
        )
        subset = self.dataset.subset(rows)
        return self._with(dataset=subset, limits=limits, leaf_penalty=Fraction(0))

    def _with(self, **changed: Any) -> "Problem":
        other = copy(self)
        own_fields = {field.name for field in fields(self)}
        for name in set(vars(self)) - own_fields:  # cached properties of the old fields
            del other.__dict__[name]
        for name, value in changed.items():
            object.__setattr__(other, name, value)
        return other
