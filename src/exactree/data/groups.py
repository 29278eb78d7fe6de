"""Groups of rows that agree in every feature: contradictions among them, and what they cost."""

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset

__all__ = ["contradictions", "duplicates", "unavoidable_errors"]

Integers = NDArray[np.int64]


def contradictions(dataset: Dataset, features: list[int] | None = None) -> list[list[int]]:
    """Return the groups of equal rows with different labels, as numbers of the user's rows.

    Parameters
    ----------
    dataset : Dataset
        The table.
    features : list of int, optional
        Those that count, by default all.

    Returns
    -------
    list of list of int
        By the first row of the group.
    """
    group, _, group_of_item = _groups(dataset, features)
    contradictory = np.bincount(group_of_item) > 1
    found: dict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero(contradictory[group]).tolist():
        found[int(group[row])].append(int(dataset.kept[row]))
    return list(found.values())


def unavoidable_errors(dataset: Dataset, features: list[int] | None = None) -> int:
    """Return the integer weight that every tree and every ensemble misclassifies.

    Parameters
    ----------
    dataset : Dataset
        The table.
    features : list of int, optional
        Those that rules may ask, by default all.
    """
    _, item, group_of_item = _groups(dataset, features)
    weights = np.zeros(len(group_of_item), dtype=np.int64)
    np.add.at(weights, item, dataset.weights)
    heaviest = np.zeros(int(group_of_item.max()) + 1, dtype=np.int64)
    np.maximum.at(heaviest, group_of_item, weights)
    return dataset.total_weight - int(heaviest.sum())


def duplicates(dataset: Dataset) -> int:
    """Return the number of rows that repeat another one, label included.

    Parameters
    ----------
    dataset : Dataset
        The table.
    """
    return len(dataset.X) - len(_groups(dataset)[2])


def _groups(
    dataset: Dataset, features: list[int] | None = None
) -> tuple[Integers, Integers, Integers]:
    """Return the group and the item of every row, and the group of every item."""
    X = dataset.X if features is None else np.ascontiguousarray(dataset.X[:, features])
    if X.shape[1] == 0:
        group = np.zeros(len(X), dtype=np.int64)
    else:
        # Numbers are finite and there is one zero, so rows agree where their bytes do.
        rows = X.view(np.dtype((np.void, X.itemsize * X.shape[1])))
        group = np.unique(rows[:, 0], return_inverse=True)[1].astype(np.int64)
    classes = len(dataset.classes)
    items, item = np.unique(group * classes + dataset.labels, return_inverse=True)
    return group, item, items // classes
