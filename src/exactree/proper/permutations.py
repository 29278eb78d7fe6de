"""Combinations and permutations of rules, and the trees of permutations.

Departures
  1. A permutation is valid if inserting its rules one by one gives a tree with this level order.
     The paper names the predicate, but not its computation.
"""

from collections.abc import Sequence
from itertools import combinations, permutations
from operator import index
from typing import TypeVar

from exactree.data.parameters import shown
from exactree.proper.ancestry import Ancestry
from exactree.proper.tree import BTree, Leaf, Node, level_order

R = TypeVar("R")


def kcombs(k: int, rs: Sequence[R]) -> list[tuple[R, ...]]:
    """Return all choices of k rules, in the order of the list.

    Parameters
    ----------
    k : int
        The number of rules to choose.
    rs : sequence
        The rules.
    """
    return list(combinations(rs, checked_size(k, len(rs))))


def checked_size(k: int, rules: int) -> int:
    """Return the user's k as an int; a k above the number of rules becomes that number plus one.

    `combinations` refuses a k that exceeds a machine word.

    Parameters
    ----------
    k : int
        The user's argument.
    rules : int
        The number of available rules.

    Raises
    ------
    ValueError
        If k is not an integer >= 0.
    """
    try:
        number = -1 if isinstance(k, bool) else index(k)
    except TypeError:
        number = -1
    if number < 0:
        raise ValueError(f"k must be an integer >= 0, got {shown(k)}.")
    return min(number, rules + 1)


def kperms(k: int, rs: Sequence[R]) -> list[tuple[R, ...]]:
    """Return all orders of all choices of k rules: equation (8).

    Parameters
    ----------
    k : int
        The number of rules to choose.
    rs : sequence
        The rules.
    """
    return [order for chosen in kcombs(k, rs) for order in permutations(chosen)]


def tree_of(K: Ancestry[R], permutation: Sequence[R]) -> BTree[R] | None:
    """Return the proper tree with a permutation as its level order, None if it is invalid.

    Each rule has one position: from the root it goes to the side where it is allowed, until it
    reaches a leaf. So a permutation belongs to at most one tree (Corollary 3.6).

    Parameters
    ----------
    K : Ancestry
        The ancestry matrix of these rules and any others.
    permutation : sequence
        Different rules.
    """
    tree: BTree[R] = Leaf(None)
    for rule in permutation:
        longer = _inserted(K, tree, rule)
        if longer is None:
            return None
        tree = longer
    return tree if level_order(tree) == tuple(permutation) else None


def _inserted(K: Ancestry[R], tree: BTree[R], rule: R) -> BTree[R] | None:
    """Return the tree with a further rule at the end of its path."""
    if isinstance(tree, Leaf):
        return Node(Leaf(None), rule, Leaf(None))
    side = K[tree.rule, rule]
    if side > 0:
        left = _inserted(K, tree.left, rule)
        return None if left is None else Node(left, tree.rule, tree.right)
    if side < 0:
        right = _inserted(K, tree.right, rule)
        return None if right is None else Node(tree.left, tree.rule, right)
    return None


def valid(K: Ancestry[R], permutation: Sequence[R]) -> bool:
    """Return whether a permutation is the level order of a proper tree: the paper's predicate p.

    Parameters
    ----------
    K : Ancestry
        The ancestry matrix of these rules and any others.
    permutation : sequence
        Different rules.
    """
    return tree_of(K, permutation) is not None
