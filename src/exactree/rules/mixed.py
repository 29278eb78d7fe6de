"""Unions of rule families, such as thresholds for numbers and equality for codes; any rule."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from exactree.rules.axis import AxisRule
from exactree.rules.categories import CategoryRule, LevelsRule
from exactree.rules.family import Column, RuleFamily
from exactree.rules.fixed import FixedRules
from exactree.rules.hypersurfaces import Hypersurfaces
from exactree.rules.missing import MissingRule
from exactree.rules.surface import SurfaceColumn, SurfaceRule

__all__ = ["Mixed", "Rule", "families_of", "of_surfaces"]

# Every kind of rule has `holds(X)`, which returns for each row of a table whether it goes left; for
# a given table a rule is identified with that set of rows.
Rule: TypeAlias = AxisRule | CategoryRule | LevelsRule | MissingRule | SurfaceRule


@dataclass(frozen=True)
class Mixed(RuleFamily):
    """The rules of several families.

    Attributes
    ----------
    families : tuple of RuleFamily
        Families of thresholds and of codes use different features.
    """

    families: tuple[RuleFamily, ...]

    def __post_init__(self) -> None:
        """Convert the families to a tuple, so that they cannot change."""
        object.__setattr__(self, "families", tuple(self.families))

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[Rule, NDArray[np.bool_]]]:
        """List the rules that split the subset, by family.

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
        for family in self.families:
            yield from family.by_feature(X, subset)

    def columns(self, X: NDArray[np.float64]) -> list[Column | SurfaceColumn]:
        """List the columns of all families.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        return [column for family in self.families for column in family.columns(X)]


def families_of(rules: RuleFamily) -> tuple[RuleFamily, ...]:
    """Return the families of a mixture; for any other family the family itself.

    Parameters
    ----------
    rules : RuleFamily
        The rules of a problem.
    """
    return rules.families if isinstance(rules, Mixed) else (rules,)


def of_surfaces(rules: RuleFamily) -> bool:
    """Return whether some splits may use several features at once.

    Parameters
    ----------
    rules : RuleFamily
        The rules of a problem.
    """
    return any(isinstance(family, Hypersurfaces | FixedRules) for family in families_of(rules))
