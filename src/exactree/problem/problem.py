"""The problem a user states: a table, the allowed rules, what to minimize, the limits."""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import floor
from typing import Any

from exactree.data.dataset import Dataset, make_dataset
from exactree.data.features import count
from exactree.errors import MethodRefused
from exactree.objectives import LATER, OBJECTIVES, Errors, LeafPrice
from exactree.objectives.errors import plain
from exactree.problem.limits import Limits
from exactree.problem.parameters import exact_number, whole_number
from exactree.rules import AxisParallel

__all__ = ["Problem"]

_NO_LIMITS = Limits()


@dataclass(frozen=True, eq=False, init=False)
class Problem:
    """A table, the allowed rules, what to minimize, and the limits; checked and immutable.

    Parameters
    ----------
    X : array-like or data frame, shape (n, d)
        The features.
    y : array-like, shape (n,)
        Labels of any hashable kind.
    sample_weight : array-like, shape (n,), optional
        Non-negative weights, exact when whole; rows of weight zero are dropped.
    rules : AxisParallel, optional
        The allowed rules, by default `AxisParallel`.
    minimize : str
        "errors": the weight of misclassified examples.
    leaf_penalty : int, float, Decimal or Fraction
        Added to the cost for every leaf, times the total weight; at least 0. A float is read by
        its shortest decimal form, so 0.01 is 1/100.
    n_trees : int
        1; ensembles come in a later version.
    categories : None
        Native categories come in a later version.
    limits : Limits
        Depth, size, errors, rows per leaf.

    Attributes
    ----------
    dataset : Dataset
        The checked table.

    Raises
    ------
    ValueError, TypeError
        One sentence that names the parameter, column or row and what is allowed.
    MethodRefused
        If `leaf_penalty` and `max_errors` are used together.
    """

    dataset: Dataset
    rules: AxisParallel
    minimize: str
    leaf_penalty: Fraction
    limits: Limits

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        rules: AxisParallel | None = None,
        minimize: str = "errors",
        leaf_penalty: int | float | Fraction = 0,
        n_trees: int = 1,
        categories: None = None,
        limits: Limits = _NO_LIMITS,
    ) -> None:
        _check_minimize(minimize)
        _check_later(n_trees, categories)
        rules = AxisParallel() if rules is None else rules
        if not isinstance(rules, AxisParallel):
            raise ValueError(f"rules must be AxisParallel() for now, got {rules!r}.")
        if not isinstance(limits, Limits):
            raise TypeError(f"limits must be a Limits(...), got {limits!r}.")
        penalty = exact_number("leaf_penalty", leaf_penalty, "a finite number >= 0")
        if penalty > 0 and limits.max_errors is not None:
            raise MethodRefused(
                "no method accepts leaf_penalty > 0 together with max_errors; leave out one."
            )
        denominator = penalty.denominator if penalty else None
        dataset = make_dataset(X, y, sample_weight, penalty_denominator=denominator)
        stated = {
            "dataset": dataset,
            "rules": rules,
            "minimize": minimize,
            "leaf_penalty": penalty,
            "limits": limits,
        }
        for name, value in stated.items():
            object.__setattr__(self, name, value)

    def __repr__(self) -> str:
        rows, columns = self.dataset.X.shape
        table = f"{count(rows, 'example')}, {count(columns, 'feature')}"
        classes = count(len(self.dataset.classes), "class")
        penalty = f", leaf_penalty={self.leaf_penalty}" if self.leaf_penalty else ""
        asked = f"minimize={self.minimize!r}{penalty}, limits={self.limits}"
        return f"Problem({table}, {classes}, {asked})"

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
    def most_errors(self) -> int | None:
        """The limit `max_errors` in units of the integer weights, None without one."""
        if self.limits.max_errors is None:
            return None
        return floor(Fraction(self.limits.max_errors) * self.dataset.weight_scale)

    @property
    def objective(self) -> Errors:
        """What is minimized, in units of the integer weights."""
        return OBJECTIVES[self.minimize](self._exact_leaf_price, self.dataset.weight_scale)

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

    def cost_of(self, errors: int, leaves: int) -> int | Fraction:
        """Return the cost of a tree, exact and in units of the user's weights.

        Parameters
        ----------
        errors : int
            Misclassified weight in units of the integer weights.
        leaves : int
            Number of leaves.
        """
        return plain((errors + self._exact_leaf_price * leaves) / self.dataset.weight_scale)


def _check_minimize(minimize: Any) -> None:
    allowed = " or ".join(repr(name) for name in OBJECTIVES)
    words = minimize if isinstance(minimize, tuple) and minimize else (minimize,)
    if all(isinstance(word, str) and word in (*OBJECTIVES, *LATER) for word in words):
        if isinstance(minimize, str) and minimize in OBJECTIVES:
            return
        raise ValueError(f"minimize={minimize!r} comes in a later version; use {allowed}.")
    raise ValueError(f"minimize must be {allowed}, got {minimize!r}.")


def _check_later(n_trees: Any, categories: Any) -> None:
    if whole_number("n_trees", n_trees, 1, "an integer >= 1") > 1:
        raise ValueError(f"n_trees={n_trees}: ensembles come in a later version; use n_trees=1.")
    if categories is not None:
        raise ValueError(
            "categories: native categories come in a later version; leave it None and one-hot "
            "encode the columns."
        )
