"""Encoding of a foreign tree as a tree of a problem.

For each node the encoder looks for a rule of the problem that splits the examples of the node in
the same way. The encoded tree thus uses only rules of the problem, wherever the tree was fitted.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.problem import Problem
from exactree.problem.reduction import Reduction
from exactree.trees.arrays import ArrayNode
from exactree.trees.routing import NO_CHILD

__all__ = ["NoSuchRule", "SourceTree", "TreeEncoder", "splits_of"]

Rows = NDArray[np.int64]
# Nodes at this depth become leaves, because trees are traversed by recursion.
_MAX_DEPTH = 400
# Maximum number of values that are compared with a split at once.
_BLOCK_VALUES = 4_000_000


class NoSuchRule(ValueError):
    """No rule of the problem splits the examples of a node as the tree to encode does.

    Parameters
    ----------
    node : int
        The node.
    rows : int
        The number of its examples.
    """

    def __init__(self, node: int, rows: int) -> None:
        super().__init__(
            f"incumbent: no rule of the problem splits the {rows:,} examples of node {node} as "
            "the incumbent does."
        )


@dataclass(frozen=True, eq=False)
class _EncodedLeaf:
    """A leaf; `origin` is the node of the source tree that it replaces, -1 if there is none."""

    origin: int = NO_CHILD


@dataclass(frozen=True, eq=False)
class _Inner:
    """A node that sends rows left whose value in a column is at most `low`."""

    column: int
    low: float
    left: "_Inner | _EncodedLeaf"
    right: "_Inner | _EncodedLeaf"


_EncodedTree = _Inner | _EncodedLeaf


@dataclass(frozen=True, eq=False)
class SourceTree:
    """A tree to encode.

    Attributes
    ----------
    left, right : ndarray of int64
        The children of each node, -1 at leaves.
    feature : ndarray of int64
        The feature of each node.
    goes_left : callable
        Called with a node and rows; returns the mask of the rows that go left.
    X : ndarray of float64
        The rows of the problem's table, in the form that `goes_left` takes.
    root : int
        The root node.
    """

    left: NDArray[np.int64]
    right: NDArray[np.int64]
    feature: NDArray[np.int64]
    goes_left: Callable[[int, NDArray[np.float64]], NDArray[np.bool_]]
    X: NDArray[np.float64]
    root: int = 0


def splits_of(
    source: SourceTree, max_depth: int | None
) -> Iterator[tuple[int, Rows, NDArray[np.bool_]]]:
    """List the splits of a tree that a tree within a depth may keep.

    Parameters
    ----------
    source : SourceTree
        The tree.
    max_depth : int or None
        The maximum depth.

    Yields
    ------
    tuple of int, ndarray of int64 and ndarray of bool
        A node, the rows that reach it, and whether each goes left: some do, and not all.
    """
    nodes = [(source.root, np.arange(len(source.X)), _depth_within(max_depth))]
    while nodes:
        node, rows, depth = nodes.pop()
        if source.left[node] < 0 or depth == 0:
            continue
        goes_left = source.goes_left(node, source.X[rows])
        is_split = bool(goes_left.any() and not goes_left.all())
        if is_split:
            yield node, rows, goes_left
        for child, to_child in ((source.left, goes_left), (source.right, ~goes_left)):
            if to_child.any():
                nodes.append((int(child[node]), rows[to_child], depth - is_split))


def _depth_within(max_depth: int | None) -> int:
    return _MAX_DEPTH if max_depth is None else min(max_depth, _MAX_DEPTH)


@dataclass(frozen=True, eq=False)
class TreeEncoder:
    """Encoder of trees for a problem whose rules are thresholds on columns.

    Attributes
    ----------
    encoded : EncodedProblem
        The problem with its rules encoded as thresholds on columns.
    """

    encoded: EncodedProblem

    @property
    def problem(self) -> Problem:
        """The encoded problem, whose features are the columns."""
        return self.encoded.problem

    @property
    def all_rows(self) -> Rows:
        """The indices of all rows."""
        return np.arange(len(self.problem.dataset.X))

    def of_nodes(self, nodes: Sequence[ArrayNode], index: int = 0) -> _EncodedTree:
        """Return the tree, or the subtree at an index, that the nodes of a search describe."""
        column, low, _, left, right = nodes[index]
        if column < 0:
            return _EncodedLeaf()
        return _Inner(column, low, self.of_nodes(nodes, left), self.of_nodes(nodes, right))

    def within_limits(self, source: SourceTree) -> _EncodedTree:
        """Return the tree, encoded and pruned to maximum depth and size and minimum leaf size."""
        max_depth = _depth_within(self.problem.limits.max_depth)
        tree = self._encode_node(source, source.root, self.all_rows, max_depth)
        max_size = self.problem.max_tree_size
        if max_size is None or _size(tree) <= max_size:
            return tree
        prunings = self._prunings(tree, self.all_rows, max_size)
        return min(prunings, key=lambda pruning: pruning[0])[1]

    def with_origins(self, source: SourceTree) -> tuple[list[ArrayNode], list[int]]:
        """Return the tree as nodes, pruned to maximum depth and minimum leaf size only.

        With each node comes the node of the source tree that a leaf replaces, -1 at inner nodes.
        """
        max_depth = _depth_within(self.problem.limits.max_depth)
        nodes, origins = list[ArrayNode](), list[int]()
        tree = self._encode_node(source, source.root, self.all_rows, max_depth)
        self._write(tree, self.all_rows, nodes, origins)
        return nodes, origins

    def _encode_node(self, source: SourceTree, node: int, rows: Rows, depth: int) -> _EncodedTree:
        """Encode a subtree by the splits of the examples that reach it."""
        if source.left[node] < 0 or depth == 0:
            return _EncodedLeaf(node)
        goes_left = source.goes_left(node, source.X[rows])
        left_child, right_child = int(source.left[node]), int(source.right[node])
        if goes_left.all() or not goes_left.any():
            child = left_child if goes_left.all() else right_child
            return self._encode_node(source, child, rows, depth)
        if min(goes_left.sum(), (~goes_left).sum()) < self.problem.min_rows:
            return _EncodedLeaf(node)
        rule = self._rule(rows, goes_left, int(source.feature[node]))
        if rule is None:
            raise NoSuchRule(node, len(rows))
        column, low, swapped = rule
        if swapped:
            left_child, right_child, goes_left = right_child, left_child, ~goes_left
        left = self._encode_node(source, left_child, rows[goes_left], depth - 1)
        right = self._encode_node(source, right_child, rows[~goes_left], depth - 1)
        return _Inner(column, low, left, right)

    def _rule(
        self, rows: Rows, goes_left: NDArray[np.bool_], feature: int
    ) -> tuple[int, float, bool] | None:
        """Return a column, its greatest value among rows that go left, and whether children swap.

        Columns of the node's own feature are tried first.
        """
        columns = self.encoded.columns
        own = [index for index, column in enumerate(columns) if feature in column.features]
        width = max(1, _BLOCK_VALUES // len(rows))
        blocks = np.split(np.arange(len(columns)), range(width, len(columns), width))
        for candidates in (np.array(own, dtype=np.int64), *blocks):
            values = self.problem.dataset.X[np.ix_(rows, candidates)]
            for swapped in (False, True):
                low = values[goes_left ^ swapped].max(axis=0)
                fits = np.flatnonzero(low < values[~goes_left ^ swapped].min(axis=0))
                if len(fits):
                    return int(candidates[fits[0]]), float(low[fits[0]]), swapped
        return None

    def _child_rows(self, tree: _Inner, rows: Rows) -> tuple[Rows, Rows]:
        goes_left = self.problem.dataset.X[rows, tree.column] <= tree.low
        return rows[goes_left], rows[~goes_left]

    def _cost(self, tree: _EncodedTree, rows: Rows) -> Fraction:
        """Return the exact errors plus prices of leaves, in units of the integer weights."""
        if isinstance(tree, _EncodedLeaf):
            errors = self.problem.term.leaf(self.problem.dataset, rows)
            return errors + self.problem.exact_leaf_price
        left, right = self._child_rows(tree, rows)
        return self._cost(tree.left, left) + self._cost(tree.right, right)

    def _prunings(
        self, tree: _EncodedTree, rows: Rows, max_size: int
    ) -> list[tuple[Fraction, _EncodedTree]]:
        """Return the best pruning of each size up to `max_size`, with its cost."""
        leaf = _EncodedLeaf()
        best: list[tuple[Fraction, _EncodedTree]] = [(self._cost(leaf, rows), leaf)]
        if isinstance(tree, _EncodedLeaf) or max_size == 0:
            return best
        to_left, to_right = self._child_rows(tree, rows)
        lefts = self._prunings(tree.left, to_left, max_size - 1)
        rights = self._prunings(tree.right, to_right, max_size - 1)
        for size in range(1, min(max_size, len(lefts) + len(rights) - 1) + 1):
            left_sizes = range(max(0, size - len(rights)), min(size, len(lefts)))
            left = min(left_sizes, key=lambda left: lefts[left][0] + rights[size - 1 - left][0])
            right = size - 1 - left
            pruned = _Inner(tree.column, tree.low, lefts[left][1], rights[right][1])
            best.append((lefts[left][0] + rights[right][0], pruned))
        return best

    def reduced(self, tree: _EncodedTree) -> _EncodedTree:
        """Return the tree with nodes replaced by a leaf or a child's subtree where the cost allows.

        The cost does not increase. Limits still hold: no node is added, none is deeper, and no leaf
        has fewer rows.
        """
        flat: list[tuple[int, float, int, int]] = []
        _flatten(tree, flat)
        columns, lows, left, right = (np.array(values) for values in zip(*flat, strict=True))
        X, term, dataset = self.problem.dataset.X, self.problem.term, self.problem.dataset
        price = self.problem.exact_leaf_price
        reduction = Reduction(
            left,
            right,
            lambda node, rows: X[rows, columns[node]] <= lows[node],
            lambda rows: term.leaf(dataset, rows) + price,
            term.laws,
        )

        def rebuilt(node: int) -> _EncodedTree:
            if left[node] == NO_CHILD:
                return _EncodedLeaf()
            children = rebuilt(int(left[node])), rebuilt(int(right[node]))
            return _Inner(int(columns[node]), float(lows[node]), *children)

        return rebuilt(reduction.run(0, self.all_rows))

    def nodes(self, tree: _EncodedTree) -> list[ArrayNode]:
        """Return the tree in the form that a search returns: preorder, with neighbouring values."""
        nodes: list[ArrayNode] = []
        self._write(tree, self.all_rows, nodes, [])
        return nodes

    def _write(
        self, tree: _EncodedTree, rows: Rows, nodes: list[ArrayNode], origins: list[int]
    ) -> int:
        index = len(nodes)
        origins.append(tree.origin if isinstance(tree, _EncodedLeaf) else NO_CHILD)
        nodes.append((-1, 0.0, 0.0, -1, -1))  # a leaf, replaced below if it is an inner node
        if isinstance(tree, _Inner):
            left, right = self._child_rows(tree, rows)
            column = self.problem.dataset.X[:, tree.column]
            low, high = float(column[left].max()), float(column[right].min())
            children = (
                self._write(tree.left, left, nodes, origins),
                self._write(tree.right, right, nodes, origins),
            )
            nodes[index] = (tree.column, low, high, *children)
        return index


def _size(tree: _EncodedTree) -> int:
    return 0 if isinstance(tree, _EncodedLeaf) else _size(tree.left) + _size(tree.right) + 1


def _flatten(tree: _EncodedTree, found: list[tuple[int, float, int, int]]) -> int:
    """Append column, value and children of every node in preorder; return the root's position."""
    index = len(found)
    found.append((NO_CHILD, 0.0, NO_CHILD, NO_CHILD))
    if isinstance(tree, _Inner):
        children = _flatten(tree.left, found), _flatten(tree.right, found)
        found[index] = (tree.column, tree.low, *children)
    return index
