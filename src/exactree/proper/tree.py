"""Decision trees as data: a leaf that holds something, or a rule between two trees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Leaf(Generic[A]):
    """The end of a path: DL in the paper, and L if it holds nothing.

    Attributes
    ----------
    data : object
        What reaches the leaf; None in a partial tree.
    """

    data: A


@dataclass(frozen=True)
class Node(Generic[R, A]):
    """A rule between two trees: DN in the paper, and N if the leaves hold nothing.

    Attributes
    ----------
    left : Leaf or Node
        The tree of the positive side.
    rule : object
        The rule.
    right : Leaf or Node
        The tree of the negative side.
    """

    left: DTree[R, A]
    rule: R
    right: DTree[R, A]


DTree: TypeAlias = Node[R, A] | Leaf[A]
BTree: TypeAlias = Node[R, None] | Leaf[None]


def map_d(change: Callable[[A], B], tree: DTree[R, A]) -> DTree[R, B]:
    """Return the tree with every leaf's data changed: mapD of section 3.2.4.

    Parameters
    ----------
    change : callable
        What becomes of a leaf's data.
    tree : Leaf or Node
        Any tree.
    """
    if isinstance(tree, Leaf):
        return Leaf(change(tree.data))
    return Node(map_d(change, tree.left), tree.rule, map_d(change, tree.right))


def leaves(tree: DTree[R, A]) -> Iterator[A]:
    """List what the leaves hold, from left to right.

    Parameters
    ----------
    tree : Leaf or Node
        Any tree.
    """
    if isinstance(tree, Leaf):
        yield tree.data
    else:
        yield from leaves(tree.left)
        yield from leaves(tree.right)


def level_order(tree: DTree[R, A]) -> tuple[R, ...]:
    """Return the rules level by level, each level from left to right.

    Parameters
    ----------
    tree : Leaf or Node
        Any tree.
    """
    rules: list[R] = []
    level: list[DTree[R, A]] = [tree]
    while level:
        nodes = [node for node in level if isinstance(node, Node)]
        rules += [node.rule for node in nodes]
        level = [side for node in nodes for side in (node.left, node.right)]
    return tuple(rules)


def size(tree: DTree[R, A]) -> int:
    """Return the number of nodes.

    Parameters
    ----------
    tree : Leaf or Node
        Any tree.
    """
    return len(level_order(tree))


def depth(tree: DTree[R, A]) -> int:
    """Return the number of nodes on the longest path; a leaf has depth 0.

    Parameters
    ----------
    tree : Leaf or Node
        Any tree.
    """
    if isinstance(tree, Leaf):
        return 0
    return 1 + max(depth(tree.left), depth(tree.right))
