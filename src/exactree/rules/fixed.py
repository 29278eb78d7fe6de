"""Lists of rules given by the user, which keep their own thresholds."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from exactree.rules.family import RuleFamily
from exactree.rules.surface import SurfaceColumn, SurfaceRule

__all__ = ["FixedRules", "RulesOfTable"]


@dataclass(frozen=True)
class FixedRules(RuleFamily):
    """The rules of a list; their thresholds are not moved into the middle of a gap.

    Parameters
    ----------
    rules : iterable of SurfaceRule
        ``SurfaceRule.linear(weights, threshold)`` makes a rule on a weighted sum of all features.
    """

    rules: tuple[SurfaceRule, ...]

    def __post_init__(self) -> None:
        """Convert the rules to a tuple, and mark their thresholds as fixed."""
        if isinstance(self.rules, SurfaceRule):
            raise TypeError("FixedRules takes a list of rules.SurfaceRule, got a single rule.")
        for rule in self.rules:
            if not isinstance(rule, SurfaceRule):
                raise TypeError(
                    f"FixedRules takes rules.SurfaceRule, got {rule!r}; "
                    "SurfaceRule.linear(weights, threshold) makes such a rule."
                )
        kept = tuple(replace(rule, fixed=True) for rule in self.rules)
        object.__setattr__(self, "rules", kept)

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[SurfaceRule, NDArray[np.bool_]]]:
        """List the rules that split the subset, in the order of the list.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of SurfaceRule and ndarray of bool
            The array says for each row of the subset whether it goes left.
        """
        for rule in self.rules:
            left = rule.holds(X[subset])
            if left.any() and not left.all():
                yield rule, left

    def columns(self, X: NDArray[np.float64]) -> list[SurfaceColumn]:
        """List a column of 0 and 1 for every rule that splits a table.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        return [SurfaceColumn(rule) for rule, _ in self.by_feature(X, np.arange(len(X)))]


@dataclass(frozen=True)
class RulesOfTable(FixedRules):
    """The rules that a family of the user lists for a table; they depend on its examples.

    Attributes
    ----------
    family : str
        The name of the family.
    """

    family: str = ""
