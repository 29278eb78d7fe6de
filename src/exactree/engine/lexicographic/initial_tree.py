"""A search that begins with a tree: it only has to find a better one, or prove that there is none.

Why no optimum is lost: the search is requested trees that cost less than the one at hand, which is
within the same limits. If it proves that there are none, the tree at hand is best; if it is stopped
before it finds one, that tree is the best so far. A worse tree only leaves more to be searched.
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
    """Search for the least value of a quantity from a tree on.

    Parameters
    ----------
    quantity : str
        "errors", "size" or "depth".
    problem : Problem
        The table and the prices.
    caps : Caps
        What the tree may have; the tree at hand keeps them.
    options : How
        Limits of the search.
    start : Start
        The tree at hand.
    search : callable
        Searches for the least value of the quantity within caps.

    Returns
    -------
    dict
        What the search answers, with the tree at hand where nothing better was found.
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
    """Hears of a search for better trees and tells what is known of all."""

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
    """Return an answer with the tree at hand, if nothing better was found."""
    if found["status"] == "infeasible":
        proved = {"status": "optimal", "cost": cost, "lower_bound": cost, "stopped_by": None}
        return found | proved | {"nodes": start.nodes}
    if found["nodes"] is None or found["cost"] >= cost:
        lower_bound = min(found["lower_bound"], cost)
        kept = {"status": "feasible", "cost": cost, "lower_bound": lower_bound}
        return found | kept | {"nodes": start.nodes}
    return found
