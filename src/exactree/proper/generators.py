"""All trees of given rules: the partial generator genBTs and the complete generator genDTs."""

from typing import TypeVar

from exactree.proper.space import Space
from exactree.proper.tree import BTree, DTree, Leaf, Node, map_d

R = TypeVar("R")
D = TypeVar("D")


def gen_bts(space: Space[R, D], rs: tuple[R, ...]) -> list[BTree[R]]:
    """Return the trees that use each rule once; their leaves are empty (Definition 4.4).

    Parameters
    ----------
    space : Space
        The space of trees.
    rs : tuple
        The rules.
    """
    if not rs:
        return [Leaf(None)]
    return [
        Node(u, root, v)
        for left, root, right in space.splits(rs)
        for u in gen_bts(space, left)
        for v in gen_bts(space, right)
    ]


def gen_dts(space: Space[R, D], rs: tuple[R, ...], xs: D) -> list[DTree[R, D]]:
    """Return the trees that use each rule once, with the data of each leaf (Theorem 4.10).

    The data are accumulated during the construction, not afterwards (`complete`).

    Parameters
    ----------
    space : Space
        The space of trees, which divides data by rules.
    rs : tuple
        The rules.
    xs : object
        The data of the root.
    """
    if not rs:
        return [Leaf(xs)]
    return [
        joined(space, u, root, v)
        for left, root, right in space.splits(rs)
        for u in gen_dts(space, left, xs)
        for v in gen_dts(space, right, xs)
    ]


def joined(space: Space[R, D], left: DTree[R, D], root: R, right: DTree[R, D]) -> Node[R, D]:
    """Return a node over two trees, whose leaves keep the data on their side of the root.

    Parameters
    ----------
    space : Space
        The space, which divides data by rules.
    left, right : Leaf or Node
        The two subtrees.
    root : object
        The rule.
    """
    return Node(
        map_d(lambda data: space.divide(root, data)[0], left),
        root,
        map_d(lambda data: space.divide(root, data)[1], right),
    )
