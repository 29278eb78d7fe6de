"""What a family of rules is, and the columns of numbers that say the same by thresholds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from exactree.rules.surface import SurfaceColumn

if TYPE_CHECKING:
    from exactree.rules.rule import Rule

__all__ = ["Column", "RuleFamily"]


@dataclass(frozen=True)
class Column:
    """A number for every example, whose thresholds are rules of a family.

    Attributes
    ----------
    feature : int
        Index of the feature that the rules ask.
    code : int or None
        None for the feature's own numbers, whose thresholds are those of the feature. Else 0 for
        the examples with this code and 1 for the others: what is at most a threshold, and so goes
        left, is what the rule "x[feature] == code" sends left.
    """

    feature: int
    code: int | None = None

    @property
    def features(self) -> tuple[int, ...]:
        """The one feature, as for columns of surfaces."""
        return (self.feature,)

    def values(self, X: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the numbers of the examples of a table.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        """
        numbers: NDArray[np.float64] = X[:, self.feature]
        return numbers if self.code is None else (numbers != self.code).astype(np.float64)

    def name(self, feature_names: Sequence[str]) -> str:
        """Return what the column is called: as its feature, or with the code.

        Parameters
        ----------
        feature_names : sequence of str
            The names of all features.
        """
        name = feature_names[self.feature]
        return name if self.code is None else f"{name} == {self.code}"


@runtime_checkable
class RuleFamily(Protocol):
    """A set of rules a problem allows.

    Laws (`exactree.testing.check_rule_family`): for every part, the rules of `distinct` have two
    non-empty sides, no two of them hold for the same examples of the part, and a rule of any
    larger part that divides this part holds here for the same examples as one of them. The
    thresholds of `columns` divide a part in the ways of `distinct`, and in no other.

    A rule is the set of examples that it sends left. So a rule and its opposite, which sends the
    others left, are two rules.
    """

    def by_feature(
        self, X: NDArray[np.float64], part: NDArray[np.int64]
    ) -> Iterator[tuple[Rule, NDArray[np.bool_]]]:
        """List the rules that divide the part, once for each feature and each left side.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        part : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of rule and ndarray of bool
            The second tells for each row of the part whether it goes left.
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

    def distinct(self, X: NDArray[np.float64], part: NDArray[np.int64]) -> Iterator[Rule]:
        """List the rules that divide the part, one for each set of examples that goes left.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        part : ndarray of int64
            Rows of the table.

        Yields
        ------
        rule
            Of two rules with the same left side the first of `by_feature`.
        """
        seen: set[bytes] = set()
        for rule, goes_left in self.by_feature(X, part):
            left = goes_left.tobytes()
            if left not in seen:
                seen.add(left)
                yield rule
