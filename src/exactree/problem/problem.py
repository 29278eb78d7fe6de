"""The problem a user states: a table, the allowed rules, what to minimize, the limits."""

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset, make_dataset
from exactree.data.features import count
from exactree.objectives import (
    ENSEMBLE_OBJECTIVES,
    ERROR_TERMS,
    AbsoluteError,
    Errors,
    LeafPrice,
    SquaredError,
)
from exactree.objectives.errors import plain
from exactree.problem.allowed_rules import all_rules
from exactree.problem.checks import check_penalty, check_regression
from exactree.problem.class_weight import weigh_classes
from exactree.problem.cost import Cost, Number
from exactree.problem.limits import Limits
from exactree.problem.parameters import (
    columns_of_codes,
    exact_number,
    whole_number,
)
from exactree.problem.quantities import error_term, quantity_of, read_quantities
from exactree.rules import AxisParallel, RuleFamily

__all__ = ["Problem"]

_NO_LIMITS = Limits()


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
        Of one tree "errors" (the weight of misclassified examples), "squared_error" or
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

    Attributes
    ----------
    dataset : Dataset
        The checked table; its weights hold the factors of the classes.

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
    ) -> None:
        n_trees = whole_number("n_trees", n_trees, 1, "an integer >= 1")
        quantities = read_quantities(minimize, n_trees)
        rules = AxisParallel() if rules is None else rules
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits(...), got {limits!r}.")
        penalty = exact_number("leaf_penalty", leaf_penalty, "a finite number >= 0")
        check_penalty(penalty, quantities, minimize, "minimize")
        regression = error_term(quantities) != "errors"
        if regression:
            check_regression(limits, penalty, minimize, class_weight)
        # Only the search for errors of classes counts in integers with the penalty.
        denominator = penalty.denominator if penalty and not regression else None
        kind = {"regression": regression, "with_missing": True, "with_levels": True}
        dataset = make_dataset(X, y, sample_weight, penalty_denominator=denominator, **kind)
        dataset = weigh_classes(dataset, class_weight, denominator)
        codes = columns_of_codes(categories, dataset.X, dataset.feature_names, dataset.kept)
        codes = tuple(sorted({*codes, *dataset.levels}))
        stated = {
            "dataset": dataset,
            "rules": all_rules(dataset, rules, codes),
            "categories": codes,
            "minimize": minimize,
            "quantities": quantities,
            "leaf_penalty": penalty,
            "n_trees": n_trees,
            "limits": limits,
        }
        for name, value in stated.items():
            object.__setattr__(self, name, value)
        self.leaf_limits  # noqa: B018  (refuses labels that are not in the table)

    def __repr__(self) -> str:
        rows, columns = self.dataset.X.shape
        table = f"{count(rows, 'example')}, {count(columns, 'feature')}"
        classes = count(len(self.dataset.classes), "label" if self.regression else "class")
        rules = "" if self.rules == AxisParallel() else f", rules={self.rules}"
        penalty = f", leaf_penalty={self.leaf_penalty}" if self.leaf_penalty else ""
        trees = f", n_trees={self.n_trees}" if self.n_trees > 1 else ""
        asked = f"minimize={self.minimize!r}{rules}{penalty}{trees}, limits={self.limits}"
        return f"Problem({table}, {classes}, {asked})"

    @cached_property
    def error_term(self) -> str:
        """What errors are: "errors" of classes, or "squared_error", or "absolute_error"."""
        return error_term(self.quantities)

    @property
    def regression(self) -> bool:
        """Whether labels are numbers to be predicted, no classes."""
        return self.error_term != "errors"

    @property
    def term(self) -> Errors | SquaredError | AbsoluteError:
        """The objective that counts the errors, without leaf prices, in integer weights."""
        return ERROR_TERMS[self.error_term]()

    @property
    def min_rows(self) -> int:
        """Rows every leaf must hold: `min_samples_leaf` as an absolute number."""
        return self.limits.min_rows(len(self.dataset.X))

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

    @property
    def max_errors(self) -> Number | None:
        """The limit on errors in the user's unit: as stated, or 0 when errors do not come first."""
        stated = self.limits.max_errors
        if stated is None:
            return None if self.regression or self.quantities[0] == "errors" else 0
        return plain(Fraction(stated))

    @property
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
        return LeafPrice.of(self._exact_leaf_price, self.dataset.total_weight, self.most_leaves)

    @property
    def _exact_leaf_price(self) -> Fraction:
        return self.leaf_penalty * self.dataset.total_weight

    @property
    def infeasible_reason(self) -> str | None:
        """Why no tree can meet the limits, as far as the limits alone tell; else None."""
        rows = len(self.dataset.X)
        if self.min_rows <= rows:
            return None
        return (
            f"min_samples_leaf={self.limits.min_samples_leaf} asks for {self.min_rows:,} rows in "
            f"every leaf, but the table has {count(rows, 'row')} of positive weight"
        )

    def minimizing(self, quantities: tuple[str, ...]) -> "Problem":
        """Return the same problem with other quantities to minimize.

        Only limits that were stated apply to it: where `max_errors` was 0 because errors did not
        come first, or would become so, there is no limit on errors.

        Parameters
        ----------
        quantities : tuple of str
            As `minimize`.
        """
        names = read_quantities(quantities, self.n_trees, "quantities")
        check_penalty(self.leaf_penalty, names, quantities, "quantities")
        if (error_term(names) != "errors") != self.regression:
            kind = "numbers" if self.regression else "classes"
            raise ValueError(
                f"quantities={quantities!r} do not go with a problem that minimizes "
                f"{self.minimize!r}: its labels are {kind}."
            )
        limits = self.limits
        if limits.max_errors is None and not self.regression:
            total = Fraction(self.dataset.total_weight, self.dataset.weight_scale)
            limits = replace(limits, max_errors=total)
        return self._with(minimize=quantities, quantities=names, limits=limits)

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
        limits = replace(self.limits, min_samples_leaf=1, max_leaves_of=None)
        return self._with(dataset=some, limits=limits, leaf_penalty=Fraction(0))

    def _with(self, **changed: Any) -> "Problem":
        other = copy(self)
        for name in ("error_term", "leaf_limits", "leaf_price"):  # what was worked out before
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
            A tuple when `minimize` is one. Exact; of a regression the errors are the float nearest
            to the exact ones.
        """
        return self.told(self.exact_cost_of(errors, sizes, depths))

    def told(self, exact: Cost) -> Cost:
        """Return an exact cost as it is told: errors of a regression as the nearest float.

        Parameters
        ----------
        exact : int, Fraction or tuple
            The cost.
        """
        if not self.regression:
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
        leaves = sum(sizes) + len(sizes)
        priced = plain((errors + self._exact_leaf_price * leaves) / self.dataset.weight_scale)
        known: dict[str, Number] = {self.error_term: priced}
        if self.n_trees == 1:
            known |= {"size": sizes[0], "depth": depths[0]}
        else:
            for name, objective in ENSEMBLE_OBJECTIVES.items():
                known[name] = objective.together(sizes if objective.of == "size" else depths)
        if isinstance(self.minimize, str):
            return known[self.minimize]
        return tuple(known[name] for name in self.quantities)
