"""Decision trees as data types: a leaf with data, or a rule with two subtrees."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

R = TypeVar("R")
A = TypeVar("A")
B = TypeVar("B")


@dataclass(frozen=True)
class Leaf(Generic[A]):
    """A leaf: DL in the paper, or L if it is empty.

    Attributes
    ----------
    data : object
        The data that reach the leaf; None if the leaf is empty.
    """

    data: A


@dataclass(frozen=True)
class Node(Generic[R, A]):
    """An inner node: DN in the paper, or N if the leaves are empty.

    Attributes
    ----------
    left : Leaf or Node
        The subtree of the positive side.
    rule : object
        The rule.
    right : Leaf or Node
        The subtree of the negative side.
    """

    left: DTree[R, A]
    rule: R
    right: DTree[R, A]


# The paper's names: a decision tree, with data in its leaves, and a binary tree, with empty leaves.
DTree: TypeAlias = Node[R, A] | Leaf[A]
BTree: TypeAlias = Node[R, None] | Leaf[None]


def folded(tree: DTree[R, A], leaf: Callable[[A], B], join: Callable[[B, R, B], B]) -> B:
    """Return the fold of a tree from the leaves upwards, without recursion.

    Parameters
    ----------
    tree : Leaf or Node
        Any tree.
    leaf : callable
        Returns the result of a leaf from its data.
    join : callable
        Returns the result of a node from that of its left subtree, its rule, and that of its right
        subtree.
    """
    stack: list[tuple[DTree[R, A], bool]] = [(tree, False)]
    done: list[B] = []
    while stack:
        node, children_done = stack.pop()
        if isinstance(node, Leaf):
            done.append(leaf(node.data))
        elif children_done:
            right, left = done.pop(), done.pop()
            done.append(join(left, node.rule, right))
        else:
            stack += [(node, True), (node.right, False), (node.left, False)]
    return done[0]


def map_d(change: Callable[[A], B], tree: DTree[R, A]) -> DTree[R, B]:
    """Return the tree with every leaf's data changed: mapD of section 3.2.4.

    Parameters
    ----------
    change : callable
        Returns the new data of a leaf.
    tree : Leaf or Node
        Any tree.
    """

    def changed(data: A) -> DTree[R, B]:
        return Leaf(change(data))

    def joined(left: DTree[R, B], rule: R, right: DTree[R, B]) -> DTree[R, B]:
        return Node(left, rule, right)

    return folded(tree, changed, joined)


def leaves(tree: DTree[R, A]) -> Iterator[A]:
    """List the data of the leaves from left to right.

    Parameters
    ----------
    tree : Leaf or Node
        Any tree.
    """
    stack = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, Leaf):
            yield node.data
        else:
            stack += [node.right, node.left]


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
        level = [child for node in nodes for child in (node.left, node.right)]
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

    def joined(left: int, _: R, right: int) -> int:
        return 1 + max(left, right)

    return folded(tree, lambda _: 0, joined)
