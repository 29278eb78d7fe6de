"""When to stop a search under constraints, and whom to report to how far it is."""

from collections.abc import Callable
from dataclasses import dataclass, field
from time import monotonic

from exactree.engine.constrained.ground import CostedTree, Number
from exactree.stopping import interrupted

__all__ = ["SearchStopped", "Watch"]

# Seconds between two reports.
_PAUSE = 0.1


class SearchStopped(Exception):
    """The search was asked to stop.

    Parameters
    ----------
    by : str
        "time limit", "interrupt", "callback" or "gap".
    tree : Leaf or Node, optional
        The best tree for the whole table that a native search had.
    lower : int or Fraction
        The lower bound of that search.
    """

    def __init__(self, by: str, tree: CostedTree | None = None, lower: Number = 0) -> None:
        super().__init__(by)
        self.by, self.tree, self.lower = by, tree, lower


@dataclass
class Watch:
    """What is known of a running search, and what ends it.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    stop_at_gap : float
        Stop when (cost - lower bound) / cost is at most this.
    callback : callable or None
        Told cost, lower bound and seconds; returning True stops.
    upper : int, Fraction or float
        Only trees that cost less count: the cost of the best so far, or a limit before.
    lower : int, Fraction or float
        No tree that satisfies the constraints costs less.
    tree : Leaf, Node or None
        The best so far.
    moments : list of tuple
        Cost, lower bound and seconds, whenever one of them got better.
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
        """Take a tree that satisfies the constraints if it costs less than the best so far."""
        if cost < self.upper:
            self.upper, self.tree = cost, tree
            self._remember()

    def proved(self, lower: Number) -> None:
        """Take a lower bound on all trees that satisfy."""
        if lower > self.lower:
            self.lower = lower
            self._remember()

    def _remember(self) -> None:
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
        """Tell how far the search is; true if it is to stop."""
        self.last_report = seconds
        cost = None if self.tree is None else self.upper
        return self.callback is not None and bool(
            self.callback(cost, min(self.lower, self.upper), seconds)
        )

    def _gap(self) -> float:
        return float((self.upper - self.lower) / self.upper) if self.upper else 0.0
