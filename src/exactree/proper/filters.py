"""Trees within limits, pruned as soon as a subtree breaks a limit (section 4.8.1).

Departures
  1. Trees with no rule or one rule are also filtered; otherwise equation (24) would not hold.
  2. Leaves have at least n examples; the paper requires more than n.
"""

from collections.abc import Callable, Sized
from typing import TypeVar

from exactree.proper.generators import joined
from exactree.proper.space import Space
from exactree.proper.tree import DTree, Leaf, depth, leaves

R = TypeVar("R")
D = TypeVar("D")
S = TypeVar("S", bound=Sized)


def gen_dtfs(
    space: Space[R, D], allowed: Callable[[DTree[R, D]], bool], rs: tuple[R, ...], xs: D
) -> list[DTree[R, D]]:
    """Return the trees of `gen_dts` that a filter allows, filtered during the construction.

    Parameters
    ----------
    space : Space
        The space of trees.
    allowed : callable
        The filter. It must be *prefix-closed*: if it allows a tree, it allows both subtrees of
        the root, even with more data in their leaves.
    rs : tuple
        The rules.
    xs : object
        The data of the root.
    """
    if not rs:
        trees: list[DTree[R, D]] = [Leaf(xs)]
    else:
        trees = [
            joined(space, u, root, v)
            for left, root, right in space.splits(rs)
            for u in gen_dtfs(space, allowed, left, xs)
            for v in gen_dtfs(space, allowed, right, xs)
        ]
    return [tree for tree in trees if allowed(tree)]


def leaves_of_at_least(n: int) -> Callable[[DTree[R, S]], bool]:
    """Return the filter that allows trees with at least n examples in every leaf.

    Parameters
    ----------
    n : int
        The minimum number of examples.
    """
    return lambda tree: all(len(data) >= n for data in leaves(tree))


def depth_of_at_most(n: int) -> Callable[[DTree[R, D]], bool]:
    """Return the filter that allows trees up to a depth.

    Parameters
    ----------
    n : int
        The maximum depth.
    """
    return lambda tree: depth(tree) <= n
