"""The rules of a subset in the order in which they are tried, with lower bounds from those tried.

What the best trees of both children of a rule cost without constraints bounds the rule, and others
around it, on the same column. Let S be rows of a subset T.

*between*: no best tree of S costs more than one of T, as the tree of T serves S, where a leaf that
gets no row is left out. A rule between two evaluated ones has a left child that is larger than that
of the lower one, and a right child that is larger than that of the upper one.
*near*: of errors of classes, no best tree of T costs more than one of S and the weight of the rows
in T that are not in S, each wrong; by a cost matrix, each at its reach, the most it costs. So a
rule costs at least what another one on its column does less that of the rows between them. Shares
are not bounded so.

Both need that a leaf may hold any number of rows; they are off otherwise.

Where one level is left, the children of all rules are leaves; of classes these are counted at once.
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

from exactree.engine.constrained.ground import Ground, Number, Subset
from exactree.engine.constrained.state import LeafCondition, State

__all__ = ["Roots"]

# Bytes of a column without its rules, of a rule, and of the costs of its children.
_OF_COLUMN, _OF_RULE, _OF_SIDES = 1500, 160, 500

# Returns what the best trees of two children cost at least.
ChildBounds = Callable[[Subset, Subset], tuple[Number, Number]]


@dataclass
class _SplitColumn:
    """The rules of a subset on one column.

    Attributes
    ----------
    ranks : ndarray of int64
        The distinct ranks of the subset; rule i sends those up to the i-th left.
    reach : list of int or None
        What the rows that each rule sends left cost at most, in steps of `LeafCosts`; None if that
        is not known.
    evaluated : list of int
        The rules whose sides are known.
    sides : dict of int to pair
        What the best trees of their sides cost at least.
    """

    ranks: NDArray[np.int64]
    reach: list[int] | None
    evaluated: list[int] = field(default_factory=list)
    sides: dict[int, tuple[Number, Number]] = field(default_factory=dict)


@dataclass
class Roots:
    """The rules of a subset, remembered for all states of it.

    Attributes
    ----------
    ground : Ground
        The problem.
    rows : ndarray of int64
        The subset.
    depth : int
        Nodes on a path of its trees.
    features : frozenset of int
        Those that its trees may use.
    switches : dict of str to bool
        What of the above is on.
    counts : Counter
        Rules that were given up before their sides were known, by what bounded them.
    """

    ground: Ground
    rows: Subset
    depth: int
    features: frozenset[int]
    switches: dict[str, bool]
    counts: Counter[str]
    columns: dict[int, _SplitColumn] = field(init=False)
    # The rules whose sides are large and heavy enough for leaves.
    allowed: dict[int, NDArray[np.int64]] = field(init=False)
    # What rules over two leaves cost at least without prices, in steps of `LeafCosts`; of a
    # regression only their order is right.
    stumps: dict[int, NDArray[Any]] = field(init=False)

    def __post_init__(self) -> None:
        self.columns, self.stumps, self.allowed = {}, {}, {}
        problem, dataset = self.ground.problem, self.ground.problem.dataset
        for c, feature in enumerate(self.ground.features):
            if feature not in self.features:
                continue
            order = self.rows[np.argsort(self.ground.ranks[self.rows, c], kind="stable")]
            ranks = self.ground.ranks[order, c]
            ends = np.flatnonzero(ranks[1:] != ranks[:-1])
            if len(ends):
                distinct = np.append(ranks[ends], ranks[-1])
                upto = np.cumsum(dataset.weights[order])
                least = np.minimum(upto[ends], upto[-1] - upto[ends])
                fewest = np.minimum(ends + 1, len(order) - 1 - ends)
                enough = (fewest >= problem.min_rows) & (least >= problem.least_weight)
                self.allowed[c] = np.flatnonzero(enough)
                self.columns[c] = _SplitColumn(distinct, self._reach(order, ends))
                self.stumps[c] = self._stumps(order, ends)
        ways = self.switches["interval_bound"] and self.switches["relaxation"]
        free = self.ground.problem.min_rows == 1
        self.between = ways and free
        nearby = self.switches["similarity_bound"] and self.switches["relaxation"]
        self.near = nearby and free and not self.ground.problem.regression
        self.last = self.depth == 1 and not self.ground.problem.regression

    @property
    def bytes(self) -> int:
        """Bytes that they take in memory, at most, with the children that are known."""
        rules = sum(len(column.ranks) for column in self.columns.values())
        known = sum(len(column.sides) for column in self.columns.values())
        fixed = _OF_COLUMN * (1 + len(self.columns)) + self.rows.nbytes
        return fixed + _OF_RULE * rules + _OF_SIDES * known

    def _reach(self, order: Subset, ends: NDArray[np.int64]) -> list[int] | None:
        costs, dataset = self.ground.costs, self.ground.problem.dataset
        of_rows = (
            None if costs is None else costs.reach(dataset.labels[order], dataset.weights[order])
        )
        return None if of_rows is None else np.cumsum(of_rows)[ends].tolist()

    def _stumps(self, order: Subset, ends: NDArray[np.int64]) -> NDArray[Any]:
        costs, dataset = self.ground.costs, self.ground.problem.dataset
        if costs is None:
            weights = dataset.weights[order].astype(np.float64)
            sums = np.cumsum(weights * (dataset.targets[order] - dataset.targets.mean()))
            upto = np.cumsum(weights)
            left, right = upto[ends], upto[-1] - upto[ends]
            saved = sums[ends] ** 2 / left + (sums[-1] - sums[ends]) ** 2 / right
            return np.asarray(-saved)
        totals = np.cumsum(self.ground.of_class[order], axis=0)
        at_left, whole = totals[ends], totals[-1]
        return costs.two_leaves(at_left, whole - at_left)

    def in_order(
        self, state: State, upper: Callable[[], Number], sides: ChildBounds | None
    ) -> Iterator[tuple[int, int]]:
        """List the rules that may matter, each as a column and a rank.

        Parameters
        ----------
        state : State
            What the part must satisfy.
        upper : callable
            Returns what a tree must cost less than, now.
        sides : callable or None
            Bounds two children; None if rules are not bounded.
        """
        open_features = state.open_features(self.ground)
        heap: list[tuple[Number, Number, int, int]] = []
        for c, stumps in self.stumps.items():
            if self.ground.features[c] in open_features:
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
                    # No other bound helps: of all rules this one may be the best.
                    self._evaluate(c, i, sides)
                if now > lower or by:
                    heappush(heap, (now, stump, c, i))
                    continue
            for rank in self._ranks(c, i, state.places):
                yield c, rank

    def _lower(self, c: int, i: int) -> tuple[Number, str]:
        """Return what trees with a rule at the root cost at least, and the switch that tells so.

        Its own sides tell if they are known; then there is no switch.
        """
        column = self.columns[c]
        if self.last:
            assert self.ground.costs is not None
            two = self.ground.costs.at_least(self.stumps[c][i])
            return two + 2 * self.ground.leaf_price, ""
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
            assert self.ground.costs is not None
            for k in beside:
                steps = abs(column.reach[k] - column.reach[i])
                apart = self.ground.costs.at_least(steps)
                best = max(best, (sum(column.sides[k]) - apart, "similarity_bound"))
        return best

    def _most(self, upper: Number) -> float:
        """Return the steps that two leaves may take to cost less than a number."""
        assert self.ground.costs is not None
        return self.ground.costs.most_steps(upper - 2 * self.ground.leaf_price)

    def _evaluate(self, c: int, i: int, sides: ChildBounds) -> None:
        column = self.columns[c]
        left = self.ground.holds(self.rows, c, int(column.ranks[i]))
        column.sides[i] = sides(self.rows[left], self.rows[~left])
        insort(column.evaluated, i)

    def _ranks(self, c: int, i: int, places: tuple[LeafCondition, ...]) -> Iterator[int]:
        """List ranks that split the subset as a rule does, one for each way to divide places."""
        column = self.columns[c]
        low, high = int(column.ranks[i]), int(column.ranks[i + 1])
        middle = self.ground.middle(c, low, high)
        between = sorted({p.ranks[c] for p in places if low < p.ranks[c] < high})
        for first, beyond in zip([low, *between], [*between, high], strict=True):
            yield min(max(middle, first), beyond - 1)
