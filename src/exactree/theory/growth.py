"""Upper bounds on the growth function of a tree shape, for any number of classes.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Inequality (4).
The idea     c parts can be given n(n-1)...(n-c+1) different labelings with n classes, so the
             growth function is at most the sum over c of that times the c-partitioning function.
"""

from math import log, perm

import numpy as np

from exactree.data.parameters import MAX_COUNT, checked_integer
from exactree.theory.divisions import log_total
from exactree.theory.features import Features
from exactree.theory.log_partitions import LogPartitioningBounds
from exactree.theory.partitions import Form, PartitioningBounds, checked_arguments
from exactree.theory.shape import TreeShape


def growth_function_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_classes: int,
    form: Form = "tight",
) -> int:
    """Return a bound on the number of labelings of examples by trees.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples, n_classes : int
        At least 1 each.
    form : {"tight", "loose", "paper"}
        See `PartitioningBounds`.
    """
    tables = PartitioningBounds(n_features, form)
    parts = _parts(shape, n_examples, n_classes)
    return sum(perm(n_classes, c) * tables.bound(shape, n_examples, c) for c in parts)


def log_growth_function_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_classes: int,
    form: Form = "loose",
) -> float:
    """Return the natural logarithm of a bound on the number of labelings by trees.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples, n_classes : int
        At least 1 each.
    form : {"loose", "tight", "paper"}
        See `PartitioningBounds`.
    """
    tables = LogPartitioningBounds(n_features, form)
    parts = _parts(shape, n_examples, n_classes)
    addends = [log(perm(n_classes, c)) + tables.bound(shape, n_examples, c) for c in parts]
    return log_total(np.array(addends))


def _parts(shape: TreeShape, n_examples: int, n_classes: int) -> range:
    """Return the possible numbers of parts of trees of a shape."""
    m = checked_arguments(shape, n_examples, 1)[0]
    classes = checked_integer("n_classes", n_classes, 1, MAX_COUNT)
    return range(1, min(m, classes, shape.leaves) + 1)
