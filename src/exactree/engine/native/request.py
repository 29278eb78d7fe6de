"""What the native module is requested: which trees, and how long to search for them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from exactree.trees.arrays import Node

__all__ = ["Caps", "InitialTree", "ListingRequest", "ProgressCallback", "SearchOptions"]

# Incumbent, lower bound and seconds of a running search, in its own integers.
ProgressCallback = Callable[[Any, Any, float], object]


@dataclass(frozen=True)
class Caps:
    """What a tree may have, in the integers of the search; None means no limit.

    Attributes
    ----------
    depth, size : int or None
        Nodes on a path, and in all.
    errors : int or None
        Misclassified integer weight.
    below : int or None
        What errors and leaves at their prices must cost less than; only the search for errors
        minds it.
    """

    depth: int | None
    size: int | None
    errors: int | None
    below: int | None = None


@dataclass(frozen=True)
class InitialTree:
    """A tree to begin with.

    Attributes
    ----------
    nodes : sequence of nodes
        As a search answers them.
    errors, size, depth : int
        What it has, in the integers of the search.
    """

    nodes: Sequence[Node]
    errors: int
    size: int
    depth: int

    def within(self, caps: Caps) -> bool:
        """Tell whether the tree keeps the caps."""
        pairs = ((self.errors, caps.errors), (self.size, caps.size), (self.depth, caps.depth))
        return all(cap is None or own <= cap for own, cap in pairs)


@dataclass(frozen=True)
class ListingRequest:
    """Which trees are wanted: their numbers, in the integers of the search.

    Attributes
    ----------
    max_depth : int or None
        At most; None for any.
    sizes : pair of int or None
        At least, at most; None for any.
    costs : pair of int
        Errors and leaves at their prices: at least, at most.
    least_size : bool
        Whether no tree within depth and costs has fewer nodes than `sizes` allow.
    shapes : sequence of pairs of int or None, or None
        The only shape, the last one, after those of its subtrees; then depth and sizes are its own.
    order : sequence of str
        Of "errors" (the costs), "size" and "depth" what the trees are listed by, least first; the
        others come last. "depth" needs a `max_depth`.
    """

    max_depth: int | None
    sizes: tuple[int, int] | None
    costs: tuple[int, int]
    least_size: bool
    shapes: Sequence[tuple[int, int] | None] | None = None
    order: Sequence[str] = ()


@dataclass(frozen=True)
class SearchOptions:
    """How long to search and whom to report to.

    Attributes
    ----------
    time_limit : float or None
        Seconds.
    memory_limit : int or None
        Bytes of the cache.
    stop_at_gap : float
        Stop when the gap is at most this.
    callback : callable or None
        Told incumbent, lower bound and seconds; returning True stops.
    switches : dict
        Accelerators to turn on or off, by name.
    threads : int
        How many threads search; only the search for least errors minds it.
    start : Start or None
        A tree to begin with; the stages mind it.
    """

    time_limit: float | None
    memory_limit: int | None
    stop_at_gap: float
    callback: ProgressCallback | None
    switches: dict[str, bool]
    threads: int = 1
    start: InitialTree | None = None

    @classmethod
    def within(cls, time_limit: float | None) -> "SearchOptions":
        """Return how to do what has no other limit than time, and no switches."""
        return cls(time_limit, None, 0.0, None, {})

    def after(self, seconds: float) -> "SearchOptions":
        """Return how to go on after some seconds: with what is left of the time."""
        if self.time_limit is None:
            return self
        return replace(self, time_limit=max(self.time_limit - seconds, 0.0))
