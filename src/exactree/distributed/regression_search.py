"""Regression by root splits: each child of a root split is a separate search.

The cost of a tree is the sum of the costs of the two children of its root. So a root threshold is
tried by two native searches of one level less, whose results bound the thresholds around it: for
thresholds a < t < b the left child of t contains that of a, the right child of t contains that of
b, and minimum costs do not decrease when examples are added
(`crates/search/src/engine/intervals.rs`). With a minimum number of rows per leaf they may decrease;
then the bounds come from searches without this limit, whose minimum costs are not larger.

The work is about that of a native search of the complete problem: with 442 and 1,000 examples at
depth 3 it took 0.9 and 1.2 times as many CPU seconds, with 300 examples at depth 4 1.5 times.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from math import floor, frexp, ldexp
from time import monotonic
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import NDArray

from exactree.engine.native.border import RootsResult, RootsRow, SearchStats
from exactree.engine.native.regression import MinimumDeviation
from exactree.engine.native.request import ProgressCallback
from exactree.trees.arrays import ArrayNode

__all__ = ["UNBOUNDED", "RegressionControl", "RootSearch", "Units"]


# Bits of the cost of a single leaf in units.
_BITS = 56
# Tolerated excess cost of an optimal tree, relative to its cost and to the cost of a single leaf.
# Smaller than in `engine/single_objective/regression_tree.py`, to leave room for rounding errors.
_OF_COST, _OF_LEAF = 4e-10, 4e-16


@dataclass(frozen=True)
class Units:
    """Conversion of costs to integer units, in which the cost of a single leaf has 56 bits.

    Attributes
    ----------
    leaf : float
        The cost of a single leaf.
    """

    leaf: float

    @property
    def _shift(self) -> int:
        return _BITS - frexp(self.leaf)[1]

    def at_least(self, bound: float) -> int:
        """Return a lower bound in units, rounded down."""
        return max(floor(ldexp(bound, self._shift)), 0)

    def to_beat(self, cost: float) -> int:
        """Return the upper bound below which trees are better than a tree beyond the tolerance.

        Parameters
        ----------
        cost : float
            Cost of the tree.
        """
        return self.at_least(cost - max(_OF_COST * cost, _OF_LEAF * self.leaf))

    def value(self, units: int) -> float:
        """Convert units to a cost."""
        return ldexp(float(units), -self._shift)


UNBOUNDED = 1 << 62
# Minimum seconds between two progress reports.
_LOOK = 0.1
_Counted = Literal["nodes", "depth_two_calls", "stump_evaluations", "cache_lookups", "cache_hits"]
_COUNTED: tuple[_Counted, ...] = (
    "nodes",
    "depth_two_calls",
    "stump_evaluations",
    "cache_lookups",
    "cache_hits",
)


@dataclass(eq=False)
class RegressionControl:
    """Messages to a regression search while it runs.

    Attributes
    ----------
    upper : int
        Only trees that cost less are useful.
    back : bool
        Whether to return the open rules.
    """

    upper: int = UNBOUNDED
    back: bool = False

    def tighten_upper_bound(self, cost: int) -> None:
        """Set an upper bound: only trees that cost less are still useful."""
        self.upper = min(self.upper, cost)

    def return_open(self) -> None:
        """Request the open rules, once the current rule is done."""
        self.back = True


@dataclass
class RootSearch:
    """State of one search over some root splits.

    Attributes
    ----------
    ranks, values : list of ndarray
        For each feature the rank of the value of each row, and the sorted distinct values.
    solve : callable
        Searches for the best tree of some rows, given the rows and keywords of `minimum_deviation`.
    settings : dict
        Keywords of `minimum_deviation` for the complete table.
    units : Units
        The integer units of costs.
    control : RegressionControl
        Messages from other threads.
    below : int
        Upper bound: only trees that cost less count.
    time_limit : float or None
        Seconds.
    callback : callable or None
        As in `SearchOptions`.
    """

    ranks: list[NDArray[np.int64]]
    values: list[NDArray[np.float64]]
    solve: Callable[..., MinimumDeviation]
    settings: dict[str, Any]
    units: Units
    control: RegressionControl
    below: int
    time_limit: float | None
    callback: ProgressCallback | None
    found: tuple[int, list[ArrayNode]] | None = None
    stopped_by: str | None = None
    lower: int = 0
    rounding: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    discards: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=monotonic)
    looked: float = field(default_factory=monotonic)

    @property
    def upper(self) -> int:
        """Upper bound: only trees that cost less count."""
        own = UNBOUNDED if self.found is None else self.found[0]
        return min(self.below, self.control.upper, own)

    def greedy(self) -> None:
        """Start with the first incumbent of a native search of the complete table."""
        everything = np.arange(len(self.ranks[0]))
        answer = self._counted(self.solve(everything, stop_at_gap=1.0, on_progress=self._report))
        if answer.nodes is not None and answer.cost is not None:
            self.found = (self.units.to_beat(answer.cost), answer.nodes)

    def through(self, roots: Sequence[RootsRow]) -> RootsResult:
        """Try thresholds in sets by increasing lower bound, until it reaches the upper bound."""
        open_ = [_ranked(row) for row in roots]
        heapify(open_)
        while open_ and open_[0][0] < self.upper and not self._ends(open_[0][0]):
            *_, row = heappop(open_)
            halves = self._tried(row)
            if halves is None:
                heappush(open_, _ranked(row))
                break
            for half in halves:
                heappush(open_, _ranked(half))
        left: list[RootsRow] = []
        upper = self.upper
        for *_, row in open_:
            if row[3] < upper:
                left.append(row)
            else:
                self.discards["interval_bound"] += row[2] - row[1] + 1
        cost, nodes = (None, None) if self.found is None else self.found
        seconds = monotonic() - self.started
        stats: dict[str, Any] = {
            **self.counts,
            "pruned": dict(self.discards),
            "rounding": self.rounding,
        }
        stats |= {"seconds": seconds, "threads": self.settings["n_jobs"]}
        return {
            "cost": cost,
            "nodes": nodes,
            "open": left,
            "stopped_by": self.stopped_by,
            "stats": cast(SearchStats, stats),  # and what the client adds up
        }

    def _ends(self, lower: int) -> bool:
        """Return whether to stop; `lower` is a lower bound on the cost of all open rules."""
        self.lower = lower
        if self.time_limit is not None and monotonic() - self.started >= self.time_limit:
            self.stopped_by = self.stopped_by or "time limit"
        self._report()
        return self.stopped_by is not None or self.control.back

    def _report(self, *_: object) -> bool:
        """Report progress from time to time; returns whether the search is stopped."""
        now = monotonic()
        if self.callback is not None and now - self.looked >= _LOOK:
            self.looked = now
            cost = None if self.found is None else self.found[0]
            if self.callback(cost, self.lower, now - self.started):
                self.stopped_by = self.stopped_by or "callback"
        return self.stopped_by is not None

    def _tried(self, row: RootsRow) -> list[RootsRow] | None:
        """Try the middle threshold of a set, and return its two halves with improved lower bounds.

        None if the search was stopped before the bounds were proved.
        """
        feature, first, last, lower, left, right = row
        middle = (first + last) // 2
        goes_left = self.ranks[feature] <= middle
        subsets = (np.flatnonzero(goes_left), np.flatnonzero(~goes_left))
        solved = self._solved(subsets, (left, right), 1)
        if solved is None:
            return None
        bounds, results = relaxed_bounds, _ = solved
        min_rows = self.settings["min_samples_leaf"]
        if min_rows > 1 and sum(bounds) < self.upper:
            # The bounds without the limit on rows remain those for the neighbouring thresholds.
            solved = self._solved(subsets, bounds, min_rows)
            if solved is None:
                return None
            bounds, results = solved
        if sum(bounds) < self.upper:
            self._take(feature, middle, results)
            # Both children are optimal: a remaining gap is due to rounding.
            self.rounding = max(self.rounding, self.upper - sum(bounds))
        left_after = max(left, relaxed_bounds[0])
        right_before = max(right, relaxed_bounds[1])
        halves = [
            (feature, first, middle - 1, max(lower, left + right_before), left, right_before),
            (feature, middle + 1, last, max(lower, left_after + right), left_after, right),
        ]
        return [half for half in halves if half[1] <= half[2]]

    def _solved(
        self,
        subsets: tuple[NDArray[np.int64], NDArray[np.int64]],
        known: tuple[int, int],
        min_rows: int,
    ) -> tuple[tuple[int, int], list[MinimumDeviation | None]] | None:
        """Search both children, the larger first, until they exceed the upper bound.

        Returns lower bounds of both, and the results that are proved optimal; None if stopped.
        """
        bounds = list(known)
        results: list[MinimumDeviation | None] = [None, None]
        first = int(len(subsets[1]) > len(subsets[0]))
        for at in (first, 1 - first):
            if sum(bounds) >= self.upper:
                break
            result = self._child(subsets[at], min_rows, bounds[1 - at])
            if result is None:
                return None
            bounds[at] = max(bounds[at], self.units.at_least(result.lower_bound))
            results[at] = result
        return (bounds[0], bounds[1]), results

    def _child(
        self, subset: NDArray[np.int64], min_rows: int, other: int
    ) -> MinimumDeviation | None:
        """Search one child until it is optimal, or exceeds the upper bound with the other child."""

        def exceeds_upper_bound(_cost: float | None, lower_bound: float, _seconds: float) -> bool:
            return self._report() or self.units.at_least(lower_bound) + other >= self.upper

        listeners: tuple[Callable[..., bool], ...] = (exceeds_upper_bound, self._report)
        for listener in listeners:
            answer = self._counted(
                self.solve(
                    subset,
                    max_depth=_child_depth(self.settings["max_depth"]),
                    min_samples_leaf=min_rows,
                    time_limit=self._left(),
                    on_progress=listener,
                )
            )
            if answer.stopped_by is None:
                return answer
            if answer.stopped_by != "callback":
                self.stopped_by = self.stopped_by or answer.stopped_by
            if self.stopped_by is not None:
                return None
            # The final lower bound may be slightly smaller than reported before, due to rounding.
            if self.units.at_least(answer.lower_bound) + other >= self.upper:
                return answer
        return None

    def _left(self) -> float | None:
        """Return the remaining seconds, at least 1 ms."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - (monotonic() - self.started), 1e-3)

    def _counted(self, answer: MinimumDeviation) -> MinimumDeviation:
        self.counts.update({name: answer.stats[name] for name in _COUNTED})
        return answer

    def _take(self, feature: int, middle: int, results: list[MinimumDeviation | None]) -> None:
        """Make the tree of two optimal children the incumbent if it is better."""
        left, right = results
        assert left is not None
        assert right is not None
        assert left.cost is not None
        assert right.cost is not None
        assert left.nodes is not None
        assert right.nodes is not None
        cost = self.units.to_beat(left.cost + right.cost)
        if cost < self.upper:
            values = self.values[feature]
            rule = (feature, float(values[middle]), float(values[middle + 1]))
            self.found = (cost, _joined(rule, left.nodes, right.nodes))
            self.looked = 0.0  # reports the new incumbent immediately


def _ranked(row: RootsRow) -> tuple[int, int, RootsRow]:
    """Return the key of a set in the heap: smallest lower bound first, then most rules."""
    return row[3], row[1] - row[2], row


def _child_depth(depth: int | None) -> int | None:
    return None if depth is None else depth - 1


def _joined(
    rule: tuple[int, float, float], left: list[ArrayNode], right: list[ArrayNode]
) -> list[ArrayNode]:
    """Join two trees under a root with a rule."""
    root: ArrayNode = (*rule, 1, 1 + len(left))
    return [root, *_moved(left, 1), *_moved(right, 1 + len(left))]


def _moved(nodes: list[ArrayNode], by: int) -> list[ArrayNode]:
    """Return nodes with all child indices increased by `by`."""
    return [
        (feature, low, high, left + by, right + by)
        if feature >= 0
        else (feature, low, high, left, right)
        for feature, low, high, left, right in nodes
    ]
