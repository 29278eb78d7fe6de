"""Requests to the native module: limits of trees, and options of the search."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from exactree.engine.native.settings import Resources, SearchSettings, TreeLimits

__all__ = ["Caps", "ProgressCallback", "SearchOptions"]

# Incumbent, lower bound and seconds of a running search: costs in its own integers, or floats.
ProgressCallback = Callable[[Any, Any, float], object]


@dataclass(frozen=True)
class Caps:
    """Limits of a tree, in the integers of the search; None means no limit.

    Attributes
    ----------
    depth, size : int or None
        Maximum depth and number of nodes.
    errors : int or None
        Maximum misclassified integer weight.
    below : int or None
        An exclusive upper bound on errors plus leaf prices; used only by the search that minimizes
        errors.
    leaf_weight : int or None
        Minimum integer weight of a leaf, in place of the problem's minimum number of rows; used
        only by the search that minimizes errors over thresholds.
    """

    depth: int | None
    size: int | None
    errors: int | None
    below: int | None = None
    leaf_weight: int | None = None


@dataclass(frozen=True)
class SearchOptions:
    """Options of a search: limits, callback, switches and threads.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes that the search may hold, as in `solve`.
    stop_at_gap : float
        Stop when the gap is at most this.
    callback : callable or None
        Called with incumbent, lower bound and seconds; returning True stops.
    switches : dict
        Accelerators to turn on or off, by name.
    threads : int
        Number of threads; used only by searches for errors and other costs of leaves.
    """

    time_limit: float | None
    memory_limit: int | None
    stop_at_gap: float
    callback: ProgressCallback | None
    switches: dict[str, bool]
    threads: int = 1

    @classmethod
    def within(cls, time_limit: float | None) -> "SearchOptions":
        """Return options with a time limit only, and no switches."""
        return cls(time_limit, None, 0.0, None, {})

    @property
    def resources(self) -> Resources:
        """The options that every search reads."""
        return Resources(
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            switches=self.switches,
        )

    def search_settings(self, limits: TreeLimits) -> SearchSettings:
        """Return the settings of a search for a tree within limits."""
        return SearchSettings(
            limits=limits,
            stop_at_gap=self.stop_at_gap,
            threads=self.threads,
            resources=self.resources,
        )

    def after(self, seconds: float) -> "SearchOptions":
        """Return the options with the time that is left after some seconds."""
        if self.time_limit is None:
            return self
        return replace(self, time_limit=max(self.time_limit - seconds, 0.0))
