"""Rules for columns of codes: "x[feature] == code goes left"."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.rules.family import LEFT, RIGHT, Column, RuleFamily
from exactree.rules.missing import MissingRule

__all__ = ["Categories", "CategoryRule"]


@dataclass(frozen=True)
class CategoryRule:
    """The rule that sends one code of a feature left, and every other one right.

    A code that no example of the fitted table had is another one, so it goes right.

    Attributes
    ----------
    feature : int
        Index of the feature.
    code : int
        The code that goes left.
    missing_left : bool
        Whether examples without a value go left, too.
    """

    feature: int
    code: int
    missing_left: bool = False

    def holds(self, X: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Tell for every row of a table whether it goes left.

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
class Categories(RuleFamily):
    """All rules "x[feature] == code" for some features.

    Where a part has two codes of a feature there are two rules, each the opposite of the other:
    they send different examples left. A larger part, with a third code, has both as well.

    Missing values are a further level: each rule has them right and left, and two rules divide them
    from all codes.

    Attributes
    ----------
    features : tuple of int
        Indices of features whose values are integers.
    """

    features: tuple[int, ...]

    def by_feature(
        self, X: NDArray[np.float64], part: NDArray[np.int64]
    ) -> Iterator[tuple[CategoryRule | MissingRule, NDArray[np.bool_]]]:
        """List the rules that divide the part, by feature, then by code.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        part : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of CategoryRule or MissingRule, and ndarray of bool
            The second tells for each row of the part whether it goes left.
        """
        for feature in self.features:
            column = X[part, feature]
            missing = np.isnan(column)
            some = bool(missing.any())
            codes = np.unique(column[~missing]).tolist()
            if len(codes) > 1:
                for code in codes:
                    yield CategoryRule(feature, int(code)), column == code
                    if some:
                        yield CategoryRule(feature, int(code), True), (column == code) | missing
            if some and codes:
                yield MissingRule(feature, missing_left=True), missing
                yield MissingRule(feature, missing_left=False), ~missing

    def columns(self, X: NDArray[np.float64]) -> list[Column]:
        """List one column for every code of every feature; of features with missing values two.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        return [column for feature in self.features for column in _columns(feature, X[:, feature])]


def _columns(feature: int, values: NDArray[np.float64]) -> Iterator[Column]:
    missing = np.isnan(values)
    codes = [int(code) for code in np.unique(values[~missing]).tolist()]
    if not missing.any():
        yield from (Column(feature, (code,)) for code in codes)
    elif codes:
        if len(codes) > 1:  # else the code is all that is not missing
            yield from (Column(feature, (code,), side) for code in codes for side in (RIGHT, LEFT))
        yield Column(feature, (), LEFT)
        yield Column(feature, tuple(codes), RIGHT)
