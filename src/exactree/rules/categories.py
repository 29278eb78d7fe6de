"""Rules for columns of codes: "x[feature] == code goes left"."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from exactree.rules.family import Column, RuleFamily

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
    """

    feature: int
    code: int

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
        return np.asarray(X[:, self.feature] == self.code)


@dataclass(frozen=True)
class Categories(RuleFamily):
    """All rules "x[feature] == code" for some features.

    Where a part has two codes of a feature there are two rules, each the opposite of the other:
    they send different examples left. A larger part, with a third code, has both as well.

    Attributes
    ----------
    features : tuple of int
        Indices of features whose values are integers.
    """

    features: tuple[int, ...]

    def by_feature(
        self, X: NDArray[np.float64], part: NDArray[np.int64]
    ) -> Iterator[tuple[CategoryRule, NDArray[np.bool_]]]:
        """List the rules that divide the part, by feature, then by code.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        part : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of CategoryRule and ndarray of bool
            The second tells for each row of the part whether it goes left.
        """
        for feature in self.features:
            column = X[part, feature]
            codes = np.unique(column).tolist()
            if len(codes) > 1:
                for code in codes:
                    yield CategoryRule(feature, int(code)), column == code

    def columns(self, X: NDArray[np.float64]) -> list[Column]:
        """List one column for every code of every feature.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        return [
            Column(feature, int(code))
            for feature in self.features
            for code in np.unique(X[:, feature]).tolist()
        ]
