"""Calls for feature sets: support sets, hitting sets, branching sets, differences of rows."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from exactree import _native

__all__ = [
    "FeatureSetList",
    "branching_set",
    "largest_difference",
    "list_branching_sets",
    "list_hitting_sets",
    "list_support_sets",
]

# A native list that is computed lazily.
FeatureSetList = _native.FeatureSets

# No limit on the size of a set.
_ANY = 2**32 - 1


def _limit(max_features: int | None) -> int:
    return _ANY if max_features is None else min(max_features, _ANY)


def list_support_sets(
    codes: NDArray[np.int64], labels: NDArray[np.int64], max_features: int | None, minimal: bool
) -> FeatureSetList:
    """Return the list of support sets of a table.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
        Integers from 0 to 2**32 - 1, equal in a feature if and only if the values are equal.
    labels : ndarray of int64, shape (n,)
        Class indices.
    max_features : int or None
        Maximum number of features of a set.
    minimal : bool
        Whether to list only inclusion-minimal sets.
    """
    rows = codes.astype(np.uint32), labels.astype(np.uint32)
    return FeatureSetList.of_rows(*rows, _limit(max_features), minimal)


def list_hitting_sets(
    features: int, sets: Sequence[Sequence[int]], max_features: int | None, minimal: bool
) -> FeatureSetList:
    """Return the list of hitting sets of some sets.

    Parameters
    ----------
    features : int
        The number of features; members of sets are smaller.
    sets : sequence of sequence of int
        The sets.
    max_features : int or None
        Maximum number of members of a hitting set.
    minimal : bool
        Whether to list only inclusion-minimal sets.
    """
    lists = [list(members) for members in sets]
    return FeatureSetList.of_sets(features, lists, _limit(max_features), minimal)


def list_branching_sets(
    codes: NDArray[np.int64], features: Sequence[int], max_features: int | None, minimal: bool
) -> FeatureSetList:
    """Return the list of branching sets of a set of features.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
        As in `list_support_sets`.
    features : sequence of int
        The set.
    max_features, minimal
        As in `list_support_sets`.
    """
    support, limit = list(features), _limit(max_features)
    return FeatureSetList.of_support_set(codes.astype(np.uint32), support, limit, minimal)


def branching_set(codes: NDArray[np.int64], features: Sequence[int]) -> list[int]:
    """Return the branching set of a set of features.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
        As in `list_support_sets`.
    features : sequence of int
        The set.
    """
    return _native.branching_set(codes.astype(np.uint32), list(features))


def largest_difference(
    codes: NDArray[np.int64], labels: NDArray[np.int64], time_limit: float | None = None
) -> tuple[int, bool]:
    """Return the largest number of features in which two examples of different classes differ.

    Parameters
    ----------
    codes, labels
        As in `list_support_sets`.
    time_limit : float, optional
        Seconds.

    Returns
    -------
    tuple of int and bool
        delta_max (0 with a single class), and whether all pairs were compared. If the time limit
        was reached, the number is the largest found so far.

    Raises
    ------
    KeyboardInterrupt
        On Ctrl-C.
    """
    rows = codes.astype(np.uint32), labels.astype(np.uint32)
    found, stopped_by = _native.largest_difference(*rows, time_limit)
    if stopped_by == "interrupt":
        raise KeyboardInterrupt
    return found, stopped_by is None
