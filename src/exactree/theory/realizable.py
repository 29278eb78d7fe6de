"""The partitions of a small table by trees of a shape, by enumeration.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Definition 5, which Theorems 7 and 9 bound; Definition 12 and Proposition 13.
Symbols      P_T^c(S) realizable_partitions; R(S) sides_of_rules; Q^c pairwise_unions.
The idea     Every rule at every node, and every labeling of the leaves; labels are then dropped.
"""

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import checked_integer
from exactree.theory.features import Features
from exactree.theory.partitions import checked_arguments
from exactree.theory.shape import TreeShape

Block = frozenset[int]
Partition = frozenset[Block]


def realizable_partitions(
    shape: TreeShape, X: Any, n_parts: int, features: Features | None = None
) -> set[Partition]:
    """Return all partitions of a table into a number of parts by trees of a shape.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    X : array-like of shape (n_examples, n_features)
        A small table of numbers; the time grows exponentially.
    n_parts : int
        At least 1. Leaves without examples are allowed; leaves of the same class form one part.
    features : Features, optional
        Description of the columns: first the numeric features, then the ordinal, then the nominal
        features. By default all are numeric.
    """
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"X must have rows and columns, found the shape {table.shape}.")
    checked_arguments(shape, len(table), n_parts)
    columns = Features(numeric=table.shape[1]) if features is None else features
    if columns.surfaces or columns.fixed_rules:
        raise ValueError("realizable partitions are counted only for rules on one feature.")
    if columns.count != table.shape[1]:
        raise ValueError(f"X has {table.shape[1]} columns, but features describes {columns.count}.")
    labelings = _labelings(shape, table, frozenset(range(len(table))), n_parts, columns, {})
    partitions = {frozenset(filter(None, parts)) for parts in labelings}
    return {partition for partition in partitions if len(partition) == n_parts}


def _labelings(
    shape: TreeShape,
    X: NDArray[np.float64],
    subset: Block,
    n_classes: int,
    features: Features,
    cache: dict[tuple[TreeShape, Block], set[tuple[Block, ...]]],
) -> set[tuple[Block, ...]]:
    """Return the labelings of a subset by trees of a shape: the examples of each class."""
    if (shape, subset) in cache:
        return cache[shape, subset]
    empty: Block = frozenset()
    if shape.children is None:
        classes = range(n_classes)
        return {tuple(subset if c == label else empty for c in classes) for label in classes}
    found: set[tuple[Block, ...]] = set()
    left, right = shape.children
    for side in sides_of_rules(X, subset, features) | {empty, subset}:
        for p, q in product(
            _labelings(left, X, side, n_classes, features, cache),
            _labelings(right, X, subset - side, n_classes, features, cache),
        ):
            found.add(tuple(a | b for a, b in zip(p, q, strict=True)))
    cache[shape, subset] = found
    return found


def sides_of_rules(X: NDArray[np.float64], subset: Block, features: Features) -> set[Block]:
    """Return every side of every rule that splits a subset."""
    sides: set[Block] = set()
    for feature in range(X.shape[1]):
        values = sorted({X[row, feature] for row in subset})
        if feature < features.numeric + len(features.ordinal):
            value_sets = [values[:end] for end in range(len(values))]
        elif features.nominal_rules == "one-against-rest":
            value_sets = [[value] for value in values]
        else:
            value_sets = [list(c) for n in range(len(values)) for c in combinations(values, n)]
        for value_set in value_sets:
            side = frozenset(row for row in subset if X[row, feature] in value_set)
            sides |= {side, subset - side}
    return sides - {frozenset(), subset}


def pairwise_unions(first: Partition, second: Partition, n_parts: int) -> Iterator[Partition]:
    """Yield the partitions into a number of parts that unite pairs of parts (Definition 12).

    Parameters
    ----------
    first, second : frozenset of frozensets
        Partitions of two disjoint sets.
    n_parts : int
        At least 1. A part of one partition is united with at most one part of the other.
    """
    pairs = len(first) + len(second) - checked_integer("n_parts", n_parts, 1)
    if pairs < 0:
        return
    for first_parts, second_parts in product(
        combinations(first, pairs), permutations(second, pairs)
    ):
        joined = frozenset(a | b for a, b in zip(first_parts, second_parts, strict=True))
        yield joined | (first - set(first_parts)) | (second - set(second_parts))
