"""Rules for columns of codes: "x[feature] == code goes left", or a set of codes goes left."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from exactree.rules.family import LEFT, RIGHT, Column, RuleFamily
from exactree.rules.missing import MissingRule

__all__ = ["MAX_LEVELS", "Categories", "CategoryRule", "LevelsRule"]

# Maximum number of levels, including a missing value, whose sets are rules: 2,047 columns.
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
    """All rules "x[feature] == code" for some features.

    A subset with two codes of a feature has two rules, each the opposite of the other, because
    they send different examples left; a larger subset, with a third code, has both as well.

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
            some = bool(missing.any())
            codes = np.unique(column[~missing]).tolist()
            if self.level_sets:
                for chosen, missing_left in _level_sets(codes, some):
                    rule = _rule(feature, chosen, missing_left, every=len(chosen) == len(codes))
                    yield rule, rule.holds(X[subset])
                continue
            if len(codes) > 1:
                for code in codes:
                    yield CategoryRule(feature, int(code)), column == code
                    if some:
                        yield CategoryRule(feature, int(code), True), (column == code) | missing
            if some and codes:
                yield MissingRule(feature, missing_left=True), missing
                yield MissingRule(feature, missing_left=False), ~missing

    def columns(self, X: NDArray[np.float64]) -> list[Column]:
        """List one column for each code of each feature, two if the feature has missing values.

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
        if len(codes) > 1:  # else every value is the code or missing
            yield from (Column(feature, (code,), side) for code in codes for side in (RIGHT, LEFT))
        yield Column(feature, (), LEFT)
        yield Column(feature, tuple(codes), RIGHT)


def _level_sets(codes: list[float], missing: bool) -> Iterator[tuple[tuple[int, ...], bool]]:
    """List the sets of levels that define splits, small sets first; missing values are a level."""
    levels = len(codes) + missing
    for size in range(1, levels):
        for chosen in combinations(range(levels), size):
            of_codes = tuple(int(codes[place]) for place in chosen if place < len(codes))
            yield of_codes, len(of_codes) < size


def _rule(
    feature: int, codes: tuple[int, ...], missing_left: bool, *, every: bool
) -> CategoryRule | LevelsRule | MissingRule:
    """Return the rule that sends a set of levels left; `every` if it holds all codes."""
    if not codes or every:
        return MissingRule(feature, missing_left)
    if len(codes) == 1:
        return CategoryRule(feature, codes[0], missing_left)
    return LevelsRule(feature, codes, missing_left)


def _set_columns(feature: int, values: NDArray[np.float64]) -> Iterator[Column]:
    missing = np.isnan(values)
    some = bool(missing.any())
    for codes, missing_left in _level_sets(np.unique(values[~missing]).tolist(), some):
        yield Column(feature, codes, (LEFT if missing_left else RIGHT) if some else "")
