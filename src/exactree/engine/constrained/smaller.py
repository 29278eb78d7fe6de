"""Trees with fewer nodes: a feasible one, or one without superfluous nodes."""

from collections.abc import Callable, Iterator

from exactree.engine.constrained.ground import (
    CostedLeaf,
    CostedNode,
    CostedTree,
    Ground,
    Number,
    Subset,
)

__all__ = ["collapsed_until", "reduced"]

TreeTest = Callable[[CostedTree], bool]


def collapsed_until(ground: Ground, tree: CostedTree, obeys: TreeTest) -> CostedTree | None:
    """Return a feasible tree with nodes of the given one collapsed; None if there is none.

    One node after the other becomes a leaf, always the one that makes the cheapest tree.

    Parameters
    ----------
    ground : Ground
        The problem.
    tree : CostedLeaf or CostedNode
        Any tree.
    satisfies : callable
        What is wanted.
    """
    while not obeys(tree):
        fewer = [*_collapsed(ground, tree, ground.everything)]
        if not fewer:
            return None
        tree = min([each for each in fewer if obeys(each)] or fewer, key=lambda each: each.cost)
    return tree


def reduced(
    ground: Ground, tree: CostedTree, obeys: TreeTest, total: Callable[[CostedTree], Number]
) -> CostedTree:
    """Return a tree of which no node can be collapsed or replaced by a child at no cost.

    Parameters
    ----------
    ground : Ground
        The problem.
    tree : CostedLeaf or CostedNode
        Satisfies.
    satisfies : callable
        What is wanted.
    total : callable
        What a tree costs, features included.
    """
    while True:
        cost = total(tree)
        for fewer in _with_less(ground, tree, ground.everything):
            if total(fewer) <= cost and obeys(fewer):
                tree = fewer
                break
        else:
            return tree


def _collapsed(ground: Ground, tree: CostedTree, rows: Subset) -> Iterator[CostedTree]:
    """List the trees with one node as a leaf."""
    if isinstance(tree, CostedLeaf):
        return
    yield ground.leaf(rows)
    left = ground.holds(rows, tree.column, tree.rank)
    for side in _collapsed(ground, tree.left, rows[left]):
        yield CostedNode(tree.column, tree.rank, side, tree.right)
    for side in _collapsed(ground, tree.right, rows[~left]):
        yield CostedNode(tree.column, tree.rank, tree.left, side)


def _with_less(ground: Ground, tree: CostedTree, rows: Subset) -> Iterator[CostedTree]:
    """List the trees with one node as a leaf, or replaced by one of its children."""
    if isinstance(tree, CostedLeaf):
        return
    yield ground.leaf(rows)
    yield _refitted(ground, tree.left, rows)
    yield _refitted(ground, tree.right, rows)
    left = ground.holds(rows, tree.column, tree.rank)
    for side in _with_less(ground, tree.left, rows[left]):
        yield CostedNode(tree.column, tree.rank, side, tree.right)
    for side in _with_less(ground, tree.right, rows[~left]):
        yield CostedNode(tree.column, tree.rank, tree.left, side)


def _refitted(ground: Ground, tree: CostedTree, rows: Subset) -> CostedTree:
    """Return the same rules for other rows; rules that do not divide theirs are left out."""
    if isinstance(tree, CostedLeaf):
        return ground.leaf(rows)
    left = ground.holds(rows, tree.column, tree.rank)
    if left.all():
        return _refitted(ground, tree.left, rows)
    if not left.any():
        return _refitted(ground, tree.right, rows)
    return CostedNode(
        tree.column,
        tree.rank,
        _refitted(ground, tree.left, rows[left]),
        _refitted(ground, tree.right, rows[~left]),
    )
