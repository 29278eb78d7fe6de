"""The minimum of one quantity within caps: by a direct search, or by raising its cap."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from exactree.engine.lexicographic.initial_tree import least_from
from exactree.engine.native.request import Caps, SearchOptions
from exactree.errors import MethodRefused
from exactree.problem import Problem, Status
from exactree.trees.tree import Tree

__all__ = ["Searches", "added", "has_more_limits", "least_value", "shares_errors"]

Stage = Callable[[Problem, Caps, SearchOptions], dict[str, Any]]


@dataclass(frozen=True)
class Searches:
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

    errors: Stage
    size: Stage | None
    grow: Callable[[Problem, Any], Tree]


def least_value(
    quantity: str, problem: Problem, caps: Caps, options: SearchOptions, searches: Searches
) -> dict[str, Any]:
    """Search for the minimum of a quantity, starting from a tree if one within the caps is given.

    Parameters
    ----------
    quantity : str
        "errors", "size" or "depth".
    problem : Problem
        The table and the prices.
    caps : Caps
        The limits of the tree.
    options : SearchOptions
        Limits of the search, and the tree to start from.
    searches : Searches
        The native searches to run.

    Returns
    -------
    dict
        The result of a native search; the cost of fewest nodes or least depth is that number.
    """

    def search(caps: Caps, options: SearchOptions) -> dict[str, Any]:
        return _least_of_all(quantity, problem, caps, options, searches)

    if options.start is None or not options.start.within(caps):
        return search(caps, options)
    return least_from(quantity, problem, caps, options, options.start, search)


def _least_of_all(
    quantity: str, problem: Problem, caps: Caps, options: SearchOptions, searches: Searches
) -> dict[str, Any]:
    """Search for the minimum of a quantity.

    The least depth is found by raising the cap from zero. So are the fewest nodes if the table is
    too large for the direct search, or with a minimum leaf size, or with many errors.
    """
    if quantity == "errors":
        return searches.errors(problem, caps, options)
    if searches.size is None or not shares_errors(problem, caps):
        return _upwards(problem, caps, options, quantity, searches)
    try:
        if quantity == "size":
            return searches.size(problem, caps, options)
        return _upwards(problem, caps, options, quantity, searches)
    except MethodRefused:
        if problem.limits.max_leaves_of is not None:  # which the search for errors does not support
            raise
    by_errors = replace(searches, size=None)
    search_few = searches.size if quantity == "size" else None
    return _upwards(problem, caps, options, quantity, by_errors, search_few)


def _upwards(
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    quantity: str,
    searches: Searches,
    search_few: Stage | None = None,
) -> dict[str, Any]:
    """Raise one cap until a tree meets all of them; the first such value is the minimum.

    A tree with s nodes has depth at most s and fewer nodes than the table has rows, and a tree of
    depth d has fewer than 2^d nodes, so the cap has a maximum. If `search_few` is given, it finds
    the fewest nodes for a few rows, and the caps start from that number.
    """
    most = _most_of(problem, caps, quantity)
    incumbent, stopped_by, stats = _any_tree(problem, caps, options, quantity, searches)
    no_tree = {"status": "stopped", "cost": None, "nodes": None, "lower_bound": 0}
    progress: list[tuple[int | None, int, float]] = []
    first = 0
    if search_few is not None and stopped_by is None:
        first, stopped_by, stats = _least_of_few(problem, caps, options, search_few, stats)
    if stopped_by is not None:
        stopped = {"stopped_by": stopped_by, "lower_bound": first}
        return no_tree | (incumbent or {}) | stopped | {"stats": stats | {"progress": progress}}
    for value in range(first, most + 1):
        at = replace(caps, **{quantity: value})
        seconds = stats.get("seconds", 0.0)
        progress.append((None, value, seconds))
        callback = options.callback
        mine = None if callback is None else _with_bound(callback, value, seconds)
        # Any tree within the caps will do: a gap of 1 stops at the first.
        on = replace(options.after(seconds), callback=mine, stop_at_gap=1.0)
        # The search for errors is the better one at "is there a tree?" unless size is capped, and
        # it knows no limits on the leaves of a class.
        sized = has_more_limits(problem, at) and shares_errors(problem, at)
        search = searches.size if sized and searches.size is not None else searches.errors
        result = search(problem, at, on)
        stats = added(stats, result["stats"]) | {"progress": progress}
        status = Status(result["status"])
        if status is Status.INFEASIBLE:
            continue
        proved = result["nodes"] is not None
        kept = {"nodes": result["nodes"], "stats": stats, "stopped_by": None}
        if proved:
            return kept | {"status": "optimal", "cost": value, "lower_bound": value}
        stopped = no_tree | (incumbent or {})
        return kept | stopped | {"lower_bound": value, "stopped_by": result["stopped_by"]}
    return {
        "status": "infeasible",
        "cost": None,
        "lower_bound": most + 1,
        "nodes": None,
        "stopped_by": None,
        "stats": stats | {"progress": progress},
    }


def _most_of(problem: Problem, caps: Caps, quantity: str) -> int:
    """Return the greatest size or depth of a tree within caps."""
    most = len(problem.dataset.X) - 1
    if caps.size is not None:
        most = min(most, caps.size)
    if caps.depth is None:
        return most
    full = caps.depth if quantity == "depth" or caps.depth >= most else (1 << caps.depth) - 1
    return min(most, full)


def _any_tree(
    problem: Problem, caps: Caps, options: SearchOptions, quantity: str, searches: Searches
) -> tuple[dict[str, Any] | None, str | None, dict[str, Any]]:
    """Return a fallback tree if only errors are capped; any greedy tree will do then.

    Also return the reason to stop at once, if there is one, and statistics.
    """
    if quantity != "size" or caps.depth is not None or caps.size is not None:
        return None, None, {}
    found = searches.errors(problem, caps, replace(options, callback=None, stop_at_gap=1.0))
    stopped_by = found["stopped_by"] if found["stopped_by"] == "interrupt" else None
    if found["nodes"] is None:
        return None, stopped_by, _counts(found["stats"])
    size = searches.grow(problem, found["nodes"]).size
    tree = {"status": "feasible", "cost": size, "nodes": found["nodes"]}
    return tree, stopped_by, _counts(found["stats"])


# The number of sampled rows for a lower bound on the fewest nodes, if the table is too large for
# the direct search. All pairs of these rows are compared, which soon proves more than a few nodes.
_FEW_ROWS = 1_000


def _least_of_few(
    problem: Problem, caps: Caps, options: SearchOptions, search: Stage, stats: dict[str, Any]
) -> tuple[int, str | None, dict[str, Any]]:
    """Return a lower bound on the size: the size of the smallest tree for a few random rows.

    It is valid because a tree for all rows is also a tree for some of them, with no more nodes,
    levels or errors. It takes at most half of the time limit. Also return the reason to stop at
    once, if there is one, and the statistics so far.
    """
    rows = np.random.default_rng(0).permutation(len(problem.dataset.X))[:_FEW_ROWS]
    seconds = stats.get("seconds", 0.0)
    on = options.after(seconds)
    if on.time_limit is not None:
        on = replace(on, time_limit=on.time_limit / 2)
    callback = options.callback
    if callback is not None:
        on = replace(on, callback=lambda _cost, bound, more: callback(None, bound, seconds + more))
    found = search(problem.restricted_to_examples(np.sort(rows)), caps, on)
    stopped_by = found["stopped_by"] if found["stopped_by"] in ("interrupt", "callback") else None
    return found["lower_bound"], stopped_by, added(stats, _counts(found["stats"]))


def _with_bound(
    callback: Callable[[int | None, int, float], object], value: int, seconds: float
) -> Callable[[int | None, int, float], object]:
    return lambda _cost, _bound, more: callback(None, value, seconds + more)


# The search for fewest nodes tries the shares of the errors among two children. Where there are
# many, it is faster to ask for the least errors of each size: on the raisins (720 rows) 0.1 s
# instead of more than 15 s with 91 errors, on 200 of them 0.3 s instead of 4.9 s with 10; with 6
# errors or fewer the tables of the suite `least-size` are served as fast or faster by sharing.
_MOST_SHARED_ERRORS = 8
# Few levels make the search for least errors fast, and leave few sizes to ask for: to show that no
# tree of depth three has 3 errors takes it 0.4 s on 569 rows of 30 features and 0.01 s on 296 rows
# of 95 two-valued ones, and depth four there 0.06 s; sharing needs more than 12 s for each. Without
# errors sharing is the faster one from depth four on.
_FEW_LEVELS = 3


def has_more_limits(problem: Problem, caps: Caps) -> bool:
    """Return whether there are limits other than on depth and errors.

    Parameters
    ----------
    problem, caps
        As in `least_value`.
    """
    return caps.size is not None or problem.limits.max_leaves_of is not None


def shares_errors(problem: Problem, caps: Caps) -> bool:
    """Return whether the direct search for the fewest nodes suits a problem.

    Parameters
    ----------
    problem, caps
        As in `least_value`.
    """
    if problem.limits.max_leaves_of is not None:
        return True
    search_few = caps.errors is not None and caps.errors <= _MOST_SHARED_ERRORS
    levels = _FEW_LEVELS if caps.errors == 0 else _FEW_LEVELS + 1
    deep = caps.depth is None or caps.depth > levels
    return search_few and deep and problem.min_rows == 1


_COUNTS = ("nodes", "cache_lookups", "cache_hits", "cache_evicted", "seconds")


def _counts(stats: dict[str, Any]) -> dict[str, Any]:
    """Return the statistics of a search that add up with others; costs do not."""
    return {name: stats[name] for name in _COUNTS if name in stats}


def added(before: dict[str, Any], stats: dict[str, Any]) -> dict[str, Any]:
    """Add the counts of one search to those of the previous searches.

    Parameters
    ----------
    before, stats : dict
        The counts; empty before the first search.
    """
    if not before:
        return dict(stats)
    both = before | stats
    for name in _COUNTS:
        both[name] = before.get(name, 0) + stats.get(name, 0)
    return both
