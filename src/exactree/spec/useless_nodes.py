"""Taking useless nodes out of an ensemble whose errors may not exceed a limit."""

from collections.abc import Iterator

from exactree.spec.table import Leaf, Node, SpecTree
from exactree.spec.witness import TrainingData, dirty

__all__ = ["Trees", "reduced", "without_a_node"]

Trees = tuple[SpecTree, ...]


def reduced(E: TrainingData, trees: Trees) -> Trees:
    """Return an ensemble that needs each of its nodes to make at most t errors.

    Parameters
    ----------
    E : TrainingData
        The table, with the errors allowed.
    trees : tuple of SpecTree
        An ensemble with at most t errors.
    """
    for i, tree in enumerate(trees):
        for smaller in without_a_node(E, tree):
            fewer = (*trees[:i], smaller, *trees[i + 1 :])
            if E.weight(dirty(E, fewer)) <= E.t:
                return reduced(E, fewer)
    return trees


def without_a_node(E: TrainingData, tree: SpecTree) -> Iterator[SpecTree]:
    """Yield the trees in which a node has become a leaf or one of its two subtrees."""
    if isinstance(tree, Node):
        yield from (tree.left, tree.right)
        yield from map(Leaf, range(E.classes))
        for left in without_a_node(E, tree.left):
            yield Node(tree.rule, left, tree.right)
        for right in without_a_node(E, tree.right):
            yield Node(tree.rule, tree.left, right)
