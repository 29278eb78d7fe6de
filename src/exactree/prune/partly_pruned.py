"""A tree that loses nodes, and what it would be without one more: shape, leaves and errors."""

import numpy as np
from numpy.typing import NDArray

from exactree.prune.shape_tables import LEAF, Shapes
from exactree.trees import Tree
from exactree.trees.routing import NO_CHILD


class PartlyPruned:
    """A tree some nodes of which have become leaves.

    Parameters
    ----------
    tree : Tree
        The whole tree.
    errors : ndarray of int64
        For each node, how many of its examples have another class than it predicts.
    shapes : Shapes
        Where shapes get their numbers.

    Attributes
    ----------
    removed : list of int
        The nodes that were collapsed, in this order.
    """

    def __init__(self, tree: Tree, errors: NDArray[np.int64], shapes: Shapes) -> None:
        self._shapes = shapes
        self._left: list[int] = tree.children_left.tolist()
        self._right: list[int] = tree.children_right.tolist()
        self._own: list[int] = [int(number) for number in errors]
        count = tree.node_count
        self._parent = [NO_CHILD] * count
        self._shape = [LEAF] * count
        self._below: list[int] = list(self._own)  # the errors of the leaves below a node
        self.removed: list[int] = []
        for node in range(count - 1, -1, -1):  # children follow their parents
            if self._left[node] != NO_CHILD:
                self._parent[self._left[node]] = self._parent[self._right[node]] = node
                self._renew(node)

    def _renew(self, node: int) -> None:
        """Count a node's shape and errors from its children."""
        left, right = self._left[node], self._right[node]
        self._shape[node] = self._shapes.join(self._shape[left], self._shape[right])
        self._below[node] = self._below[left] + self._below[right]

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
        """How many examples the tree gets wrong."""
        return self._below[0]

    def nodes(self) -> list[int]:
        """Return the nodes that are still there, in preorder; leaves are none."""
        found, ahead = [], [0]
        while ahead:
            node = ahead.pop()
            if self._left[node] != NO_CHILD:
                found.append(node)
                ahead += (self._right[node], self._left[node])
        return found

    def leaves_below(self, node: int) -> int:
        """Return how many leaves a node has."""
        return self._shapes.leaves[self._shape[node]]

    def errors_without(self, node: int) -> int:
        """Return how many examples the tree gets wrong with a leaf in place of a node."""
        return self.errors - self._below[node] + self._own[node]

    def shape_without(self, node: int) -> int:
        """Return the shape of the tree with a leaf in place of a node; only its path changes."""
        shape = LEAF
        while (parent := self._parent[node]) != NO_CHILD:
            left, right = self._left[parent], self._right[parent]
            shape = self._shapes.join(shape, self._shape[right if node == left else left])
            node = parent
        return shape

    def collapse(self, node: int) -> None:
        """Put a leaf in place of a node."""
        self.removed.append(node)
        self._left[node] = self._right[node] = NO_CHILD
        self._shape[node], self._below[node] = LEAF, self._own[node]
        while (node := self._parent[node]) != NO_CHILD:
            self._renew(node)
