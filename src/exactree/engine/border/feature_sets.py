"""Calls about sets of features: support sets, hitting sets, branching sets."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from exactree import _native

__all__ = ["FeatureSetList", "branching_set", "list_hitting_sets", "list_support_sets"]

# A native list that is made as it is read.
FeatureSetList = _native.FeatureSets

# No limit on the size of a set.
_ANY = 2**32 - 1


def list_support_sets(
    codes: NDArray[np.int64], labels: NDArray[np.int64], most: int | None, minimal: bool
) -> FeatureSetList:
    """Return the list of support sets of a table.

    Parameters
    ----------
    codes : ndarray of int64, shape (n, d)
        Non-negative numbers below 2**32, equal in a feature iff the examples' values are.
    labels : ndarray of int64, shape (n,)
        Class indices.
    most : int or None
        Features of a set at most.
    minimal : bool
        Whether sets with a needless feature are left out.
    """
    limit = _ANY if most is None else min(most, _ANY)
    return FeatureSetList.of_rows(codes.astype(np.uint32), labels.astype(np.uint32), limit, minimal)


def list_hitting_sets(
    features: int, sets: Sequence[Sequence[int]], most: int | None, minimal: bool
) -> FeatureSetList:
    """Return the list of hitting sets of some sets.

    Parameters
    ----------
    features : int
        Members of sets are below it.
    sets : sequence of sequence of int
        The sets.
    most : int or None
        Members of a hitting set at most.
    minimal : bool
        Whether sets with a needless member are left out.
    """
    limit = _ANY if most is None else min(most, _ANY)
    return FeatureSetList.of_sets(features, [list(one) for one in sets], limit, minimal)


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
