"""The prepared table of the search: ranks, leaves with exact costs, and trees of these leaves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from exactree.data.thresholds import threshold_between
from exactree.engine.constrained.leaf_costs import LeafCosts, leaf_costs
from exactree.engine.constrained.memory import BoundedCache
from exactree.objectives.errors import plain
from exactree.problem import Problem
from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.encoding.trees import tree_from_nodes, with_thresholds
from exactree.problem.quantities import Number
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = [
    "CostedLeaf",
    "CostedNode",
    "CostedTree",
    "Number",
    "PreparedProblem",
    "Subset",
    "leaves_of",
]

Subset = NDArray[np.int64]

# Bytes of objects without their rows: costs have up to some hundred digits.
_OF_LEAF, _OF_NODE = 1200, 700


@dataclass(frozen=True, eq=False)
class CostedLeaf:
    """A leaf: its rows, cost, weight, predicted class, and the value that must be monotone."""

    rows: Subset
    cost: Number
    weight: int
    label: int
    leaf_value: Fraction

    size: int = 0
    depth: int = 0

    @property
    def bytes(self) -> int:
        """An upper bound on its bytes in memory."""
        return _OF_LEAF + self.rows.nbytes


@dataclass(frozen=True, eq=False)
class CostedNode:
    """A node: rows whose rank in a column is at most `rank` go left."""

    column: int
    rank: int
    left: "CostedTree"
    right: "CostedTree"

    @cached_property
    def cost(self) -> Number:
        """The cost of the leaves below."""
        return self.left.cost + self.right.cost

    @cached_property
    def size(self) -> int:
        """The number of nodes of the subtree."""
        return 1 + self.left.size + self.right.size

    @cached_property
    def depth(self) -> int:
        """Nodes on the longest path."""
        return 1 + max(self.left.depth, self.right.depth)

    @cached_property
    def bytes(self) -> int:
        """An upper bound on its bytes in memory."""
        return _OF_NODE + self.left.bytes + self.right.bytes


CostedTree = CostedLeaf | CostedNode


def leaves_of(tree: CostedTree) -> Iterator[CostedLeaf]:
    """List the leaves of a tree from left to right.

    Parameters
    ----------
    tree : CostedLeaf or CostedNode
        Any tree.
    """
    if isinstance(tree, CostedLeaf):
        yield tree
    else:
        yield from leaves_of(tree.left)
        yield from leaves_of(tree.right)


@dataclass(eq=False)
class PreparedProblem:
    """A problem in columns by ranks.

    Costs are integers of a unit in which prices of leaves and features are whole, and costs of
    classes unless they are rounded; of a regression they are fractions of integer weights.

    Attributes
    ----------
    problem : Problem
        The problem to solve.
    encoded : EncodedProblem
        The same problem by thresholds on columns.
    memory : BoundedCache
        Cache of the leaves and of the results of the search.
    """

    problem: Problem
    encoded: EncodedProblem
    memory: BoundedCache = field(default_factory=BoundedCache)
    values: list[NDArray[np.float64]] = field(init=False)
    ranks: NDArray[np.int64] = field(init=False)
    features: list[int] = field(init=False)
    unit: int = field(init=False)
    costs: LeafCosts | None = field(init=False)

    def __post_init__(self) -> None:
        X = self.encoded.problem.dataset.X
        self.values, self.ranks = [], np.empty(X.shape, dtype=np.int64)
        for column in range(X.shape[1]):
            values, ranks = np.unique(X[:, column], return_inverse=True)
            self.values.append(values)
            self.ranks[:, column] = ranks.reshape(-1)
        # Only surfaces use several features, and these are refused with constraints on features.
        self.features = [column.features[0] for column in self.encoded.columns]
        self.costs, self.unit = leaf_costs(self.problem)

    @cached_property
    def leaf_price(self) -> Number:
        """The price of a leaf."""
        return self._priced(self.problem.leaf_penalty)

    def price(self, features: frozenset[int]) -> Number:
        """Return the price of some features."""
        return self._priced(self.problem.feature_constraints.price_of(features))

    def _priced(self, share: Fraction) -> Number:
        return plain(share * self.problem.price_unit * self.unit)

    @cached_property
    def everything(self) -> Subset:
        """All rows."""
        return np.arange(len(self.ranks))

    @cached_property
    def of_class(self) -> NDArray[np.int64]:
        """The weight of every row in the column of its class."""
        dataset = self.problem.dataset
        weights = np.zeros((len(dataset.X), len(dataset.classes)), dtype=np.int64)
        weights[self.everything, dataset.labels] = dataset.weights
        return weights

    @cached_property
    def min_rows(self) -> int:
        """The minimum rows of a leaf."""
        return self.problem.min_rows

    @cached_property
    def least_weight(self) -> int:
        """The minimum weight of a leaf."""
        return self.problem.min_leaf_weight

    def leaf_values(self, weights: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return the values of leaves without smoothing, from the weights of their classes."""
        if self.problem.feature_constraints.in_shares:
            return np.asarray(weights[:, -1] / weights.sum(axis=1))
        assert self.costs is not None
        return self.costs.predicted(weights).astype(np.float64)

    def leaf(self, rows: Subset) -> CostedLeaf:
        """Return the leaf for some rows."""
        key = rows.tobytes()
        known: CostedLeaf | None = self.memory.get("leaf", key)
        if known is None:
            known = self._made(rows)
            self.memory.put("leaf", key, known, len(key) + known.bytes)
        return known

    def _made(self, rows: Subset) -> CostedLeaf:
        problem, dataset = self.problem, self.problem.dataset
        if self.costs is None:
            exact = plain(Fraction(problem.term.leaf(dataset, rows)) + Fraction(self.leaf_price))
            return CostedLeaf(
                rows, exact, int(dataset.weights[rows].sum()), -1, problem.leaf_value(rows)
            )
        totals: list[int] = self.of_class[rows].sum(axis=0).tolist()
        cost = self.costs.leaf(totals) + self.leaf_price
        label, leaf_value = problem.predicted(totals), problem.class_leaf_value(totals)
        return CostedLeaf(rows, cost, sum(totals), label, leaf_value)

    def holds(self, rows: Subset, column: int, rank: int) -> NDArray[np.bool_]:
        """Return the rows that go left, as a mask."""
        left: NDArray[np.bool_] = self.ranks[rows, column] <= rank
        return left

    def middle(self, column: int, low: int, high: int) -> int:
        """Return the rank below which the threshold between two ranks lies."""
        values = self.values[column]
        threshold = threshold_between(values[low], values[high])
        return min(int(np.searchsorted(values, threshold, side="right")) - 1, high - 1)

    def tree_of(
        self, nodes: Sequence[ArrayNode], columns: Sequence[int], rows: Subset
    ) -> CostedTree:
        """Return the tree that a native search describes for some rows and columns."""

        def at(number: int, rows: Subset) -> CostedTree:
            place, low, high, left, right = nodes[number]
            if place < 0:
                return self.leaf(rows)
            column = columns[place]
            assert high is not None, "all rules are thresholds on columns"
            ranks = np.searchsorted(self.values[column], [low, high])
            rank = self.middle(column, *ranks.tolist())
            goes_left = self.holds(rows, column, rank)
            return CostedNode(column, rank, at(left, rows[goes_left]), at(right, rows[~goes_left]))

        return at(0, rows)

    def fitted_tree(self, tree: CostedTree) -> Tree:
        """Return a `Tree` for the problem in columns."""
        rows: list[ArrayNode] = []
        thresholds: list[float] = []
        self._write(tree, self.everything, rows, thresholds)
        fitted = tree_from_nodes(self.encoded.problem, rows)
        return (
            with_thresholds(fitted, thresholds)
            if self.problem.feature_constraints.directions
            else fitted
        )

    def _write(
        self, tree: CostedTree, subset: Subset, rows: list[ArrayNode], thresholds: list[float]
    ) -> int:
        at = len(rows)
        rows.append((-1, 0.0, 0.0, -1, -1))
        thresholds.append(0.0)
        if isinstance(tree, CostedNode):
            values = self.values[tree.column]
            goes_left = self.holds(subset, tree.column, tree.rank)
            left, right = subset[goes_left], subset[~goes_left]
            low = float(values[self.ranks[left, tree.column].max()])
            high = float(values[self.ranks[right, tree.column].min()])
            thresholds[at] = float(threshold_between(values[tree.rank], values[tree.rank + 1]))
            first = self._write(tree.left, left, rows, thresholds)
            second = self._write(tree.right, right, rows, thresholds)
            rows[at] = (tree.column, low, high, first, second)
        return at
