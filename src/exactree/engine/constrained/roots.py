"""The splits of a subset in the order of their lower bounds, which evaluated splits improve.

A split is evaluated by the minimum costs of both children without constraints. They bound this
split, and other splits on the same column. Let S be a subset of T.

*interval_bound*: the minimum cost for S is at most that for T, because the best tree for T is also
a tree for S, after leaves without rows are removed. A split between two evaluated splits has a left
child that contains the left child of the lower one, and a right child that contains the right child
of the upper one.
*similarity_bound*: for errors, the minimum cost for T is at most that for S plus the weight of the
rows of T that are not in S, since at most all of these are misclassified; for a cost matrix, each
such row costs at most its reach, its maximum cost. So the cost of a split is at least that of
another split on its column minus the reach of the rows between them. Costs of shares have no such
bound.

Both need that a leaf may hold any number of rows, and are off otherwise.

If one level is left, the children of all splits are leaves; for classes their costs are computed by
arrays.
"""

from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import inf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engine.constrained.prepared import Number, PreparedProblem, Subset
from exactree.engine.constrained.state import LeafCondition, State

__all__ = ["Roots"]

# Bytes of a column without its rules, of a rule, and of the costs of its children.
_OF_COLUMN, _OF_RULE, _OF_SIDES = 1500, 160, 500

# Returns lower bounds on the costs of two children.
ChildBounds = Callable[[Subset, Subset], tuple[Number, Number]]


@dataclass
class _SplitColumn:
    """The splits of a subset on one column.

    Attributes
    ----------
    ranks : ndarray of int64
        The distinct ranks of the subset; split i sends the ranks up to the i-th left.
    reach : list of int or None
        The reach of the rows that each split sends left, in steps of `LeafCosts`; None if unknown.
    evaluated : list of int
        The evaluated splits, in order.
    sides : dict of int to pair
        Lower bounds on the costs of their children.
    """

    ranks: NDArray[np.int64]
    reach: list[int] | None
    evaluated: list[int] = field(default_factory=list)
    sides: dict[int, tuple[Number, Number]] = field(default_factory=dict)


@dataclass
class Roots:
    """The splits of a subset, cached for all states of the subset.

    Attributes
    ----------
    prepared : PreparedProblem
        The problem.
    rows : ndarray of int64
        The subset.
    depth : int
        Maximum depth of its trees.
    features : frozenset of int
        The features that its trees may use.
    switches : dict of str to bool
        The accelerators that are on.
    counts : Counter
        Number of splits that were pruned before evaluation, by the name of the bound.
    """

    prepared: PreparedProblem
    rows: Subset
    depth: int
    features: frozenset[int]
    switches: dict[str, bool]
    counts: Counter[str]
    columns: dict[int, _SplitColumn] = field(init=False)
    # The splits whose children meet the minimum rows and weight of leaves.
    allowed: dict[int, NDArray[np.int64]] = field(init=False)
    # Lower bounds on the costs of two leaves, without prices, in steps of `LeafCosts`. For a
    # regression they are used only as an order.
    stumps: dict[int, NDArray[Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.columns, self.stumps, self.allowed = {}, {}, {}
        problem, dataset = self.prepared.problem, self.prepared.problem.dataset
        for c, feature in enumerate(self.prepared.features):
            if feature not in self.features:
                continue
            order = self.rows[np.argsort(self.prepared.ranks[self.rows, c], kind="stable")]
            ranks = self.prepared.ranks[order, c]
            ends = np.flatnonzero(ranks[1:] != ranks[:-1])
            if len(ends):
                distinct = np.append(ranks[ends], ranks[-1])
                upto = np.cumsum(dataset.weights[order])
                least = np.minimum(upto[ends], upto[-1] - upto[ends])
                fewest = np.minimum(ends + 1, len(order) - 1 - ends)
                enough = (fewest >= problem.min_rows) & (least >= problem.min_leaf_weight)
                self.allowed[c] = np.flatnonzero(enough)
                self.columns[c] = _SplitColumn(distinct, self._reach(order, ends))
                self.stumps[c] = self._stumps(order, ends)
        ways = self.switches["interval_bound"] and self.switches["relaxation"]
        free = self.prepared.problem.min_rows == 1
        self.between = ways and free
        nearby = self.switches["similarity_bound"] and self.switches["relaxation"]
        self.near = nearby and free and not self.prepared.problem.regression
        self.last = self.depth == 1 and not self.prepared.problem.regression

    @property
    def bytes(self) -> int:
        """An upper bound on the bytes in memory, with the known bounds of children."""
        rules = sum(len(column.ranks) for column in self.columns.values())
        known = sum(len(column.sides) for column in self.columns.values())
        fixed = _OF_COLUMN * (1 + len(self.columns)) + self.rows.nbytes
        return fixed + _OF_RULE * rules + _OF_SIDES * known

    def _reach(self, order: Subset, ends: NDArray[np.int64]) -> list[int] | None:
        costs, dataset = self.prepared.costs, self.prepared.problem.dataset
        of_rows = (
            None if costs is None else costs.reach(dataset.labels[order], dataset.weights[order])
        )
        return None if of_rows is None else np.cumsum(of_rows)[ends].tolist()

    def _stumps(self, order: Subset, ends: NDArray[np.int64]) -> NDArray[Any]:
        costs, dataset = self.prepared.costs, self.prepared.problem.dataset
        if costs is None:
            weights = dataset.weights[order].astype(np.float64)
            sums = np.cumsum(weights * (dataset.targets[order] - dataset.targets.mean()))
            upto = np.cumsum(weights)
            # The weight of the right child may be too small for the last digits of the sum.
            left, right = upto[ends], np.maximum(upto[-1] - upto[ends], 1.0)
            saved = sums[ends] ** 2 / left + (sums[-1] - sums[ends]) ** 2 / right
            return np.asarray(-saved)
        totals = np.cumsum(self.prepared.of_class[order], axis=0)
        at_left, whole = totals[ends], totals[-1]
        return costs.two_leaves(at_left, whole - at_left)

    def in_order(
        self, state: State, upper: Callable[[], Number], sides: ChildBounds | None
    ) -> Iterator[tuple[int, int]]:
        """List the splits that are not pruned, each as a column and a rank.

        Parameters
        ----------
        state : State
            The constraints of the subset.
        upper : callable
            Returns the current upper bound.
        sides : callable or None
            Returns lower bounds of two children; None to prune nothing.
        """
        open_features = state.open_features(self.prepared)
        heap: list[tuple[Number, Number, int, int]] = []
        for c, stumps in self.stumps.items():
            if self.prepared.features[c] in open_features:
                chosen = self.allowed[c]
                if self.last and sides is not None and upper() != inf:
                    chosen = chosen[stumps[chosen] <= self._most(upper())]
                costs = zip(stumps[chosen].tolist(), chosen.tolist(), strict=True)
                heap += [(0, stump, c, i) for stump, i in costs]
        heapify(heap)
        while heap:
            lower, stump, c, i = heappop(heap)
            if sides is not None:
                now, by = self._lower(c, i)
                if now >= upper():
                    self.counts[by] += 1
                    continue
                if now == lower and by:
                    # No other bound improves: this split has the smallest lower bound of all.
                    self._evaluate(c, i, sides)
                if now > lower or by:
                    heappush(heap, (now, stump, c, i))
                    continue
            for rank in self._ranks(c, i, state.places):
                yield c, rank

    def _lower(self, c: int, i: int) -> tuple[Number, str]:
        """Return a lower bound on trees with a split at the root, and the name of the bound.

        The name is empty if the split is evaluated.
        """
        column = self.columns[c]
        if self.last:
            assert self.prepared.costs is not None
            two = self.prepared.costs.at_least(self.stumps[c][i])
            return two + 2 * self.prepared.leaf_price, ""
        if i in column.sides:
            return sum(column.sides[i]), ""
        at = bisect_left(column.evaluated, i)
        beside = [column.evaluated[k] for k in (at - 1, at) if 0 <= k < len(column.evaluated)]
        best: tuple[Number, str] = (0, "interval_bound")
        if self.between:
            left = [column.sides[k][0] for k in beside if k < i]
            right = [column.sides[k][1] for k in beside if k > i]
            best = (sum(left) + sum(right), "interval_bound")
        if self.near and column.reach is not None:
            assert self.prepared.costs is not None
            for k in beside:
                steps = abs(column.reach[k] - column.reach[i])
                apart = self.prepared.costs.at_least(steps)
                best = max(best, (sum(column.sides[k]) - apart, "similarity_bound"))
        return best

    def _most(self, upper: Number) -> float:
        """Return the maximum steps of two leaves that cost less than a number."""
        assert self.prepared.costs is not None
        return self.prepared.costs.max_steps(upper - 2 * self.prepared.leaf_price)

    def _evaluate(self, c: int, i: int, sides: ChildBounds) -> None:
        column = self.columns[c]
        left = self.prepared.holds(self.rows, c, int(column.ranks[i]))
        column.sides[i] = sides(self.rows[left], self.rows[~left])
        insort(column.evaluated, i)

    def _ranks(self, c: int, i: int, places: tuple[LeafCondition, ...]) -> Iterator[int]:
        """List ranks that split the subset alike, one for each way to split the conditions."""
        column = self.columns[c]
        low, high = int(column.ranks[i]), int(column.ranks[i + 1])
        middle = self.prepared.middle(c, low, high)
        between = sorted({p.ranks[c] for p in places if low < p.ranks[c] < high})
        for first, beyond in zip([low, *between], [*between, high], strict=True):
            yield min(max(middle, first), beyond - 1)
