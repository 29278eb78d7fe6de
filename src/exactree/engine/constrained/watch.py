"""Incumbent, lower bound, stop and progress of a search under constraints."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from exactree.engine.constrained.prepared import CostedTree, Number
from exactree.stopping import interrupted

__all__ = ["SearchStopped", "Watch"]

# Seconds between two reports.
_PAUSE = 0.1


class SearchStopped(Exception):
    """Raised to stop the search.

    Parameters
    ----------
    by : str
        "time limit", "interrupt", "callback" or "gap".
    tree : CostedLeaf or CostedNode, optional
        The best tree for the whole table that a native search found.
    lower : int or Fraction
        The lower bound of that search.
    """

    def __init__(self, by: str, tree: CostedTree | None = None, lower: Number = 0) -> None:
        super().__init__(by)
        self.by, self.tree, self.lower = by, tree, lower


@dataclass
class Watch:
    """State of a running search, and the reasons to stop it.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    stop_at_gap : float
        Stop when (cost - lower bound) / cost is at most this.
    callback : callable or None
        Called with cost, lower bound and seconds; returning True stops.
    upper : int, Fraction or float
        The cost of the incumbent, or without one the exclusive limit on the cost.
    lower : int, Fraction or float
        A lower bound on all feasible trees.
    tree : CostedLeaf, CostedNode or None
        The incumbent.
    moments : list of tuple
        Cost (None without an incumbent), lower bound and seconds of every improvement.
    started, last_report : float
        Time of the start, by `monotonic`; seconds from the start to the last report.
    """

    time_limit: float | None
    stop_at_gap: float
    callback: Callable[[Number | None, Number, float], object] | None
    upper: Number
    lower: Number = 0
    tree: CostedTree | None = None
    moments: list[tuple[Number | None, Number, float]] = field(default_factory=list)
    started: float = field(default_factory=monotonic)
    last_report: float = 0.0

    def seconds(self) -> float:
        """Return the seconds since the start."""
        return monotonic() - self.started

    def left(self) -> float | None:
        """Return the seconds that are left, None without a limit."""
        return None if self.time_limit is None else max(self.time_limit - self.seconds(), 0.0)

    def found(self, tree: CostedTree, cost: Number) -> None:
        """Take a feasible tree as incumbent if it is cheaper."""
        if cost < self.upper:
            self.upper, self.tree = cost, tree
            self._record()

    def proved(self, lower: Number) -> None:
        """Take a lower bound on all feasible trees."""
        if lower > self.lower:
            self.lower = lower
            self._record()

    def _record(self) -> None:
        cost = None if self.tree is None else self.upper
        self.moments.append((cost, min(self.lower, self.upper), self.seconds()))

    def check(self) -> None:
        """Raise `SearchStopped` when it is time to stop."""
        if interrupted():
            raise SearchStopped("interrupt")
        seconds = self.seconds()
        if self.time_limit is not None and seconds >= self.time_limit:
            raise SearchStopped("time limit")
        if self.tree is not None and self.stop_at_gap > 0 and self._gap() <= self.stop_at_gap:
            raise SearchStopped("gap")
        if seconds - self.last_report >= _PAUSE and self.report(seconds):
            raise SearchStopped("callback")

    def report(self, seconds: float) -> bool:
        """Report the progress; return whether to stop."""
        self.last_report = seconds
        cost = None if self.tree is None else self.upper
        return self.callback is not None and bool(
            self.callback(cost, min(self.lower, self.upper), seconds)
        )

    def _gap(self) -> float:
        return float((self.upper - self.lower) / self.upper) if self.upper else 0.0
