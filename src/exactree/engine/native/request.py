"""Requests to the native module: limits of trees, and options of the search."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from exactree.engine.native.border import Resources

__all__ = ["Caps", "ListingRequest", "ProgressCallback", "SearchOptions"]

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
class ListingRequest:
    """The trees to list: ranges of cost, size and depth, in the integers of the search.

    Attributes
    ----------
    max_depth : int or None
        Maximum depth; None for any.
    sizes : pair of int or None
        Minimum and maximum size; None for any.
    costs : pair of int
        Minimum and maximum errors plus leaf prices.
    minimum_size : bool
        Whether no tree within depth and costs has fewer nodes than `sizes` allow.
    shapes : sequence of pairs of int or None, or None
        The only allowed shape, as the last entry after the shapes of its subtrees; depth and sizes
        are then those of the shape.
    order : sequence of str
        The order of the list: "errors" (the costs), "size" and "depth" by decreasing priority, in
        increasing order; quantities not named come last. "depth" needs a `max_depth`.
    """

    max_depth: int | None
    sizes: tuple[int, int] | None
    costs: tuple[int, int]
    minimum_size: bool
    shapes: Sequence[tuple[int, int] | None] | None = None
    order: Sequence[str] = ()


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
        return {
            "time_limit": self.time_limit,
            "memory_limit": self.memory_limit,
            "switches": self.switches,
        }

    def after(self, seconds: float) -> "SearchOptions":
        """Return the options with the time that is left after some seconds."""
        if self.time_limit is None:
            return self
        return replace(self, time_limit=max(self.time_limit - seconds, 0.0))
