"""Axis-parallel rules, the default family: "x[feature] <= threshold goes left"."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import threshold_between
from exactree.rules.family import Column, RuleFamily

__all__ = ["AxisParallel", "AxisRule"]


@dataclass(frozen=True)
class AxisRule:
    """The rule that splits a subset between two neighbouring values of a feature.

    Attributes
    ----------
    feature : int
        Index of the feature.
    low, high : float
        Neighbouring distinct values of the subset on the feature, ``low < high``.
    missing_left : bool
        Whether examples without a value go left.
    """

    feature: int
    low: float
    high: float
    missing_left: bool = False

    @cached_property
    def threshold(self) -> float:
        """The number t in "x[feature] <= t goes left"."""
        return float(threshold_between(self.low, self.high))

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
        column, threshold = X[:, self.feature], self.threshold
        return np.asarray(~(column > threshold) if self.missing_left else column <= threshold)


@dataclass(frozen=True, init=False)
class AxisParallel(RuleFamily):
    """All rules "x[feature] <= threshold", the default family.

    Parameters
    ----------
    features : iterable of int or str, optional
        The only features that splits may use, by index or by name; all by default. This also
        applies to categories.
    level_sets : bool
        Whether rules on categories may send any set of levels left, or only one level.
    """

    features: tuple[int | str, ...] | None
    level_sets: bool

    def __init__(
        self, features: Iterable[int | str] | None = None, *, level_sets: bool = False
    ) -> None:
        if isinstance(features, str) or not isinstance(features, Iterable | None):
            raise TypeError(
                f"features must be a list of names or indices, or None for all, got {features!r}."
            )
        object.__setattr__(self, "features", None if features is None else tuple(features))
        object.__setattr__(self, "level_sets", bool(level_sets))

    def by_feature(
        self, X: NDArray[np.float64], subset: NDArray[np.int64]
    ) -> Iterator[tuple[AxisRule, NDArray[np.bool_]]]:
        """List the rules that split the subset, by feature, then by threshold.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The table.
        subset : ndarray of int64
            Rows of the table.

        Yields
        ------
        tuple of AxisRule and ndarray of bool
            The array says for each row of the subset whether it goes left.
        """
        for candidate in self.columns(X):
            column = X[subset, candidate.feature]
            for low, high in pairwise(np.unique(column).tolist()):
                yield AxisRule(candidate.feature, low, high), column <= low

    def columns(self, X: NDArray[np.float64]) -> list[Column]:
        """List the features that splits may use.

        Parameters
        ----------
        X : ndarray of float64, shape (n, d)
            The whole table.
        """
        features = range(X.shape[1]) if self.features is None else self.features
        return [Column(index_of(feature)) for feature in features]


def index_of(feature: int | str) -> int:
    """Return the index of a feature, and refuse a name.

    Parameters
    ----------
    feature : int or str
        The feature as the user gave it.

    Raises
    ------
    ValueError
        If it is a name.
    """
    if isinstance(feature, str):
        raise ValueError(
            f"feature {feature!r} is given by name, and names are resolved only by Problem; give "
            "an index here."
        )
    return feature
