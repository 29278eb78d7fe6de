"""Reduction of a tree: replace nodes by leaves or by one of their subtrees at no cost."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Law
from exactree.trees.routing import NO_CHILD

__all__ = ["ExactCost", "Reduction"]

Rows = NDArray[np.int64]
ExactCost = int | Fraction


@dataclass
class Reduction:
    """A tree whose nodes are replaced from the leaves upwards, without recursion.

    The examples are kept in one array in which every subtree has a slice. If a node is replaced by
    its left subtree, the examples of the right subtree move to the left subtree. Only these
    examples are routed again, and only until they cost more than the right subtree did: no leaf
    becomes cheaper with more examples (`Law.NEVER_CHEAPER`).

    Attributes
    ----------
    left, right : ndarray of int64
        The children of each node, `NO_CHILD` at leaves. They are changed.
    goes_left : callable
        Called with a node and rows; returns the mask of the rows that go left.
    leaf : callable
        Called with rows; returns the exact cost of a leaf of these rows, price included.
    laws : frozenset of Law
        The laws of these costs.
    spare : int or Fraction, optional
        The maximum increase of the cost by all replacements; None if each must cost exactly the
        same.
    stopped : callable
        Returns whether the time limit is reached; the remaining nodes are then kept.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    goes_left: Callable[[int, Rows], NDArray[np.bool_]]
    leaf: Callable[[Rows], ExactCost]
    laws: frozenset[Law]
    spare: ExactCost | None = 0
    stopped: Callable[[], bool] = lambda: False

    def run(self, root: int, rows: Rows) -> int:
        """Replace all replaceable nodes of a subtree that some rows reach.

        Returns
        -------
        int
            The node that replaces the root; the root itself if it stays.
        """
        self.rows, count = rows.copy(), len(self.left)
        self.begin, self.end = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64)
        self.size = np.zeros(count, dtype=np.int64)
        self.cost: list[ExactCost] = [0] * count
        # A node to enter, or, if the middle of its slice is given, a node with finished children.
        waiting: list[tuple[int, int, int, int | None]] = [(root, 0, len(rows), None)]
        done: list[int] = []
        while waiting:
            node, begin, end, middle = waiting.pop()
            if middle is None and self.left[node] == NO_CHILD:
                self._set_leaf(node, begin, end)
                done.append(node)
            elif middle is None:
                middle = self._partition(node, begin, end)
                left, right = int(self.left[node]), int(self.right[node])
                if middle in (begin, end):
                    waiting.append((right if middle == begin else left, begin, end, None))
                else:
                    waiting.append((node, begin, end, middle))
                    waiting.append((right, middle, end, None))
                    waiting.append((left, begin, middle, None))
            else:
                right, left = done.pop(), done.pop()
                replacement = self._join(node, left, right, begin, middle, end)
                if replacement is None:
                    done.append(node)
                else:
                    waiting.append((replacement, begin, end, None))
        return done.pop()

    def _set_leaf(self, node: int, begin: int, end: int) -> None:
        self.left[node] = self.right[node] = NO_CHILD
        self.begin[node], self.end[node], self.size[node] = begin, end, 0
        self.cost[node] = self.leaf(self.rows[begin:end])

    def _partition(self, node: int, begin: int, end: int) -> int:
        """Sort the slice of a node by its children, and return the start of the right child's."""
        rows = self.rows[begin:end]
        goes_left = self.goes_left(node, rows)
        to_left = rows[goes_left]
        self.rows[begin:end] = np.concatenate((to_left, rows[~goes_left]))
        return begin + len(to_left)

    def _join(
        self, node: int, left: int, right: int, begin: int, middle: int, end: int
    ) -> int | None:
        """Put finished children below a node; return the node that replaces it, if any."""
        self.left[node], self.right[node] = left, right
        self.size[node] = self.size[left] + self.size[right] + 1
        self.cost[node] = self.cost[left] + self.cost[right]
        if self.stopped():
            return None
        if self._accept_replacement(self.leaf(self.rows[begin:end]), self.cost[node]):
            self.left[node] = NO_CHILD
            return node
        from_left, from_right = self.rows[begin:middle], self.rows[middle:end]
        # A child that may replace the node, the other child, and the rows that it has to take over.
        replacements = [(left, right, from_right), (right, left, from_left)]
        for child, other, rows in sorted(replacements, key=lambda entry: self.size[entry[0]]):
            added = self._added_cost(child, rows, self.cost[other] + (self.spare or 0))
            if added is not None and self._accept_replacement(added, self.cost[other]):
                return child
        return None

    def _accept_replacement(self, cost: ExactCost, replaced: ExactCost) -> bool:
        """Return whether a cost may replace another cost; if so, take the increase from `spare`."""
        if self.spare is None:
            return cost == replaced
        if cost - replaced > self.spare:
            return False
        self.spare -= cost - replaced
        return True

    def _added_cost(self, child: int, rows: Rows, limit: ExactCost) -> ExactCost | None:
        """Return the extra cost of a finished subtree with more rows, None if above `limit`."""
        added: ExactCost = 0
        waiting = [(child, rows)]
        while waiting:
            node, reaching = waiting.pop()
            if self.left[node] == NO_CHILD:
                own = self.rows[self.begin[node] : self.end[node]]
                added += self.leaf(np.concatenate((own, reaching))) - self.cost[node]
                if added > limit and Law.NEVER_CHEAPER in self.laws:
                    return None
                continue
            goes_left = self.goes_left(node, reaching)
            for below, reaching_below in (
                (int(self.left[node]), reaching[goes_left]),
                (int(self.right[node]), reaching[~goes_left]),
            ):
                if len(reaching_below):
                    waiting.append((below, reaching_below))
        return added
