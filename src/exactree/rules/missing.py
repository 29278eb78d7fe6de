"""Rules for features with missing values: thresholds with a direction for the missing values."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from exactree.rules.axis import AxisRule
from exactree.rules.family import LEFT, RIGHT, Column, RuleFamily

__all__ = ["MissingRule", "ThresholdsWithMissing"]


@dataclass(frozen=True)
class MissingRule:
    """The rule that separates examples without a value of a feature from all others.

    Attributes
    ----------
    feature : int
        Index of the feature.
    missing_left : bool
        True if the examples without a value go left, False if the other examples do.
    """

    feature: int
    missing_left: bool

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
        return np.asarray(np.isnan(X[:, self.feature]) == self.missing_left)


@dataclass(frozen=True)
class ThresholdsWithMissing(RuleFamily):
    """All rules "x[feature] <= threshold", each with missing values left and with them right.

    Two more rules separate the missing values from all others: "is missing", "is not missing".

    Attributes
    ----------
    features : tuple of int
        Indices of numeric features.
    """

    features: tuple[int, ...]

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[AxisRule | MissingRule, NDArray[np.bool_]]]:
        """List the rules that split the subset, by feature, then by threshold.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of AxisRule or MissingRule, and ndarray of bool
            The array says for each row of the subset whether it goes left.
        """
        for feature in self.features:
            column = X[subset, feature]
            missing = np.isnan(column)
            has_missing = bool(missing.any())
            for low, high in pairwise(np.unique(column[~missing]).tolist()):
                yield AxisRule(feature, low, high), column <= low
                if has_missing:
                    yield AxisRule(feature, low, high, missing_left=True), ~(column > low)
            if has_missing and not missing.all():
                yield MissingRule(feature, missing_left=True), missing
                yield MissingRule(feature, missing_left=False), ~missing

    def columns(self, X: NDArray[np.float64]) -> list[Column]:
        """List one column for each feature, or two if it has missing values.

        Of two columns, the first has the missing values below all others, the second above them.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        return [
            Column(feature, missing=side)
            for feature in self.features
            for side in ((LEFT, RIGHT) if np.isnan(X[:, feature]).any() else ("",))
        ]
