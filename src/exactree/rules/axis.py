"""Axis-parallel rules, the default family: "x[feature] <= threshold goes left"."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import threshold_between

__all__ = ["AxisParallel", "AxisRule"]


@dataclass(frozen=True)
class AxisRule:
    """The rule that divides a feature between two neighbouring values of a part.

    Attributes
    ----------
    feature : int
        Index of the feature.
    low, high : float
        Neighbouring distinct values of the part on the feature, ``low < high``.
    """

    feature: int
    low: float
    high: float

    @property
    def threshold(self) -> float:
        """The number t in "x[feature] <= t goes left"."""
        return float(threshold_between(self.low, self.high))

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
        return np.asarray(X[:, self.feature] <= self.threshold)


@dataclass(frozen=True)
class AxisParallel:
    """All rules "x[feature] <= threshold", the default family."""

    def distinct(self, X: NDArray[np.float64], part: NDArray[np.int64]) -> Iterator[AxisRule]:
        """List the rules that divide the part, one for each set of examples that goes left.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        part : ndarray of int64
            Rows of the table.

        Yields
        ------
        AxisRule
            By feature, then by threshold; of two rules with the same left side the first.
        """
        seen: set[bytes] = set()
        for feature in range(X.shape[1]):
            column = X[part, feature]
            for low, high in pairwise(np.unique(column).tolist()):
                left = (column <= low).tobytes()
                if left not in seen:
                    seen.add(left)
                    yield AxisRule(feature, low, high)
