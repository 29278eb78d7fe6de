"""Rules for columns of codes: "x[feature] == code goes left", or a set of codes goes left."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from exactree.rules.family import LEFT, RIGHT, Column, RuleFamily
from exactree.rules.missing import MissingRule

__all__ = ["MAX_LEVELS", "Categories", "CategoryRule", "LevelsRule"]

# Maximum number of levels of a feature if any set of levels may go left. Missing values are a
# level; 12 levels can be split in 2^11 - 1 = 2,047 ways, with opposite rules counted once.
MAX_LEVELS = 12


@dataclass(frozen=True)
class CategoryRule:
    """The rule that sends one code of a feature left, and every other code right.

    Codes that no example of the fitted table had go right as well.

    Attributes
    ----------
    feature : int
        Index of the feature.
    code : int
        The code that goes left.
    missing_left : bool
        Whether examples without a value also go left.
    """

    feature: int
    code: int
    missing_left: bool = False

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each row of a table whether it goes left.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.

        Returns
        -------
        ndarray of bool, shape (n,)
            True for the rows that go left.
        """
        column = X[:, self.feature]
        return np.asarray((column == self.code) | (np.isnan(column) & self.missing_left))


@dataclass(frozen=True)
class LevelsRule:
    """The rule that sends several codes of a feature left, and every other code right.

    Attributes
    ----------
    feature : int
        Index of the feature.
    codes : tuple of int
        The codes that go left.
    missing_left : bool
        Whether examples without a value also go left.
    """

    feature: int
    codes: tuple[int, ...]
    missing_left: bool = False

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return for each row of a table whether it goes left.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.

        Returns
        -------
        ndarray of bool, shape (n,)
            True for the rows that go left.
        """
        column = X[:, self.feature]
        return np.asarray(np.isin(column, self.codes) | (np.isnan(column) & self.missing_left))


@dataclass(frozen=True)
class Categories(RuleFamily):
    """All rules "x[feature] == code" for some features, or "x[feature] is in codes".

    In a subset with exactly two codes of a feature, the rules of these codes are mirror images of
    each other. Both are listed, because they send different examples left.

    Missing values are a further level: each rule sends them right or left, and two rules separate
    them from all codes.

    Attributes
    ----------
    features : tuple of int
        Indices of features whose values are integers.
    level_sets : bool
        Whether rules may send any set of levels (codes and missing values) left, or only one code.
    """

    features: tuple[int, ...]
    level_sets: bool = False

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[CategoryRule | LevelsRule | MissingRule, NDArray[np.bool_]]]:
        """List the rules that split the subset, by feature, then by code.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of CategoryRule, LevelsRule or MissingRule, and ndarray of bool
            The array says for each row of the subset whether it goes left.
        """
        for feature in self.features:
            column = X[subset, feature]
            missing = np.isnan(column)
            has_missing = bool(missing.any())
            codes = np.unique(column[~missing]).tolist()
            if self.level_sets:
                for chosen, missing_left in _level_sets(codes, has_missing):
                    rule = _rule(feature, chosen, missing_left, all_codes=len(chosen) == len(codes))
                    yield rule, rule.holds(X[subset])
                continue
            if len(codes) > 1:
                for code in codes:
                    yield CategoryRule(feature, int(code)), column == code
                    if has_missing:
                        yield CategoryRule(feature, int(code), True), (column == code) | missing
            if has_missing and codes:
                yield MissingRule(feature, missing_left=True), missing
                yield MissingRule(feature, missing_left=False), ~missing

    def columns(self, X: NDArray[np.float64]) -> list[Column]:
        """List the columns of 0 and 1 of the rules on all features.

        Without `level_sets`, a feature has a column for each code. If it has missing values, it has
        two columns for each of several codes, and two that separate missing values from all codes.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        columns_of = _set_columns if self.level_sets else _columns
        found = (columns_of(feature, X[:, feature]) for feature in self.features)
        return [column for columns in found for column in columns]


def _columns(feature: int, values: NDArray[np.float64]) -> Iterator[Column]:
    missing = np.isnan(values)
    codes = [int(code) for code in np.unique(values[~missing]).tolist()]
    if not missing.any():
        yield from (Column(feature, (code,)) for code in codes)
    elif codes:
        if len(codes) > 1:  # a single code is separated by the last two columns
            yield from (Column(feature, (code,), side) for code in codes for side in (RIGHT, LEFT))
        yield Column(feature, (), LEFT)
        yield Column(feature, tuple(codes), RIGHT)


def _level_sets(codes: list[float], has_missing: bool) -> Iterator[tuple[tuple[int, ...], bool]]:
    """List the sets of levels that define splits, small sets first; missing values are a level.

    A set is returned as its codes, and whether missing values are in it.
    """
    levels = len(codes) + has_missing
    for size in range(1, levels):
        for chosen in combinations(range(levels), size):
            chosen_codes = tuple(int(codes[place]) for place in chosen if place < len(codes))
            yield chosen_codes, len(chosen_codes) < size


def _rule(
    feature: int, codes: tuple[int, ...], missing_left: bool, *, all_codes: bool
) -> CategoryRule | LevelsRule | MissingRule:
    """Return the rule that sends a set of levels left; `all_codes` if the set has all codes."""
    if not codes or all_codes:
        return MissingRule(feature, missing_left)
    if len(codes) == 1:
        return CategoryRule(feature, codes[0], missing_left)
    return LevelsRule(feature, codes, missing_left)


def _set_columns(feature: int, values: NDArray[np.float64]) -> Iterator[Column]:
    missing = np.isnan(values)
    has_missing = bool(missing.any())
    for codes, missing_left in _level_sets(np.unique(values[~missing]).tolist(), has_missing):
        yield Column(feature, codes, (LEFT if missing_left else RIGHT) if has_missing else "")
