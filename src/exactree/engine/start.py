"""A search that begins with a tree: it only has to find a better one, or prove that there is none.

Why no optimum is lost: the search is asked for trees that cost less than the one at hand, which is
within the same limits. If it proves that there are none, the tree at hand is best; if it is stopped
before it finds one, that tree is the best so far. A worse tree only leaves more to be searched.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from exactree.engine.asked import Caps, Heard, How, Start
from exactree.problem import Problem

__all__ = ["least_from"]


def least_from(
    quantity: str,
    problem: Problem,
    caps: Caps,
    how: How,
    start: Start,
    search: Callable[[Caps, How], dict[str, Any]],
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
    how : How
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
    gap = how.stop_at_gap if quantity == "errors" else 0.0
    listener = _Listener(cost, gap, how.heard)
    heard = listener.heard if how.heard is not None or gap > 0 else None
    found = search(better, replace(how, heard=heard, start=None))
    told = [(cost if c is None else c, min(b, cost), s) for c, b, s in found["stats"]["progress"]]
    found = found | {"stats": found["stats"] | {"progress": told}}
    if listener.near and found["stopped_by"] == "callback":
        found["stopped_by"] = "gap"
    return _with(start, cost, found)


@dataclass
class _Listener:
    """Hears of a search for better trees and tells what is known of all."""

    cost: int
    gap: float
    listener: Heard | None
    near: bool = field(default=False, init=False)

    def heard(self, cost: int | None, lower_bound: int, seconds: float) -> object:
        best = self.cost if cost is None else min(cost, self.cost)
        lower_bound = min(lower_bound, best)
        self.near = self.gap > 0 and best - lower_bound <= self.gap * best
        told = None if self.listener is None else self.listener(best, lower_bound, seconds)
        return told or self.near


def _with(start: Start, cost: int, found: dict[str, Any]) -> dict[str, Any]:
    """Return an answer with the tree at hand, if nothing better was found."""
    if found["status"] == "infeasible":
        proved = {"status": "optimal", "cost": cost, "lower_bound": cost, "stopped_by": None}
        return found | proved | {"nodes": start.nodes}
    if found["nodes"] is None or found["cost"] >= cost:
        lower_bound = min(found["lower_bound"], cost)
        kept = {"status": "feasible", "cost": cost, "lower_bound": lower_bound}
        return found | kept | {"nodes": start.nodes}
    return found
