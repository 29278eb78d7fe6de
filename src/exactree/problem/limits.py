"""`Limits`: the limits of a tree or an ensemble, checked when they are created."""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np

from exactree.data.parameters import shown
from exactree.names import answers_unknown_names
from exactree.notebook import changed_fields, paragraph
from exactree.objectives import ERROR_TERMS, RATES
from exactree.objectives.errors import plain
from exactree.problem.parameters import exact_number, whole_number

__all__ = ["Limits", "depth_limit"]

AUTO_DEPTH = 3  # so that a first call returns within seconds
_ALLOWED_ROWS = "an integer >= 1 or a float strictly between 0 and 1"


@answers_unknown_names
@dataclass(frozen=True, repr=False)
class Limits:
    """Limits on a tree or an ensemble; None means no limit.

    A limit may be arbitrarily large; it has no effect if no tree of the table exceeds it. In an
    ensemble, limits on depth, size, minimum leaf size and leaves of a class apply to every tree;
    limits on total size and errors apply to the ensemble.

    Parameters
    ----------
    max_depth : int, optional
        Inner nodes on the longest path, at least 0.
    max_size : int, optional
        Inner nodes of a tree, at least 0; a tree has one leaf more.
    max_errors : int, float or Fraction, optional
        Weight of misclassified examples, at least 0. A float is read by its shortest decimal
        form, so 0.1 is 1/10.
    min_samples_leaf : int or float
        Minimum number of rows in a leaf, each row counted once regardless of its weight; a float
        strictly between 0 and 1 is that fraction of the rows with positive weight, rounded up.
    min_weight_fraction_leaf : int, float or Fraction
        Minimum weight of a leaf, as a fraction of the total weight, in [0, 1); a float is
        read by its shortest decimal form.
    max_total_size : int, optional
        Inner nodes of all trees of an ensemble together, at least 0.
    max_leaves_of : mapping of label to int, or int, optional
        For some classes, the maximum number of leaves that predict them, at least 0. An integer
        k instead of a mapping limits any one class: a tree meets it if there is a class of the
        table that at most k of its leaves predict (Theorem 3.6 of Kobourov et al., AAAI 2023).
        In an ensemble it is the same class for all trees. The integer is accepted by `solve`,
        `pareto_front`, `enumerate_optimal`, `count_optimal` and the tree classifiers.
    min_precision, min_recall : float or Fraction, optional
        If a rate of errors of two classes is minimized: the minimum precision or recall
        on the table, from 0 to 1. A float is read by its shortest decimal form.

    Raises
    ------
    ValueError
        If a limit is invalid; True and False are not integers.
    """

    max_depth: int | None = None
    max_size: int | None = None
    max_errors: int | Fraction | float | None = None
    min_samples_leaf: int | float = 1
    min_weight_fraction_leaf: int | float | Fraction = 0
    max_total_size: int | None = None
    max_leaves_of: Mapping[Any, int] | int | None = field(default=None, hash=False)
    min_precision: Fraction | float | None = None
    min_recall: Fraction | float | None = None

    def __post_init__(self) -> None:
        for name in ("max_depth", "max_size", "max_total_size"):
            value = getattr(self, name)
            if value is not None:
                self._set(name, whole_number(name, value, 0, "an integer >= 0 or None"))
        if self.max_errors is not None:
            errors = exact_number("max_errors", self.max_errors, "a number >= 0 or None")
            self._set("max_errors", plain(errors))
        for name in ("min_precision", "min_recall"):
            rate = getattr(self, name)
            if rate is not None:
                allowed = "a number from 0 to 1, or None"
                self._set(name, exact_number(name, rate, allowed, 1))
        rows = self.min_samples_leaf
        if isinstance(rows, float | np.floating):
            if not 0 < rows < 1:
                raise ValueError(f"min_samples_leaf must be {_ALLOWED_ROWS}, got {shown(rows)}.")
            self._set("min_samples_leaf", float(str(rows)))
        else:
            self._set("min_samples_leaf", whole_number("min_samples_leaf", rows, 1, _ALLOWED_ROWS))
        share = exact_number(
            "min_weight_fraction_leaf", self.min_weight_fraction_leaf, "a number in [0, 1)"
        )
        if share >= 1:
            raise ValueError(
                "min_weight_fraction_leaf must be a number in [0, 1), got "
                f"{shown(self.min_weight_fraction_leaf)}."
            )
        if self.max_leaves_of is not None:
            self._set("max_leaves_of", _checked_leaves_of(self.max_leaves_of))

    def __repr__(self) -> str:
        """Return the limits that differ from the defaults."""
        return changed_fields(self)

    def _repr_html_(self) -> str:
        return paragraph(repr(self))

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def min_rows(self, rows: int) -> int:
        """Return `min_samples_leaf` as a number of rows.

        Parameters
        ----------
        rows : int
            Rows of the table with positive weight.
        """
        if isinstance(self.min_samples_leaf, int):
            return self.min_samples_leaf
        # In fractions: 0.07 * 100 is 7.000000000000001 in floats, and would be rounded up to 8.
        return ceil(Fraction(str(self.min_samples_leaf)) * rows)


def _checked_leaves_of(max_leaves_of: Any) -> dict[Any, int] | int:
    """Check a limit on the leaves of classes and return a copy of it."""
    if not isinstance(max_leaves_of, Mapping):
        allowed = "a mapping of labels to integers >= 0, an integer >= 0, or None"
        return whole_number("max_leaves_of", max_leaves_of, 0, allowed)
    checked: dict[Hashable, int] = {}
    for label, limit in max_leaves_of.items():
        checked[label] = whole_number(f"max_leaves_of[{label!r}]", limit, 0, "an integer >= 0")
    return checked


def depth_limit(max_depth: int | str | None, minimize: Any) -> int | None:
    """Return the maximum depth that the parameter of an estimator means.

    Parameters
    ----------
    max_depth : int, None or "auto"
        "auto" is 3 if errors of any kind come first, else no limit.
    minimize : str or tuple of str
        The minimized quantities.

    Raises
    ------
    ValueError
        If it is another string.
    """
    if not isinstance(max_depth, str):
        return max_depth
    if max_depth != "auto":
        raise ValueError(f'max_depth must be "auto", None or an integer, got {shown(max_depth)}.')
    first = minimize[0] if isinstance(minimize, tuple) and minimize else minimize
    return AUTO_DEPTH if first in (*ERROR_TERMS, *RATES) else None
