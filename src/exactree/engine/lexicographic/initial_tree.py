"""A search that starts from an initial tree: it finds a better tree, or proves that there is none.

No optimum is lost: the search looks for trees that cost less than the initial tree, which is within
the same limits. If it proves that there are none, the initial tree is optimal; if it stops before
it finds one, the initial tree is the incumbent. A worse initial tree only leaves more to search.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from exactree.engine.native.request import Caps, InitialTree, ProgressCallback, SearchOptions
from exactree.problem import Problem

__all__ = ["least_from"]


def least_from(
    quantity: str,
    problem: Problem,
    caps: Caps,
    options: SearchOptions,
    start: InitialTree,
    search: Callable[[Caps, SearchOptions], dict[str, Any]],
) -> dict[str, Any]:
    """Search for the minimum of a quantity, starting from a tree.

    Parameters
    ----------
    quantity : str
        "errors", "size" or "depth".
    problem : Problem
        The table and the prices.
    caps : Caps
        The limits of the tree; the initial tree meets them.
    options : SearchOptions
        Limits of the search.
    start : InitialTree
        The initial tree.
    search : callable
        Searches for the minimum of the quantity within caps.

    Returns
    -------
    dict
        The result of the search, with the initial tree if no better one was found.
    """
    price = problem.leaf_price
    if quantity == "errors":
        cost = price.error_price * start.errors + price.leaf_price * (start.size + 1)
        better = replace(caps, below=cost)
    else:
        cost = getattr(start, quantity)
        better = replace(caps, **{quantity: cost - 1})
    if cost == 0:
        stats = {"nodes": 0, "seconds": 0.0, "progress": [(0, 0, 0.0)]}
        return _with(start, cost, {"status": "infeasible", "stopped_by": None, "stats": stats})
    gap = options.stop_at_gap if quantity == "errors" else 0.0
    listener = _Listener(cost, gap, options.callback)
    callback = listener.callback if options.callback is not None or gap > 0 else None
    found = search(better, replace(options, callback=callback, start=None))
    reported = [
        (cost if c is None else c, min(b, cost), s) for c, b, s in found["stats"]["progress"]
    ]
    found = found | {"stats": found["stats"] | {"progress": reported}}
    if listener.close_enough and found["stopped_by"] == "callback":
        found["stopped_by"] = "gap"
    return _with(start, cost, found)


@dataclass
class _Listener:
    """Callback of a search for better trees; its reports include the initial tree."""

    cost: int
    gap: float
    listener: ProgressCallback | None
    close_enough: bool = field(default=False, init=False)

    def callback(self, cost: int | None, lower_bound: int, seconds: float) -> object:
        best = self.cost if cost is None else min(cost, self.cost)
        lower_bound = min(lower_bound, best)
        self.close_enough = self.gap > 0 and best - lower_bound <= self.gap * best
        reported = None if self.listener is None else self.listener(best, lower_bound, seconds)
        return reported or self.close_enough


def _with(start: InitialTree, cost: int, found: dict[str, Any]) -> dict[str, Any]:
    """Return the result with the initial tree, if no better one was found."""
    if found["status"] == "infeasible":
        proved = {"status": "optimal", "cost": cost, "lower_bound": cost, "stopped_by": None}
        return found | proved | {"nodes": start.nodes}
    if found["nodes"] is None or found["cost"] >= cost:
        lower_bound = min(found["lower_bound"], cost)
        kept = {"status": "feasible", "cost": cost, "lower_bound": lower_bound}
        return found | kept | {"nodes": start.nodes}
    return found
