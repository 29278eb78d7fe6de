"""Thresholds for a given shape and given features (002, Lemma 6: Algorithms 1 and 2).

Source      002: notes on Ordyniak & Szeider, "Parameterized complexity of small decision tree
            learning", AAAI 2021.
Theorem     Lemma 6 (Algorithms 1 and 2, findTH and binarySearch), Theorem 4 (a best tree that uses
            exactly the features S).
Time        findTH takes O(2^(d^2/2) ||E||^(1 + o(1)) log ||E||) for a shape of depth d (the notes
            also print d^(d^2/2)); Theorem 4 takes this for s^O(s) shapes with features.
Symbols     E examples, S support set, T pseudo tree: a shape, alpha the features of its nodes, lam
            (the source's lambda) their thresholds, both in preorder; c_l and c_r the children of
            the root, f its feature, t its threshold.
The idea    If a threshold admits the left subtree, so does every smaller threshold; the largest
            such threshold is best for the right child. Binary search finds it with calls for the
            left subtree.
Departures  1. A shape without examples admits any thresholds; `BELOW` is returned.
            2. `decision_tree` leaves out unnecessary nodes: nodes with an empty child and nodes of
               a uniform subset. So its tree may be smaller than its shape, and use fewer features
               than S.
            3. Any number of classes: uniform means that no two labels differ.
"""

from collections.abc import Iterator, Sequence

from exactree.spec.examples import BELOW, Examples, divide, domain, node, uniform
from exactree.spec.pseudo_trees import Pair, PseudoTree, at_root, pairs, pairs_by_depth
from exactree.spec.table import SpecLeaf, SpecTree

__all__ = ["binary_search", "decision_tree", "find_th", "shallowest_with", "smallest_with"]


def find_th(E: Examples, T: PseudoTree, alpha: Sequence[int]) -> tuple[float, ...] | None:
    """Return thresholds with which T classifies E, None if there are none (Algorithm 1).

    Parameters
    ----------
    E : tuple of Example
        The examples, possibly none.
    T : PseudoTree
        The shape.
    alpha : sequence of int
        The features of its nodes, in preorder.

    Returns
    -------
    tuple of float or None
        The thresholds of the nodes, in preorder.
    """
    if T is None:
        return () if uniform(E) else None
    c_l, c_r = T
    f, alpha_l, alpha_r = at_root(T, alpha)
    t = binary_search(E, c_l, alpha_l, f)
    left, right = divide(E, f, t)
    lam_r = find_th(right, c_r, alpha_r)
    if lam_r is None:
        return None
    lam_l = find_th(left, c_l, alpha_l)
    assert lam_l is not None  # by the choice of t
    return (t, *lam_l, *lam_r)


def binary_search(E: Examples, c_l: PseudoTree, alpha_l: Sequence[int], f: int) -> float:
    """Return the largest value t for which the left subtree classifies E[f <= t] (Algorithm 2).

    Parameters
    ----------
    E : tuple of Example
        The examples.
    c_l, alpha_l
        Shape and features of the left subtree.
    f : int
        Feature of the root.

    Returns
    -------
    float
        A value of the feature, or `BELOW`.
    """
    D = domain(E, f)
    L, R = 0, len(D) - 1
    while L <= R:
        m = (L + R) // 2
        left, _ = divide(E, f, D[m])
        if find_th(left, c_l, alpha_l) is not None:
            L = m + 1
        else:
            R = m - 1
    # Every index up to R admits the left subtree, and no index above R does.
    return D[R] if R >= 0 else BELOW


def decision_tree(
    E: Examples, T: PseudoTree, alpha: Sequence[int], lam: Sequence[float]
) -> SpecTree:
    """Return the tree of a shape, features and thresholds, without unnecessary nodes.

    Parameters
    ----------
    E : tuple of Example
        At least one example; the thresholds classify them.
    T, alpha, lam
        The shape, its features and its thresholds, in preorder.
    """
    if T is None or uniform(E):
        return SpecLeaf(E[0].label)
    f, alpha_l, alpha_r = at_root(T, alpha)
    t, lam_l, lam_r = lam[0], lam[1 : len(alpha_l) + 1], lam[len(alpha_l) + 1 :]
    left, right = divide(E, f, t)
    if not right:
        return decision_tree(left, T[0], alpha_l, lam_l)
    if not left:
        return decision_tree(right, T[1], alpha_r, lam_r)
    c_l = decision_tree(left, T[0], alpha_l, lam_l)
    return node(E, f, t, c_l, decision_tree(right, T[1], alpha_r, lam_r))


def smallest_with(E: Examples, S: frozenset[int], s: int) -> SpecTree | None:
    """Return a smallest tree of size at most s that uses exactly the features S (Theorem 4).

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    S : frozenset of int
        The features.
    s : int
        Maximum number of nodes.
    """
    return first_valid(E, pairs(S, s))


def shallowest_with(E: Examples, S: frozenset[int], d: int) -> SpecTree | None:
    """Return a tree of minimum depth, at most d, that uses exactly S (Theorem 4 for depth).

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    S : frozenset of int
        The features.
    d : int
        Maximum depth.
    """
    return first_valid(E, pairs_by_depth(S, len(set(E)) - 1, d))


def first_valid(E: Examples, candidates: Iterator[Pair]) -> SpecTree | None:
    """Return the tree of the first pair for which findTH finds thresholds."""
    for T, alpha in candidates:
        lam = find_th(E, T, alpha)
        if lam is not None:
            return decision_tree(E, T, alpha, lam)
    return None
