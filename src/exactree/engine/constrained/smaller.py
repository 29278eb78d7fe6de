"""Pruning of trees: until they are feasible, and of superfluous nodes."""

from collections.abc import Callable, Iterator

from exactree.engine.constrained.prepared import (
    CostedLeaf,
    CostedNode,
    CostedTree,
    Number,
    PreparedProblem,
    Subset,
)

__all__ = ["collapsed_until", "reduced"]

TreeTest = Callable[[CostedTree], bool]


def collapsed_until(
    prepared: PreparedProblem, tree: CostedTree, obeys: TreeTest
) -> CostedTree | None:
    """Return a feasible tree made by collapsing nodes; None if there is none.

    One node after the other becomes a leaf; each time the node is chosen for the cheapest tree.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    tree : CostedLeaf or CostedNode
        Any tree.
    obeys : callable
        Returns whether a tree is feasible.
    """
    while not obeys(tree):
        fewer = [*_collapsed(prepared, tree, prepared.everything)]
        if not fewer:
            return None
        tree = min([each for each in fewer if obeys(each)] or fewer, key=lambda each: each.cost)
    return tree


def reduced(
    prepared: PreparedProblem,
    tree: CostedTree,
    obeys: TreeTest,
    total: Callable[[CostedTree], Number],
) -> CostedTree:
    """Return a tree without nodes that can be collapsed or replaced by a child at no cost.

    Parameters
    ----------
    prepared : PreparedProblem
        The problem.
    tree : CostedLeaf or CostedNode
        A feasible tree.
    obeys : callable
        Returns whether a tree is feasible.
    total : callable
        Returns the cost of a tree, with the prices of its features.
    """
    while True:
        cost = total(tree)
        for fewer in _with_less(prepared, tree, prepared.everything):
            if total(fewer) <= cost and obeys(fewer):
                tree = fewer
                break
        else:
            return tree


def _collapsed(prepared: PreparedProblem, tree: CostedTree, rows: Subset) -> Iterator[CostedTree]:
    """List the trees with one node as a leaf."""
    if isinstance(tree, CostedLeaf):
        return
    yield prepared.leaf(rows)
    left = prepared.holds(rows, tree.column, tree.rank)
    for side in _collapsed(prepared, tree.left, rows[left]):
        yield CostedNode(tree.column, tree.rank, side, tree.right)
    for side in _collapsed(prepared, tree.right, rows[~left]):
        yield CostedNode(tree.column, tree.rank, tree.left, side)


def _with_less(prepared: PreparedProblem, tree: CostedTree, rows: Subset) -> Iterator[CostedTree]:
    """List the trees with one node as a leaf, or replaced by one of its children."""
    if isinstance(tree, CostedLeaf):
        return
    yield prepared.leaf(rows)
    yield _refitted(prepared, tree.left, rows)
    yield _refitted(prepared, tree.right, rows)
    left = prepared.holds(rows, tree.column, tree.rank)
    for side in _with_less(prepared, tree.left, rows[left]):
        yield CostedNode(tree.column, tree.rank, side, tree.right)
    for side in _with_less(prepared, tree.right, rows[~left]):
        yield CostedNode(tree.column, tree.rank, tree.left, side)


def _refitted(prepared: PreparedProblem, tree: CostedTree, rows: Subset) -> CostedTree:
    """Return the tree for other rows, without splits that have an empty child."""
    if isinstance(tree, CostedLeaf):
        return prepared.leaf(rows)
    left = prepared.holds(rows, tree.column, tree.rank)
    if left.all():
        return _refitted(prepared, tree.left, rows)
    if not left.any():
        return _refitted(prepared, tree.right, rows)
    return CostedNode(
        tree.column,
        tree.rank,
        _refitted(prepared, tree.left, rows[left]),
        _refitted(prepared, tree.right, rows[~left]),
    )
