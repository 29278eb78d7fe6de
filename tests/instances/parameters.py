"""The parameters of source 002, counted from their definitions."""

from itertools import combinations

import numpy as np

from exactree.instances import Instance


def delta_max(instance: Instance) -> int:
    """Return the largest number of features in which two examples of different classes differ."""
    X, y = instance.X, instance.y
    pairs = combinations(range(len(X)), 2)
    return max(int((X[a] != X[b]).sum()) for a, b in pairs if y[a] != y[b])


def smallest_class(instance: Instance) -> int:
    """Return min_#, the size of the smallest class."""
    return int(np.unique(instance.y, return_counts=True)[1].min())


def max_values(instance: Instance) -> int:
    """Return D_max, the largest number of distinct values of a feature."""
    return max(len(np.unique(column)) for column in instance.X.T)
