"""The interface of rule families, and columns of numbers whose thresholds are their rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from exactree.rules.surface import SurfaceColumn

if TYPE_CHECKING:
    from exactree.data.levels import Levels
    from exactree.rules.mixed import Rule

__all__ = ["LEFT", "RIGHT", "Column", "RuleFamily"]

# Directions of missing values.
LEFT, RIGHT = "left", "right"


@dataclass(frozen=True)
class Column:
    """A number for every example, whose thresholds are rules of a family.

    Attributes
    ----------
    feature : int
        Index of the feature of the rules.
    codes : tuple of int or None
        None for the feature's own numbers. Else the column is 0 for the examples with one of these
        codes and 1 for the others, so its threshold sends left what the rule "x[feature] is in
        codes" sends left.
    missing : str
        The direction of examples without a value: "left", as if their value were below all others,
        or "right". Empty if no value is missing.
    """

    feature: int
    codes: tuple[int, ...] | None = None
    missing: str = ""

    @property
    def features(self) -> tuple[int, ...]:
        """The feature as a tuple, like the features of a column of surfaces."""
        return (self.feature,)

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of the examples of a table.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        """
        numbers: NDArray[np.float64] = X[:, self.feature]
        if self.codes is None:
            return numbers if not self.missing else _filled(numbers, self.missing)
        others = ~np.isin(numbers, self.codes)
        others[np.isnan(numbers)] = self.missing != LEFT
        return others.astype(np.float64)

    def name(self, feature_names: Sequence[str], levels: Levels | None = None) -> str:
        """Return the name of the column: that of its feature, possibly with the codes.

        Parameters
        ----------
        feature_names : sequence of str
            The names of all features.
        levels : mapping of int to tuple, optional
            The levels that codes stand for.
        """
        name = feature_names[self.feature]
        if self.codes is None:
            return f"{name}, missing {self.missing}" if self.missing else name
        if not self.codes:
            return f"{name} is missing"
        names = (levels or {}).get(self.feature)
        shown = [str(code if names is None else names[int(code)]) for code in self.codes]
        condition = f"== {shown[0]}" if len(shown) == 1 else f"in {{{', '.join(shown)}}}"
        return f"{name} {condition}" + (" or missing" if self.missing == LEFT else "")


def _filled(numbers: NDArray[np.float64], direction: str) -> NDArray[np.float64]:
    """Return numbers with missing values replaced by a number below or above all others."""
    absent = np.isnan(numbers)
    if absent.all():
        return np.zeros(len(numbers))
    present, beyond = numbers[~absent], -np.inf if direction == LEFT else np.inf
    filled = numbers.copy()
    with np.errstate(over="ignore", under="ignore"):
        filled[absent] = np.nextafter(present.min() if direction == LEFT else present.max(), beyond)
    if np.isinf(filled).any():  # no finite number is beyond all others: ranks have the same splits
        filled[~absent] = np.unique(present, return_inverse=True)[1].reshape(-1)
        filled[absent] = -1.0 if direction == LEFT else float(len(present))
    return filled


@runtime_checkable
class RuleFamily(Protocol):
    """The splitting rules that a problem allows.

    Laws (`exactree.testing.check_rule_family`): for every subset, each rule of `distinct` has two
    non-empty children; no two rules of `distinct` send the same examples of the subset left; and
    each rule of a larger subset that splits this subset sends the same examples left as some rule
    of `distinct`. The thresholds of `columns` split a subset as the rules of `distinct` do, and in
    no other way.

    A rule is identified with the set of examples that it sends left. So a rule and its opposite,
    which sends the other examples left, are two rules.
    """

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[Rule, NDArray[np.bool_]]]:
        """List the rules that split the subset, one for each feature and each left child.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of rule and ndarray of bool
            The array says for each row of the subset whether it goes left.
        """
        ...

    def columns(self, X: NDArray[np.float64]) -> Sequence[Column | SurfaceColumn]:
        """List the columns of numbers whose thresholds are the rules of this family.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        ...

    def distinct(self, X: NDArray[np.float64], subset: NDArray[np.int64]) -> Iterator[Rule]:
        """List the rules that split the subset, one for each set of examples that goes left.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        rule
            Of several rules with the same left child, the first of `by_feature`.
        """
        seen: set[bytes] = set()
        for rule, goes_left in self.by_feature(X, subset):
            left = goes_left.tobytes()
            if left not in seen:
                seen.add(left)
                yield rule
