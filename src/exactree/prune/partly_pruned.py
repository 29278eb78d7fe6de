"""A tree during pruning, with its shape, leaves and errors after a further removal."""

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.prune.shape_tables import LEAF, Shapes
from exactree.trees import Tree
from exactree.trees.routing import NO_CHILD, NO_COMPARISON, NO_FEATURE, NO_THRESHOLD, NONE_MISSING
from exactree.trees.schema import PER_NODE


class PartlyPruned:
    """A tree in which some nodes have been collapsed into leaves.

    Parameters
    ----------
    tree : Tree
        The original tree.
    errors : ndarray of int64
        The number of misclassified examples at each node, as if it were a leaf.
    shapes : Shapes
        The numbering of shapes.

    Attributes
    ----------
    removed : list of int
        The collapsed nodes, in order of removal.
    """

    def __init__(self, tree: Tree, errors: NDArray[np.int64], shapes: Shapes) -> None:
        self._shapes = shapes
        self._left: list[int] = tree.children_left.tolist()
        self._right: list[int] = tree.children_right.tolist()
        self._errors_as_leaf: list[int] = [int(number) for number in errors]
        count = tree.node_count
        self._parent = [NO_CHILD] * count
        self._shape = [LEAF] * count
        self._errors_below: list[int] = list(self._errors_as_leaf)  # of the leaves below a node
        self.removed: list[int] = []
        for node in range(count - 1, -1, -1):  # children follow their parents
            if self._left[node] != NO_CHILD:
                self._parent[self._left[node]] = self._parent[self._right[node]] = node
                self._update(node)

    def _update(self, node: int) -> None:
        """Update a node's shape and errors from its children."""
        left, right = self._left[node], self._right[node]
        self._shape[node] = self._shapes.join(self._shape[left], self._shape[right])
        self._errors_below[node] = self._errors_below[left] + self._errors_below[right]

    @property
    def shape(self) -> int:
        """The shape of the whole tree."""
        return self._shape[0]

    @property
    def leaves(self) -> int:
        """The number of leaves of the whole tree."""
        return self._shapes.leaves[self.shape]

    @property
    def errors(self) -> int:
        """The number of examples that the tree misclassifies."""
        return self._errors_below[0]

    def nodes(self) -> list[int]:
        """Return the remaining inner nodes in preorder."""
        found, stack = [], [0]
        while stack:
            node = stack.pop()
            if self._left[node] != NO_CHILD:
                found.append(node)
                stack += (self._right[node], self._left[node])
        return found

    def leaves_below(self, node: int) -> int:
        """Return the number of leaves below a node."""
        return self._shapes.leaves[self._shape[node]]

    def errors_without(self, node: int) -> int:
        """Return the errors of the tree with a leaf in place of a node."""
        return self.errors - self._errors_below[node] + self._errors_as_leaf[node]

    def shape_without(self, node: int) -> int:
        """Return the shape of the tree with a leaf in place of a node; only its path changes."""
        shape = LEAF
        while (parent := self._parent[node]) != NO_CHILD:
            left, right = self._left[parent], self._right[parent]
            shape = self._shapes.join(shape, self._shape[right if node == left else left])
            node = parent
        return shape

    def collapse(self, node: int) -> None:
        """Collapse a node into a leaf."""
        self.removed.append(node)
        self._left[node] = self._right[node] = NO_CHILD
        self._shape[node], self._errors_below[node] = LEAF, self._errors_as_leaf[node]
        while (node := self._parent[node]) != NO_CHILD:
            self._update(node)


def collapsed(tree: Tree, nodes: Iterable[int]) -> Tree:
    """Return the tree with the nodes collapsed into leaves that predict their own classes.

    Parameters
    ----------
    tree : Tree
        The tree; it is not changed.
    nodes : iterable of int
        Nodes of the tree, possibly including descendants of other nodes.
    """
    left, right = tree.children_left.tolist(), tree.children_right.tolist()
    leaf = np.zeros(tree.node_count, dtype=bool)
    leaf[list(nodes)] = True
    kept, stack = [], [0]
    while stack:
        node = stack.pop()
        kept.append(node)
        leaf[node] |= left[node] == NO_CHILD
        if not leaf[node]:
            stack += (right[node], left[node])
    new_index = np.full(tree.node_count + 1, NO_CHILD)  # the last entry is that of child -1
    new_index[kept] = np.arange(len(kept))
    entries = {name: getattr(tree, name)[kept] for name in (*PER_NODE, "missing")}
    for name in ("children_left", "children_right"):
        entries[name] = np.where(leaf[kept], NO_CHILD, new_index[entries[name]])
    entries["feature"] = np.where(leaf[kept], NO_FEATURE, entries["feature"])
    entries["comparison"] = np.where(leaf[kept], NO_COMPARISON, entries["comparison"])
    entries["missing"] = np.where(leaf[kept], NONE_MISSING, entries["missing"])
    entries["threshold"] = np.where(leaf[kept], NO_THRESHOLD, entries["threshold"])
    # Float32 may have moved rows only at the collapsed nodes.
    return replace(tree, **entries, same_in_float32=tree.same_in_float32 or None)
