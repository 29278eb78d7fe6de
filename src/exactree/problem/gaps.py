"""Thresholds between neighbouring values of the whole table in a tree that is handed out.

A node's part may have no values where the table has some, and any threshold between divides the
part alike. Where trees must be monotone, it matters which: then it is one that the search chose.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from exactree.trees import Tree
from exactree.trees.shape import AT_MOST

__all__ = ["with_thresholds"]


def with_thresholds(tree: Tree, thresholds: Sequence[float]) -> Tree:
    """Return the tree with other thresholds that divide its table as its own do.

    Parameters
    ----------
    tree : Tree
        Any tree.
    thresholds : sequence of float
        For every node in preorder; what stands for leaves and for codes is not looked at.
    """
    chosen = np.where(tree.comparison == AT_MOST, thresholds, tree.threshold)
    return replace(tree, threshold=chosen)
