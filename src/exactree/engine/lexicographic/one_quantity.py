"""The minimum size or depth within caps: by a direct search, or by raising the cap."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Generic, Literal

import numpy as np

from exactree.engine.native.border import Moment, SearchResult, SearchStats, TreeT
from exactree.engine.native.request import Caps, ProgressCallback, SearchOptions
from exactree.errors import MethodRefused
from exactree.problem import Problem, Status
from exactree.trees.tree import Tree

__all__ = ["Searches", "added", "has_more_limits", "minimum_of", "suits_direct_search"]

# A search within caps.
CappedSearch = Callable[[Problem, Caps, SearchOptions], SearchResult[TreeT]]


@dataclass(frozen=True)
class Searches(Generic[TreeT]):
    """The native searches that the stages run, and the decoder of their trees.

    Attributes
    ----------
    errors : callable
        Searches for minimum errors within caps.
    size : callable or None
        Searches for the fewest nodes; raises `MethodRefused` if a table is too large. None to
        search for minimum errors of each size instead.
    grow : callable
        Returns the tree from the nodes of a result.
    """

    errors: CappedSearch[TreeT]
    size: CappedSearch[TreeT] | None
    grow: Callable[[Problem, TreeT], Tree]


def minimum_of(
    quantity: str, searches: Searches[TreeT], problem: Problem, caps: Caps, options: SearchOptions
) -> SearchResult[TreeT]:
    """Search for the minimum size or depth.

    The minimum depth is found by raising the cap from zero. The minimum size is found in the same
    way if the table is too large for the direct search, or if that is not suited because there is a
    minimum leaf size, many errors are allowed, or trees are shallow (see `suits_direct_search`).

    Parameters
    ----------
    quantity : str
        "size" or "depth".
    searches : Searches
        The native searches to run.
    problem : Problem
        The table and the prices.
    caps : Caps
        The limits of the tree.
    options : SearchOptions
        Limits of the search.

    Returns
    -------
    SearchResult
        The result of a native search; its cost is the size or the depth.
    """
    if searches.size is None or not suits_direct_search(problem, caps):
        return _raise_cap(problem, caps, options, quantity, searches)
    try:
        if quantity == "size":
            return searches.size(problem, caps, options)
        return _raise_cap(problem, caps, options, quantity, searches)
    except MethodRefused:
        if problem.limits.max_leaves_of is not None:  # which the search for errors does not support
            raise
    by_errors = replace(searches, size=None)
    search_few = searches.size if quantity == "size" else None
    return _raise_cap(problem, caps, options, quantity, by_errors, search_few)


def _raise_cap(
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    quantity: str,
    searches: Searches[TreeT],
    search_few: CappedSearch[TreeT] | None = None,
) -> SearchResult[TreeT]:
    """Raise one cap until a tree meets all of them; the first such value is the minimum.

    A tree with s nodes has depth at most s and fewer nodes than the table has rows, and a tree of
    depth d has fewer than 2^d nodes, so the cap has a maximum. If `search_few` is given, it finds
    the fewest nodes for a few rows, and the caps start from that number.
    """
    highest = _highest_cap(problem, caps, quantity)
    incumbent, stopped_by, stats = _fallback_tree(problem, caps, options, quantity, searches)
    best = None if incumbent is None else incumbent[1]
    progress: list[Moment] = []
    first_cap = 0

    def result(
        status: str, cost: int | None, lower_bound: int, nodes: TreeT | None, reason: str | None
    ) -> SearchResult[TreeT]:
        return SearchResult(
            status=status,
            cost=cost,
            lower_bound=lower_bound,
            nodes=nodes,
            stopped_by=reason,
            # The searches for errors report first incumbents in errors, not in this quantity.
            stats={**stats, "progress": progress, "first_incumbent": best},
        )

    def stopped(lower_bound: int, reason: str | None) -> SearchResult[TreeT]:
        if incumbent is None:
            return result("stopped", None, lower_bound, None, reason)
        return result("feasible", incumbent[1], lower_bound, incumbent[0], reason)

    if search_few is not None and stopped_by is None:
        first_cap, stopped_by, stats = _bound_by_few_rows(problem, caps, options, search_few, stats)
    if stopped_by is not None:
        return stopped(first_cap, stopped_by)
    for value in range(first_cap, highest + 1):
        capped = replace(caps, **{quantity: value})
        seconds = stats.get("seconds", 0.0)
        progress.append((best, value, seconds))
        if incumbent is not None and value >= incumbent[1]:
            return result("optimal", value, value, incumbent[0], None)
        if best is not None and best - value <= options.stop_at_gap * best:
            return stopped(value, "gap")
        callback = options.callback
        with_bound = None if callback is None else _with_bound(callback, (best, value), seconds)
        # Any tree within the caps will do: a gap of 1 stops at the first tree.
        cap_options = replace(options.after(seconds), callback=with_bound, stop_at_gap=1.0)
        # The search for errors decides faster whether a tree exists, unless size is capped; it does
        # not support limits on the leaves of a class.
        by_size = has_more_limits(problem, capped) and suits_direct_search(problem, capped)
        search = searches.size if by_size and searches.size is not None else searches.errors
        found = search(problem, capped, cap_options)
        stats = added(stats, found.stats)
        if Status(found.status) is Status.INFEASIBLE:
            continue
        if found.nodes is not None:
            return result("optimal", value, value, found.nodes, None)
        return stopped(value, found.stopped_by)
    return result("infeasible", None, highest + 1, None, None)


def _highest_cap(problem: Problem, caps: Caps, quantity: str) -> int:
    """Return the maximum size or depth of a tree within caps."""
    size = len(problem.dataset.X) - 1
    if caps.size is not None:
        size = min(size, caps.size)
    if caps.depth is None:
        return size
    full = caps.depth if quantity == "depth" or caps.depth >= size else (1 << caps.depth) - 1
    return min(size, full)


def _fallback_tree(
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    quantity: str,
    searches: Searches[TreeT],
) -> tuple[tuple[TreeT, int] | None, str | None, SearchStats]:
    """Return a fallback tree and its cost, a reason to stop at once, if any, and statistics.

    There is a fallback tree only if no cap but that on errors is given: then the first tree that
    a search finds is feasible. The direct search for the fewest nodes finds smaller ones than the
    search for errors. With a minimum leaf size that may take longer than to find a shallow tree;
    over thresholds the search does not support limits on leaves of a class.
    """
    capped = caps.depth is not None or caps.size is not None
    limited = problem.limits.max_leaves_of is not None and searches.size is not None
    if capped or limited or (quantity == "depth" and problem.min_rows > 1):
        return None, None, {}
    # A gap of 1 stops at the first tree.
    first_tree = replace(options, callback=None, stop_at_gap=1.0)
    found = _first_small_tree(problem, caps, first_tree, quantity, searches)
    if found is None:
        found = searches.errors(problem, caps, first_tree)
    stopped_by = found.stopped_by if found.stopped_by == "interrupt" else None
    if found.nodes is None:
        return None, stopped_by, _counts(found.stats)
    cost = getattr(searches.grow(problem, found.nodes), quantity)
    return (found.nodes, cost), stopped_by, _counts(found.stats)


def _first_small_tree(
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    quantity: str,
    searches: Searches[TreeT],
) -> SearchResult[TreeT] | None:
    """Return the first tree of the direct search for the fewest nodes, if it applies."""
    direct = quantity == "size" and problem.min_rows == 1 and caps.errors is not None
    if searches.size is None or not direct:
        return None
    try:
        return searches.size(problem, caps, options)
    except MethodRefused:  # the table is too large
        return None


# The number of sampled rows for a lower bound on the fewest nodes, if the table is too large for
# the direct search. All pairs of these rows are compared, which soon proves more than a few nodes.
_FEW_ROWS = 1_000


def _bound_by_few_rows(
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    search: CappedSearch[TreeT],
    stats: SearchStats,
) -> tuple[int, str | None, SearchStats]:
    """Return a lower bound on the size: the size of the smallest tree for a few random rows.

    It is valid because a tree for all rows is also a tree for some of them, with no more nodes,
    levels or errors. It takes at most half of the time limit. Also return the reason to stop at
    once, if there is one, and the statistics so far.
    """
    rows = np.random.default_rng(0).permutation(len(problem.dataset.X))[:_FEW_ROWS]
    seconds = stats.get("seconds", 0.0)
    # The gap is between this bound and the incumbent for all rows.
    few_options = replace(options.after(seconds), stop_at_gap=0.0)
    if few_options.time_limit is not None:
        few_options = replace(few_options, time_limit=few_options.time_limit / 2)
    callback = options.callback
    if callback is not None:

        def without_cost(_cost: int | None, bound: int, search_seconds: float) -> object:
            return callback(None, bound, seconds + search_seconds)

        few_options = replace(few_options, callback=without_cost)
    found = search(problem.relaxed_to_examples(np.sort(rows)), caps, few_options)
    stopped_by = found.stopped_by if found.stopped_by in ("interrupt", "callback") else None
    return found.lower_bound, stopped_by, added(stats, _counts(found.stats))


def _with_bound(
    callback: ProgressCallback, reported: tuple[int | None, int], seconds: float
) -> ProgressCallback:
    return lambda _cost, _bound, search_seconds: callback(*reported, seconds + search_seconds)


# The direct search for the fewest nodes tries all ways to share the errors between two children. If
# many errors are allowed, it is faster to search for the minimum errors of each size: on the table
# of raisins (720 rows) with 91 errors this takes 0.1 s instead of more than 15 s, and on 200 of its
# rows with 10 errors 0.3 s instead of 4.9 s. With at most 6 errors the direct search is as fast or
# faster on the tables of the suite `least-size` of `benchmarks`.
_MAX_SHARED_ERRORS = 8
# For shallow trees the search for minimum errors is fast, and there are few sizes to try. It proves
# that no tree of depth three has 3 errors in 0.4 s on 569 rows of 30 features, and in 0.01 s on 296
# rows of 95 two-valued features (depth four: 0.06 s); the direct search needs more than 12 s for
# each of these proofs. If no errors are allowed, the direct search is faster from depth four on.
_FEW_LEVELS = 3


def has_more_limits(problem: Problem, caps: Caps) -> bool:
    """Return whether there are limits other than on depth and errors.

    Parameters
    ----------
    problem, caps
        As in `minimum_of`.
    """
    return caps.size is not None or problem.limits.max_leaves_of is not None


def suits_direct_search(problem: Problem, caps: Caps) -> bool:
    """Return whether the direct search for the fewest nodes suits a problem.

    Parameters
    ----------
    problem, caps
        As in `minimum_of`.
    """
    if problem.limits.max_leaves_of is not None:
        return True
    few_errors = caps.errors is not None and caps.errors <= _MAX_SHARED_ERRORS
    levels = _FEW_LEVELS if caps.errors == 0 else _FEW_LEVELS + 1
    deep = caps.depth is None or caps.depth > levels
    return few_errors and deep and problem.min_rows == 1


_Count = Literal["nodes", "cache_lookups", "cache_hits", "cache_evicted"]
_COUNTS: tuple[_Count, ...] = ("nodes", "cache_lookups", "cache_hits", "cache_evicted")


def _counts(stats: SearchStats) -> SearchStats:
    """Return the statistics of a search that add up with others; costs do not."""
    counts: SearchStats = {}
    for name in _COUNTS:
        if name in stats:
            counts[name] = stats[name]
    if "seconds" in stats:
        counts["seconds"] = stats["seconds"]
    return counts


def added(before: SearchStats, stats: SearchStats) -> SearchStats:
    """Add the counts of one search to those of the previous searches.

    The first incumbent is that of the first search; other entries are those of the last search.

    Parameters
    ----------
    before, stats : SearchStats
        The counts; empty before the first search.
    """
    both: SearchStats = {**before, **stats}
    if before:
        for name in _COUNTS:
            both[name] = before.get(name, 0) + stats.get(name, 0)
        both["seconds"] = before.get("seconds", 0.0) + stats.get("seconds", 0.0)
        both["first_incumbent"] = before.get("first_incumbent")
    return both
