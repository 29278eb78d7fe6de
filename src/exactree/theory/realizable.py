"""Which partitions of a small table trees of a shape can make, by plain enumeration.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Definition 5, which Theorems 7 and 9 bound; Definition 12 and Proposition 13.
Symbols      P_T^c(S) realizable_partitions; R(S) divided; Q^c pairwise_unions.
The idea     Every rule at every node, every labeling of the leaves; labels are then forgotten.
"""

from collections.abc import Iterator
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.theory.counts import whole
from exactree.theory.partitions import checked
from exactree.theory.shape import TreeShape

Part = frozenset[int]
Partition = frozenset[Part]


def realizable_partitions(shape: TreeShape, X: Any, n_parts: int) -> set[Partition]:
    """Return all ways in which trees of a shape divide a table into so many parts.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    X : array-like of shape (n_examples, n_features)
        A small table of numbers: the time grows exponentially.
    n_parts : int
        At least 1. Leaves that no example reaches are allowed, leaves of one class are one part.
    """
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"X must have rows and columns, found the shape {table.shape}.")
    checked(shape, len(table), n_parts)
    labelings = _labelings(shape, table, frozenset(range(len(table))), n_parts, {})
    partitions = {frozenset(filter(None, parts)) for parts in labelings}
    return {partition for partition in partitions if len(partition) == n_parts}


def _labelings(
    shape: TreeShape,
    X: NDArray[np.float64],
    part: Part,
    n_classes: int,
    known: dict[tuple[TreeShape, Part], set[tuple[Part, ...]]],
) -> set[tuple[Part, ...]]:
    """Return what trees of a shape predict for a part: the examples of each class."""
    if (shape, part) in known:
        return known[shape, part]
    none: Part = frozenset()
    if shape.children is None:
        classes = range(n_classes)
        return {tuple(part if c == own else none for c in classes) for own in classes}
    found: set[tuple[Part, ...]] = set()
    left, right = shape.children
    for side in divided(X, part) | {none, part}:
        for p, q in product(
            _labelings(left, X, side, n_classes, known),
            _labelings(right, X, part - side, n_classes, known),
        ):
            found.add(tuple(a | b for a, b in zip(p, q, strict=True)))
    known[shape, part] = found
    return found


def divided(X: NDArray[np.float64], part: Part) -> set[Part]:
    """Return every side, not empty and not all, of every rule that divides a part."""
    sides: set[Part] = set()
    for feature, row in product(range(X.shape[1]), part):
        side = frozenset(r for r in part if X[r, feature] <= X[row, feature])
        sides |= {side, part - side}
    return sides - {frozenset(), part}


def pairwise_unions(first: Partition, second: Partition, n_parts: int) -> Iterator[Partition]:
    """Yield the partitions into so many parts that unite pairs of parts (Definition 12).

    Parameters
    ----------
    first, second : frozenset of frozensets
        Partitions of two disjoint sets.
    n_parts : int
        At least 1. A part of one partition is united with at most one of the other.
    """
    pairs = len(first) + len(second) - whole("n_parts", n_parts, 1)
    if pairs < 0:
        return
    for ours, theirs in product(combinations(first, pairs), permutations(second, pairs)):
        joined = frozenset(a | b for a, b in zip(ours, theirs, strict=True))
        yield joined | (first - set(ours)) | (second - set(theirs))
