"""Trees under constraints by the ranks of their thresholds, and their pruning.

Two thresholds between the same values of a subset split it alike, but different points of the
feature space: so thresholds are ranks among the values of the whole table, and thresholds of
monotone trees lie between neighbouring values of the whole table.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import threshold_between
from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.encoding.trees import tree_from_nodes, with_thresholds
from exactree.problem.quantities import Cost, as_tuple
from exactree.problem.verification.recount import broken_limits, cost_of_found
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = ["RankedLeaf", "RankedNode", "RankedTree", "RankedTrees"]

Rows = NDArray[np.int64]


@dataclass(frozen=True)
class RankedLeaf:
    """A leaf."""


@dataclass(frozen=True)
class RankedNode:
    """A node: rows whose rank in a column is at most `rank` go left."""

    column: int
    rank: int
    left: "RankedTree"
    right: "RankedTree"


RankedTree = RankedLeaf | RankedNode


@dataclass
class RankedTrees:
    """Trees of a problem in columns.

    Attributes
    ----------
    encoded : EncodedProblem
        The problem.
    stopped : callable
        Returns whether the time limit is reached, which ends the removal of superfluous nodes.
    """

    encoded: EncodedProblem
    stopped: Callable[[], bool] = lambda: False
    _values: dict[int, NDArray[np.float64]] = field(default_factory=dict)

    def values(self, column: int) -> NDArray[np.float64]:
        """Return the values of a column of the whole table, by rank."""
        if column not in self._values:
            self._values[column] = np.unique(self.encoded.problem.dataset.X[:, column])
        return self._values[column]

    @property
    def everything(self) -> Rows:
        """All rows."""
        return np.arange(len(self.encoded.problem.dataset.X))

    def goes_left(self, node: RankedNode, rows: Rows) -> NDArray[np.bool_]:
        """Return the rows that go left at a node, as a mask."""
        column = self.encoded.problem.dataset.X[rows, node.column]
        left: NDArray[np.bool_] = column <= self.values(node.column)[node.rank]
        return left

    def of_nodes(self, nodes: Sequence[ArrayNode]) -> RankedTree:
        """Return the tree of nodes, with the ranks of their thresholds in the whole table.

        Parameters
        ----------
        nodes : sequence of nodes
            In preorder.
        """

        def rank(column: int, low: float, high: float | None) -> int:
            assert high is not None, "all rules are thresholds on columns"
            values, threshold = self.values(column), threshold_between(low, high)
            below = int(np.searchsorted(values, threshold, side="right")) - 1
            return min(below, int(np.searchsorted(values, high)) - 1)

        def at(number: int) -> RankedTree:
            column, low, high, left, right = nodes[number]
            if column < 0:
                return RankedLeaf()
            return RankedNode(column, rank(column, low, high), at(left), at(right))

        return at(0)

    def nodes(self, tree: RankedTree) -> list[ArrayNode]:
        """Return a tree as nodes for a search, with the values of the whole table."""
        nodes: list[ArrayNode] = []

        def write(tree: RankedTree) -> int:
            at = len(nodes)
            nodes.append((-1, 0.0, 0.0, -1, -1))
            if isinstance(tree, RankedNode):
                low, high = self._beside(tree)
                nodes[at] = (tree.column, low, high, write(tree.left), write(tree.right))
            return at

        write(tree)
        return nodes

    def _beside(self, node: RankedNode) -> tuple[float, float]:
        """Return the values of the whole table between which a threshold lies."""
        values = self.values(node.column)
        return float(values[node.rank]), float(values[node.rank + 1])

    def in_columns(self, tree: RankedTree) -> Tree:
        """Return a tree as one of the problem in columns."""
        nodes: list[ArrayNode] = []
        thresholds: list[float] = []
        self._write(tree, self.everything, nodes, thresholds)
        fitted = tree_from_nodes(self.encoded.problem, nodes)
        directed = self.encoded.original.feature_constraints.directions
        return with_thresholds(fitted, thresholds) if directed else fitted

    def _write(
        self, tree: RankedTree, rows: Rows, nodes: list[ArrayNode], thresholds: list[float]
    ) -> int:
        at = len(nodes)
        nodes.append((-1, 0.0, 0.0, -1, -1))
        thresholds.append(0.0)
        if isinstance(tree, RankedNode):
            thresholds[at] = float(threshold_between(*self._beside(tree)))
            goes_left = self.goes_left(tree, rows)
            column = self.encoded.problem.dataset.X[:, tree.column]
            low, high = column[rows[goes_left]].max(), column[rows[~goes_left]].min()
            left = self._write(tree.left, rows[goes_left], nodes, thresholds)
            right = self._write(tree.right, rows[~goes_left], nodes, thresholds)
            nodes[at] = (tree.column, float(low), float(high), left, right)
        return at

    def fitted(self, tree: RankedTree) -> Tree:
        """Return a tree as one of the original problem."""
        return self.encoded.lift_tree(self.in_columns(tree))

    def feasible_pruning(self, tree: RankedTree) -> RankedTree | None:
        """Return a tree pruned until it satisfies all limits and constraints; None if none does.

        One node after the other becomes a leaf: each time the one that leads to the cheapest
        feasible tree, or to the cheapest tree if none is feasible.

        Parameters
        ----------
        tree : RankedTree
            Any tree.
        """
        problem = self.encoded.original
        errors_alone = problem.with_errors_alone()

        def cost(tree: Tree) -> Cost:
            return as_tuple(cost_of_found(errors_alone, tree))

        def feasible(tree: Tree) -> bool:
            return not any(broken_limits(problem, tree))

        if feasible(self.fitted(tree)):
            return tree
        while isinstance(tree, RankedNode):
            fewer = [(each, self.fitted(each)) for each in _collapsed(tree)]
            fewer.sort(key=lambda pair: cost(pair[1]))
            for each, fitted in fewer:
                if feasible(fitted):
                    return each
            tree = fewer[0][0]
        return None

    def reduced(self, tree: RankedTree) -> RankedTree:
        """Return a feasible tree without nodes that can be collapsed or replaced at no cost.

        Parameters
        ----------
        tree : RankedTree
            A feasible tree.
        """
        problem = self.encoded.original
        cost = as_tuple(cost_of_found(problem, self.fitted(tree)))
        smaller = True
        while smaller:
            smaller = False
            for each in self._with_less(tree, self.everything):
                if self.stopped():
                    return tree
                fitted = self.fitted(each)
                reduced_cost = as_tuple(cost_of_found(problem, fitted))
                if reduced_cost <= cost and not any(broken_limits(problem, fitted)):
                    tree, cost, smaller = each, reduced_cost, True
                    break
        return tree

    def _with_less(self, tree: RankedTree, rows: Rows) -> Iterator[RankedTree]:
        """List the trees with one node as a leaf, or replaced by one of its children."""
        if isinstance(tree, RankedLeaf):
            return
        yield RankedLeaf()
        yield self._refitted(tree.left, rows)
        yield self._refitted(tree.right, rows)
        left = self.goes_left(tree, rows)
        for child in self._with_less(tree.left, rows[left]):
            yield RankedNode(tree.column, tree.rank, child, tree.right)
        for child in self._with_less(tree.right, rows[~left]):
            yield RankedNode(tree.column, tree.rank, tree.left, child)

    def _refitted(self, tree: RankedTree, rows: Rows) -> RankedTree:
        """Return the tree for other rows, without splits that have an empty child."""
        if isinstance(tree, RankedLeaf):
            return tree
        left = self.goes_left(tree, rows)
        if left.all():
            return self._refitted(tree.left, rows)
        if not left.any():
            return self._refitted(tree.right, rows)
        children = self._refitted(tree.left, rows[left]), self._refitted(tree.right, rows[~left])
        return RankedNode(tree.column, tree.rank, *children)


def _collapsed(tree: RankedTree) -> Iterator[RankedTree]:
    """List the trees with one node as a leaf."""
    if isinstance(tree, RankedLeaf):
        return
    yield RankedLeaf()
    for child in _collapsed(tree.left):
        yield RankedNode(tree.column, tree.rank, child, tree.right)
    for child in _collapsed(tree.right):
        yield RankedNode(tree.column, tree.rank, tree.left, child)
