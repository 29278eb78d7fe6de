"""The search for numbers by the rules of the root: each side of a threshold is a search of its own.

A tree whose root asks a threshold costs what its two sides cost. So a threshold is tried by two
native searches of one level less, and what they prove bounds the thresholds around it: for
a < t < b the left side of t holds that of a, the right side of t that of b, and least costs do not
fall when examples are added (`crates/search/src/intervals.rs`). Under a demand on rows in leaves
they may fall; then the bounds come from searches without the demand, which cost no more.

The same work is done as by the native search of the whole: of 442 and of 1,000 examples at depth 3
it took 0.9 and 1.2 times as many CPU seconds, at depth 4 of 300 examples 1.5 times.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.distributed.units import Units
from exactree.engine.asked import Heard
from exactree.engine.regression import LeastDeviation
from exactree.engine.roots import Found, RootsRow
from exactree.trees.arrays import Node

__all__ = ["UNBOUNDED", "SideSearch", "ToldNumbers"]

UNBOUNDED = 1 << 62
# Seconds between two looks at what is told.
_LOOK = 0.1
_COUNTED = ("nodes", "depth_two_calls", "stump_evaluations", "memo_lookups", "memo_hits")


@dataclass(eq=False)
class ToldNumbers:
    """What a search of numbers is told while it runs.

    Attributes
    ----------
    upper : int
        Trees that cost as much are of no use any more.
    back : bool
        Whether to give back what is not done.
    """

    upper: int = UNBOUNDED
    back: bool = False

    def beat(self, cost: int) -> None:
        """Let it know that trees that cost as much are of no use any more."""
        self.upper = min(self.upper, cost)

    def give_back(self) -> None:
        """Ask for what is not done, after the rule that is being tried."""
        self.back = True


@dataclass
class SideSearch:
    """One search of some roots.

    Attributes
    ----------
    ranks, values : list of ndarray
        By feature the rank of each row's value, and the distinct values in order.
    least : callable
        Searches for the best tree of some rows; takes them and keywords of `least_deviation`.
    settings : dict
        Keywords of `least_deviation` that hold for the whole table.
    units : Units
        How costs are counted.
    told : ToldNumbers
        What others let it know.
    below : int
        Only trees that cost less count.
    time_limit : float or None
        Seconds.
    heard : callable or None
        As in `How`.
    """

    ranks: list[NDArray[np.int64]]
    values: list[NDArray[np.float64]]
    least: Callable[..., LeastDeviation]
    settings: dict[str, Any]
    units: Units
    told: ToldNumbers
    below: int
    time_limit: float | None
    heard: Heard | None
    found: tuple[int, list[Node]] | None = None
    stopped_by: str | None = None
    lower: int = 0
    rounding: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    discards: Counter[str] = field(default_factory=Counter)
    started: float = field(default_factory=monotonic)
    looked: float = field(default_factory=monotonic)

    @property
    def upper(self) -> int:
        """What a tree has to cost less than."""
        own = UNBOUNDED if self.found is None else self.found[0]
        return min(self.below, self.told.upper, own)

    def greedy(self) -> None:
        """Begin with the first tree that the native search has for the whole table."""
        whole = np.arange(len(self.ranks[0]))
        answer = self._counted(self.least(whole, stop_at_gap=1.0, on_progress=self._tell))
        if answer.nodes is not None and answer.cost is not None:
            self.found = (self.units.to_beat(answer.cost), answer.nodes)

    def through(self, roots: Sequence[RootsRow]) -> Found:
        """Try thresholds until none is left that matters, the most promising set first."""
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
                self.discards["intervals"] += row[2] - row[1] + 1
        cost, nodes = (None, None) if self.found is None else self.found
        seconds = monotonic() - self.started
        stats = {**self.counts, "discards": dict(self.discards), "rounding": self.rounding}
        stats |= {"seconds": seconds, "threads": self.settings["n_jobs"]}
        return {
            "cost": cost,
            "nodes": nodes,
            "open": left,
            "stopped_by": self.stopped_by,
            "stats": stats,
        }

    def _ends(self, lower: int) -> bool:
        """Say whether to leave what is open; of this nothing costs less than the lower bound."""
        self.lower = lower
        if self.time_limit is not None and monotonic() - self.started >= self.time_limit:
            self.stopped_by = self.stopped_by or "time limit"
        self._tell()
        return self.stopped_by is not None or self.told.back

    def _tell(self, *_: object) -> bool:
        """Tell what is known, now and then; returns whether the search is stopped."""
        now = monotonic()
        if self.heard is not None and now - self.looked >= _LOOK:
            self.looked = now
            cost = None if self.found is None else self.found[0]
            if self.heard(cost, self.lower, now - self.started):
                self.stopped_by = self.stopped_by or "callback"
        return self.stopped_by is not None

    def _tried(self, row: RootsRow) -> list[RootsRow] | None:
        """Try the middle threshold of a set; return its halves with what is known of them then.

        None if the search was stopped before that was known.
        """
        feature, first, last, lower, left, right = row
        middle = (first + last) // 2
        goes_left = self.ranks[feature] <= middle
        parts = (np.flatnonzero(goes_left), np.flatnonzero(~goes_left))
        solved = self._solved(parts, (left, right), 1)
        if solved is None:
            return None
        bounds, answers = shown, _ = solved
        min_rows = self.settings["min_rows"]
        if min_rows > 1 and sum(bounds) < self.upper:
            # What is shown of the sides without the demand holds for the thresholds around.
            solved = self._solved(parts, bounds, min_rows)
            if solved is None:
                return None
            bounds, answers = solved
        if sum(bounds) < self.upper:
            self._take(feature, middle, answers)
            # Both sides are best: what is missing are roundings.
            self.rounding = max(self.rounding, self.upper - sum(bounds))
        left_after, right_before = max(left, shown[0]), max(right, shown[1])
        halves = [
            (feature, first, middle - 1, max(lower, left + right_before), left, right_before),
            (feature, middle + 1, last, max(lower, left_after + right), left_after, right),
        ]
        return [half for half in halves if half[1] <= half[2]]

    def _solved(
        self,
        parts: tuple[NDArray[np.int64], NDArray[np.int64]],
        known: tuple[int, int],
        min_rows: int,
    ) -> tuple[tuple[int, int], list[LeastDeviation | None]] | None:
        """Search both sides, the larger one first, as far as they can stay below what is to beat.

        Returns lower bounds of both, and the answers that are proved best; None if stopped.
        """
        bounds = list(known)
        answers: list[LeastDeviation | None] = [None, None]
        first = int(len(parts[1]) > len(parts[0]))
        for at in (first, 1 - first):
            if sum(bounds) >= self.upper:
                break
            answer = self._side(parts[at], min_rows, bounds[1 - at])
            if answer is None:
                return None
            bounds[at] = max(bounds[at], self.units.at_least(answer.lower_bound))
            answers[at] = answer
        return (bounds[0], bounds[1]), answers

    def _side(self, part: NDArray[np.int64], min_rows: int, other: int) -> LeastDeviation | None:
        """Search one side until its tree is best, or cannot matter beside what the other costs."""

        def hopeless(_cost: float | None, lower_bound: float, _seconds: float) -> bool:
            return self._tell() or self.units.at_least(lower_bound) + other >= self.upper

        listeners: tuple[Callable[..., bool], ...] = (hopeless, self._tell)
        for listener in listeners:
            answer = self._counted(
                self.least(
                    part,
                    max_depth=_one_less(self.settings["max_depth"]),
                    min_rows=min_rows,
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
            # A search says a little less at its end than meanwhile, because of roundings.
            if self.units.at_least(answer.lower_bound) + other >= self.upper:
                return answer
        return None

    def _left(self) -> float | None:
        """Return the seconds that are left, at least a moment."""
        if self.time_limit is None:
            return None
        return max(self.time_limit - (monotonic() - self.started), 1e-3)

    def _counted(self, answer: LeastDeviation) -> LeastDeviation:
        self.counts.update({name: answer.stats[name] for name in _COUNTED})
        return answer

    def _take(self, feature: int, middle: int, answers: list[LeastDeviation | None]) -> None:
        """Take the tree of two sides that are both best, if it is better."""
        left, right = answers
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
            self.looked = 0.0  # which is news: it is told at once


def _ranked(row: RootsRow) -> tuple[int, int, RootsRow]:
    """Return a set as a heap orders it: least lower bound first, then the widest."""
    return row[3], row[1] - row[2], row


def _one_less(depth: int | None) -> int | None:
    return None if depth is None else depth - 1


def _joined(rule: tuple[int, float, float], left: list[Node], right: list[Node]) -> list[Node]:
    """Return the tree with a rule at its root, above two trees."""
    root: Node = (*rule, 1, 1 + len(left))
    return [root, *_moved(left, 1), *_moved(right, 1 + len(left))]


def _moved(nodes: list[Node], by: int) -> list[Node]:
    """Return nodes that stand so many places later."""
    return [
        (feature, low, high, left + by, right + by)
        if feature >= 0
        else (feature, low, high, left, right)
        for feature, low, high, left, right in nodes
    ]
