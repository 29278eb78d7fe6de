"""Regression by root splits: each child of a root split is a separate search.

The cost of a tree is the sum of the costs of the two children of its root. So a root threshold is
tried by two native searches for trees of one level less, whose results bound the thresholds around
it: for thresholds a < t < b the left child of t contains that of a, the right child of t contains
that of b, and minimum costs do not decrease when examples are added
(`crates/search/src/engine/intervals.rs`). With a minimum number of rows per leaf they may decrease;
then the bounds come from searches without this limit, whose minimum costs are not larger.

The work is about that of a native search of the complete problem: at depth 3 it took 0.9 times as
many CPU seconds with 442 examples and 1.2 times with 1,000, at depth 4 with 300 examples 1.5 times.
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
# Tolerated excess cost of a tree that counts as optimal, relative to its cost and to the cost of a
# single leaf. Smaller than in `engine/single_objective/regression_tree.py`, to leave room for
# rounding errors.
_OF_COST, _OF_LEAF = 4e-10, 4e-16


@dataclass(frozen=True)
class Units:
    """Conversion of costs to integer units, in which the cost of a single leaf has 56 bits.

    Attributes
    ----------
    leaf_cost : float
        The cost of a single leaf.
    """

    leaf_cost: float

    @property
    def _shift(self) -> int:
        return _BITS - frexp(self.leaf_cost)[1]

    def round_down(self, bound: float) -> int:
        """Convert a lower bound to units, rounded down."""
        return max(floor(ldexp(bound, self._shift)), 0)

    def to_beat(self, cost: float) -> int:
        """Return the cost of a tree minus the tolerance: only trees that cost less are better.

        Parameters
        ----------
        cost : float
            Cost of the tree.
        """
        return self.round_down(cost - max(_OF_COST * cost, _OF_LEAF * self.leaf_cost))

    def value(self, units: int) -> float:
        """Convert units to a cost."""
        return ldexp(float(units), -self._shift)


# Larger than the cost of any tree, in units.
UNBOUNDED = 1 << 62
# Minimum seconds between two progress reports.
_REPORT_INTERVAL = 0.1
_SummedCount = Literal[
    "nodes", "depth_two_calls", "stump_evaluations", "cache_lookups", "cache_hits"
]
# Statistics of native searches that are added up.
_SUMMED_COUNTS: tuple[_SummedCount, ...] = (
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
    return_requested : bool
        Whether to return the open rules.
    """

    upper: int = UNBOUNDED
    return_requested: bool = False

    def tighten_upper_bound(self, cost: int) -> None:
        """Set an upper bound: only trees that cost less are still useful."""
        self.upper = min(self.upper, cost)

    def return_open(self) -> None:
        """Request the open rules, once the current rule is done."""
        self.return_requested = True


@dataclass
class RootSearch:
    """State of one search over some root splits.

    Attributes
    ----------
    ranks, values : list of ndarray
        For each feature the rank of each row's value, and the sorted distinct values.
    solve : callable
        Searches for the best tree of some rows; takes the rows and keywords of `minimum_deviation`.
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
    found : tuple of cost and nodes, or None
        The best tree; its cost is reduced by the tolerance (`Units.to_beat`).
    stopped_by : str or None
        The reason for an early end.
    lower : int
        Lower bound on the cost of all trees with an open root split.
    rounding : int
        Largest difference of cost and lower bound of a solved root split.
    counts, pruned : Counter
        Sums of statistics of the native searches; number of pruned rules.
    started, reported_at : float
        Times of the start and of the last progress report.
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
    pruned: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=monotonic)
    reported_at: float = field(default_factory=monotonic)

    @property
    def upper(self) -> int:
        """Upper bound: only trees that cost less count."""
        own = UNBOUNDED if self.found is None else self.found[0]
        return min(self.below, self.control.upper, own)

    def find_incumbent(self) -> None:
        """Start with the first incumbent of a native search of the complete table."""
        everything = np.arange(len(self.ranks[0]))
        result = self._counted(self.solve(everything, stop_at_gap=1.0, on_progress=self._report))
        if result.nodes is not None and result.cost is not None:
            self.found = (self.units.to_beat(result.cost), result.nodes)

    def run(self, roots: Sequence[RootsRow]) -> RootsResult:
        """Try thresholds by increasing lower bound until that reaches the upper bound."""
        heap = [_with_key(interval) for interval in roots]
        heapify(heap)
        while heap and heap[0][0] < self.upper and not self._must_stop(heap[0][0]):
            *_, interval = heappop(heap)
            halves = self._try_middle(interval)
            if halves is None:
                heappush(heap, _with_key(interval))
                break
            for half in halves:
                heappush(heap, _with_key(half))
        still_open: list[RootsRow] = []
        upper = self.upper
        for *_, interval in heap:
            _feature, first, last, lower_bound, _left, _right = interval
            if lower_bound < upper:
                still_open.append(interval)
            else:
                self.pruned["interval_bound"] += last - first + 1
        cost, nodes = (None, None) if self.found is None else self.found
        seconds = monotonic() - self.started
        stats: dict[str, Any] = {
            **self.counts,
            "pruned": dict(self.pruned),
            "rounding": self.rounding,
        }
        stats |= {"seconds": seconds, "threads": self.settings["n_jobs"]}
        return RootsResult(
            cost=cost,
            nodes=nodes,
            open=still_open,
            stopped_by=self.stopped_by,
            stats=cast(SearchStats, stats),  # without the statistics of a complete search
        )

    def _must_stop(self, lower: int) -> bool:
        """Return whether to stop; `lower` is a lower bound on the cost of all open rules."""
        self.lower = lower
        if self.time_limit is not None and monotonic() - self.started >= self.time_limit:
            self.stopped_by = self.stopped_by or "time limit"
        self._report()
        return self.stopped_by is not None or self.control.return_requested

    def _report(self, *_: object) -> bool:
        """Report progress from time to time; return whether the search is stopped."""
        now = monotonic()
        if self.callback is not None and now - self.reported_at >= _REPORT_INTERVAL:
            self.reported_at = now
            cost = None if self.found is None else self.found[0]
            if self.callback(cost, self.lower, now - self.started):
                self.stopped_by = self.stopped_by or "callback"
        return self.stopped_by is not None

    def _try_middle(self, interval: RootsRow) -> list[RootsRow] | None:
        """Try the middle threshold of an interval, and return its halves with better lower bounds.

        Empty halves are left out. Returns None if the search was stopped before the bounds were
        proved.
        """
        feature, first, last, lower, left, right = interval
        middle = (first + last) // 2
        goes_left = self.ranks[feature] <= middle
        subsets = (np.flatnonzero(goes_left), np.flatnonzero(~goes_left))
        solved = self._search_children(subsets, (left, right), 1)
        if solved is None:
            return None
        bounds, results = solved
        relaxed_bounds = bounds
        min_rows = self.settings["min_samples_leaf"]
        if min_rows > 1 and sum(bounds) < self.upper:
            # Neighbouring thresholds keep the bounds without the limit on rows.
            solved = self._search_children(subsets, bounds, min_rows)
            if solved is None:
                return None
            bounds, results = solved
        if sum(bounds) < self.upper:
            self._offer_tree(feature, middle, results)
            # Both children are optimal: a remaining gap is due to rounding.
            self.rounding = max(self.rounding, self.upper - sum(bounds))
        # For the left child of every larger, and the right child of every smaller threshold.
        left_after = max(left, relaxed_bounds[0])
        right_before = max(right, relaxed_bounds[1])
        halves: list[RootsRow] = []
        if first < middle:
            bound = max(lower, left + right_before)
            halves.append((feature, first, middle - 1, bound, left, right_before))
        if middle < last:
            bound = max(lower, left_after + right)
            halves.append((feature, middle + 1, last, bound, left_after, right))
        return halves

    def _search_children(
        self,
        subsets: tuple[NDArray[np.int64], NDArray[np.int64]],
        known: tuple[int, int],
        min_rows: int,
    ) -> tuple[tuple[int, int], list[MinimumDeviation | None]] | None:
        """Search both children, the larger first, until their bounds reach the upper bound.

        Returns their lower bounds and their results; a child that was not searched has the result
        None. Returns None if the search was stopped.
        """
        bounds = list(known)
        results: list[MinimumDeviation | None] = [None, None]
        first = int(len(subsets[1]) > len(subsets[0]))
        for at in (first, 1 - first):
            if sum(bounds) >= self.upper:
                break
            result = self._search_child(subsets[at], min_rows, bounds[1 - at])
            if result is None:
                return None
            bounds[at] = max(bounds[at], self.units.round_down(result.lower_bound))
            results[at] = result
        return (bounds[0], bounds[1]), results

    def _search_child(
        self, subset: NDArray[np.int64], min_rows: int, other: int
    ) -> MinimumDeviation | None:
        """Search one child until it is solved, or until both children reach the upper bound.

        `other` is a lower bound of the other child.
        """

        def reaches_upper_bound(_cost: float | None, lower_bound: float, _seconds: float) -> bool:
            return self._report() or self.units.round_down(lower_bound) + other >= self.upper

        listeners: tuple[Callable[..., bool], ...] = (reaches_upper_bound, self._report)
        for listener in listeners:
            result = self._counted(
                self.solve(
                    subset,
                    max_depth=_child_depth(self.settings["max_depth"]),
                    min_samples_leaf=min_rows,
                    time_limit=self._seconds_left(),
                    on_progress=listener,
                )
            )
            if result.stopped_by is None:
                return result
            if result.stopped_by != "callback":
                self.stopped_by = self.stopped_by or result.stopped_by
            if self.stopped_by is not None:
                return None
            # Due to rounding, the final lower bound may be slightly smaller than a reported bound.
            # If it does not reach the upper bound, the second round searches until a proof.
            if self.units.round_down(result.lower_bound) + other >= self.upper:
                return result
        return None

    def _seconds_left(self) -> float | None:
        """Return the remaining seconds, at least 1 ms."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - (monotonic() - self.started), 1e-3)

    def _counted(self, result: MinimumDeviation) -> MinimumDeviation:
        self.counts.update({name: result.stats[name] for name in _SUMMED_COUNTS})
        return result

    def _offer_tree(
        self, feature: int, middle: int, results: list[MinimumDeviation | None]
    ) -> None:
        """Join the trees of two optimal children; make the result the incumbent if it is better."""
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
            self.reported_at = 0.0  # the next call of `_report` reports the new incumbent


def _with_key(interval: RootsRow) -> tuple[int, int, RootsRow]:
    """Return an interval after its heap key: smallest lower bound first, then largest interval."""
    _feature, first, last, lower_bound, _left, _right = interval
    return lower_bound, first - last, interval


def _child_depth(depth: int | None) -> int | None:
    return None if depth is None else depth - 1


def _joined(
    rule: tuple[int, float, float], left: list[ArrayNode], right: list[ArrayNode]
) -> list[ArrayNode]:
    """Return the nodes of a tree with a root rule and two trees as children."""
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
