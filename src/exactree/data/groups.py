"""Groups of rows that agree in every feature: contradictions and unavoidable errors."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset

__all__ = ["Groups", "contradictions", "duplicates", "groups_of_ranks", "unavoidable_errors"]

Integers = NDArray[np.int64]

# Combinations of ranks are numbered with at most this number of bits.
_BITS = 62


class Groups(NamedTuple):
    """Two partitions of the rows: by equal features, and by equal features and label.

    Attributes
    ----------
    group : ndarray of int64
        The group of each row; rows of a group agree in all chosen features.
    item : ndarray of int64
        The item of each row; rows of an item agree in the label as well.
    group_of_item : ndarray of int64
        The group of each item.
    """

    group: Integers
    item: Integers
    group_of_item: Integers


def contradictions(
    dataset: Dataset, features: list[int] | None = None, groups: Groups | None = None
) -> list[list[int]]:
    """Return the groups of equal rows with different labels, as numbers of the user's rows.

    Parameters
    ----------
    dataset : Dataset
        The table.
    features : list of int, optional
        The features that are compared, by default all.
    groups : Groups, optional
        The groups of rows by these features, if they are known.

    Returns
    -------
    list of list of int
        In the order of the first rows of the groups.
    """
    group, _, group_of_item = groups or _groups(dataset, features)
    contradictory = np.bincount(group_of_item) > 1
    found: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(contradictory[group]).tolist():
        found[int(group[row])].append(int(dataset.kept[row]))
    return list(found.values())


def unavoidable_errors(
    dataset: Dataset, features: list[int] | None = None, groups: Groups | None = None
) -> int:
    """Return the integer weight that every tree and every ensemble misclassifies.

    Parameters
    ----------
    dataset : Dataset
        The table.
    features : list of int, optional
        The features that splits may use, by default all.
    groups : Groups, optional
        The groups of rows by these features, if they are known.
    """
    _, item, group_of_item = groups or _groups(dataset, features)
    weights = np.zeros(len(group_of_item), dtype=np.int64)
    np.add.at(weights, item, dataset.weights)
    heaviest = np.zeros(int(group_of_item.max()) + 1, dtype=np.int64)
    np.maximum.at(heaviest, group_of_item, weights)
    return dataset.total_weight - int(heaviest.sum())


def duplicates(groups: Groups) -> int:
    """Return the number of rows that repeat an earlier row, including the label.

    Parameters
    ----------
    groups : Groups
        The groups of rows by all features.
    """
    return len(groups.item) - len(groups.group_of_item)


def groups_of_ranks(
    dataset: Dataset, ranks: Sequence[Integers], check: Callable[[], object]
) -> Groups:
    """Return the groups of rows by all features, a few features at a time.

    Parameters
    ----------
    dataset : Dataset
        The table.
    ranks : sequence of ndarray of int64
        For each feature, the index of each row's value among the distinct values.
    check : callable
        Called before each feature; it may raise to end the work.
    """
    group = np.zeros(len(dataset.X), dtype=np.int64)
    combinations = 1
    for column in ranks:
        check()
        distinct = int(column.max()) + 1
        if (combinations * distinct).bit_length() > _BITS:
            present, group = np.unique(group, return_inverse=True)
            combinations = len(present)
            if combinations == len(group):
                break  # all rows differ
        group, combinations = group * distinct + column, combinations * distinct
    check()
    return _with_items(dataset, np.unique(group, return_inverse=True)[1].astype(np.int64))


def _groups(dataset: Dataset, features: list[int] | None = None) -> Groups:
    X = dataset.X if features is None else np.ascontiguousarray(dataset.X[:, features])
    if X.shape[1] == 0:
        return _with_items(dataset, np.zeros(len(X), dtype=np.int64))
    # There is no -0.0 and a single NaN (see `make_dataset`), so rows are equal iff their bytes are.
    rows = X.view(np.dtype((np.void, X.itemsize * X.shape[1])))
    group = np.unique(rows[:, 0], return_inverse=True)[1].astype(np.int64)
    return _with_items(dataset, group)


def _with_items(dataset: Dataset, group: Integers) -> Groups:
    classes = len(dataset.classes)
    items, item = np.unique(group * classes + dataset.labels, return_inverse=True)
    return Groups(group, item, items // classes)
