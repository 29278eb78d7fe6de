"""Trees that a local search changes: a split of all rows of the table at each node."""

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from exactree.engine.oblique.linear_trees import Split
from exactree.trees.routing import NO_CHILD

__all__ = ["ONE_LEAF", "SplitTree"]

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class SplitTree:
    """A tree of splits of the rows of a table.

    Attributes
    ----------
    splits : list
        The split of each node, None for a leaf; the first is the root.
    children : list of (int, int)
        The positions of the children of each node.
    """

    splits: list[Split | None]
    children: list[tuple[int, int]]

    def with_split(self, node: int, split: Split) -> "SplitTree":
        """Return the tree with another split of a node.

        Parameters
        ----------
        node : int
            The node.
        split : Split
            Its new split.
        """
        splits = list(self.splits)
        splits[node] = split
        return replace(self, splits=splits)

    def with_children(self, leaf: int, split: Split) -> "SplitTree":
        """Return the tree with a split in place of a leaf.

        Parameters
        ----------
        leaf : int
            The leaf.
        split : Split
            The split.
        """
        first = len(self.splits)
        children = [*self.children, (NO_CHILD, NO_CHILD), (NO_CHILD, NO_CHILD)]
        children[leaf] = (first, first + 1)
        splits = [*self.splits, None, None]
        splits[leaf] = split
        return SplitTree(splits, children)

    def reached(self, rows: Rows, root: int = 0) -> dict[int, Rows]:
        """Return the rows that reach each node of a subtree.

        Parameters
        ----------
        rows : ndarray of int64
            The rows that reach its root.
        root : int
            The root.
        """
        found, waiting = {root: rows}, [root]
        while waiting:
            node = waiting.pop()
            split, (left, right) = self.splits[node], self.children[node]
            if split is not None:
                to_left = split[1][found[node]]
                found[left], found[right] = found[node][to_left], found[node][~to_left]
                waiting += [left, right]
        return found

    def depths(self) -> dict[int, int]:
        """Return the depth of each node."""
        found, waiting = {0: 0}, [0]
        while waiting:
            node = waiting.pop()
            if self.splits[node] is not None:
                for child in self.children[node]:
                    found[child] = found[node] + 1
                    waiting.append(child)
        return found

    def rooted(self, root: int = 0) -> "SplitTree":
        """Return the subtree of a node, its nodes in preorder.

        Parameters
        ----------
        root : int
            The node.
        """
        splits: list[Split | None] = []
        children: list[tuple[int, int]] = []
        waiting = [(root, -1, 0)]
        while waiting:
            node, parent, side = waiting.pop()
            index = len(splits)
            splits.append(self.splits[node])
            children.append((NO_CHILD, NO_CHILD))
            if parent >= 0:
                pair = list(children[parent])
                pair[side] = index
                children[parent] = (pair[0], pair[1])
            if self.splits[node] is not None:
                left, right = self.children[node]
                waiting += [(right, index, 1), (left, index, 0)]
        return SplitTree(splits, children)


# The tree of a single leaf.
ONE_LEAF = SplitTree([None], [(NO_CHILD, NO_CHILD)])
