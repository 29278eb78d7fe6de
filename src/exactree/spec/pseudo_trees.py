"""Shapes of trees with a feature for every node, and all of them (002, Lemma 5).

Source      002: notes on Ordyniak & Szeider, AAAI 2021.
Theorem     Lemma 5.
Time        s^O(s) shapes with features, for at most s nodes.
Symbols     T pseudo tree: a shape, alpha the features of its nodes in preorder, S the features to
            be used, s maximum number of nodes, d depth.
The idea    There are few shapes of few nodes, and few assignments of features of a small set to
            nodes: both are listed. Thresholds are too many for that, see
            `exactree.spec.find_thresholds`.
Departures  1. Shapes are listed from small to large, for depth from shallow to deep, so that the
               first valid shape is best.
            2. The number of nodes is also limited for depth: a tree for n different examples needs
               at most n - 1.
"""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import TypeAlias

__all__ = [
    "Pair",
    "PseudoTree",
    "assignments",
    "at_root",
    "depth_of",
    "pairs",
    "pairs_by_depth",
    "pseudo_trees",
    "size_of",
]

# A leaf is None, a node the pair of its subtrees.
PseudoTree: TypeAlias = "tuple[PseudoTree, PseudoTree] | None"
Pair: TypeAlias = tuple[PseudoTree, tuple[int, ...]]


def at_root(T: PseudoTree, alpha: Sequence[int]) -> tuple[int, Sequence[int], Sequence[int]]:
    """Return the feature of the root, and those of its two subtrees."""
    assert T is not None
    nodes = size_of(T[0])
    return alpha[0], alpha[1 : nodes + 1], alpha[nodes + 1 :]


def size_of(T: PseudoTree) -> int:
    """Return the number of nodes of a shape."""
    return 0 if T is None else size_of(T[0]) + size_of(T[1]) + 1


def depth_of(T: PseudoTree) -> int:
    """Return the number of nodes on the longest path of a shape."""
    return 0 if T is None else max(depth_of(T[0]), depth_of(T[1])) + 1


def pseudo_trees(s: int, d: int) -> Iterator[PseudoTree]:
    """List the shapes with exactly s nodes and depth at most d."""
    if s == 0:
        yield None
    elif d > 0:
        for left in range(s):
            yield from product(pseudo_trees(left, d - 1), pseudo_trees(s - 1 - left, d - 1))


def assignments(T: PseudoTree, S: frozenset[int]) -> Iterator[tuple[int, ...]]:
    """List the assignments of features of S to the nodes of T that use all of S."""
    for alpha in product(sorted(S), repeat=size_of(T)):
        if set(alpha) == S:
            yield alpha


def pairs(S: frozenset[int], s: int) -> Iterator[Pair]:
    """List the shapes of at most s nodes with exactly the features S, by size (Lemma 5)."""
    for nodes in range(len(S), s + 1):
        for T in pseudo_trees(nodes, nodes):
            for alpha in assignments(T, S):
                yield T, alpha


def pairs_by_depth(S: frozenset[int], s: int, d: int) -> Iterator[Pair]:
    """List the shapes of at most s nodes and depth d with exactly the features S, by depth.

    Parameters
    ----------
    S : frozenset of int
        The features, all of which are used.
    s, d : int
        Maximum number of nodes, in total and on a path.
    """
    for depth in range(d + 1):
        for nodes in range(max(len(S), depth), min(s, (1 << depth) - 1) + 1):
            for T in pseudo_trees(nodes, depth):
                if depth_of(T) == depth:
                    for alpha in assignments(T, S):
                        yield T, alpha
