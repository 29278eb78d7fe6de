"""One quantity after the other: lexicographic problems as a sequence of native searches.

The first stage finds the least value of the first quantity within the limits. That value
becomes a limit of the second stage, and so on; the tree of the last stage is the answer. When a
stage is stopped, the tree of the stage before still meets all limits; values found before, the
stage's own lower bound and zeros for what follows are a lower bound in lexicographic order.

Length: the stages of all quantities share what is known and what is asked.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactree.engine.asked import Caps, How, Start
from exactree.engine.border import least_errors, least_size
from exactree.engine.start import least_from
from exactree.engine.switches import checked_switches
from exactree.engine.units import Seen, bound_of, in_order, in_units, in_user_units
from exactree.errors import MethodRefused
from exactree.objectives.errors import plain
from exactree.problem import Outcome, Problem, Progress, Status
from exactree.problem.columns import in_columns
from exactree.problem.cost import Number, as_tuple
from exactree.problem.incumbent import Incumbent
from exactree.problem.reasons import infeasible
from exactree.problem.recount import cost_of_found, errors_of_found
from exactree.trees.arrays import grow
from exactree.trees.tree import Tree

__all__ = [
    "ENGINE",
    "Searches",
    "accepts",
    "begins_with_errors",
    "branch_and_bound",
    "through_stages",
]

Stage = Callable[[Problem, Caps, How], dict[str, Any]]


@dataclass(frozen=True)
class Searches:
    """The native searches that the stages run, and how their trees are read.

    Attributes
    ----------
    errors : callable
        Searches for least errors within caps.
    size : callable or None
        Searches for fewest nodes; None if least errors of each size have to do.
    grow : callable
        Returns the tree that the nodes of an answer stand for.
    """

    errors: Stage
    size: Stage | None
    grow: Callable[[Problem, Any], Tree]


ENGINE = Searches(least_errors, least_size, lambda problem, nodes: grow(problem.dataset, nodes))


def accepts(problem: Problem) -> str | None:
    """Return None for a problem the native engine accepts, else in one clause why not.

    Parameters
    ----------
    problem : Problem
        What is asked.
    """
    later = "comes in a later version"
    if not problem.plain_errors:
        return "its searches for quantities in turn count the weight of errors, no other costs"
    if problem.n_trees > 1:
        return "its search for one tree does not take n_trees"
    if problem.limits.max_leaves_of is not None:
        return _refuses_leaves(problem)
    if problem.leaf_penalty and problem.max_errors is not None:
        return f"its native form with leaf_penalty and max_errors together {later}"
    if problem.leaf_penalty and problem.quantities[-1] != "errors":
        return f"its native form with leaf_penalty and another quantity after errors {later}"
    return None


def _refuses_leaves(problem: Problem) -> str | None:
    """Return why the native engine does not accept max_leaves_of, or None.

    The search for fewest nodes needs that fewer examples are never harder. With errors allowed a
    leaf predicts its majority, and fewer examples may make that a class that may have no leaf.
    """
    if "errors" in problem.quantities or problem.most_errors != 0:
        return "its native form takes max_leaves_of for least size or depth without errors only"
    if problem.min_rows > 1:
        return "its native form does not take max_leaves_of with min_samples_leaf"
    return None


def branch_and_bound(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Callable[[Progress], object] | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
    searches: Searches = ENGINE,
) -> Outcome:
    """Return the best tree for a problem by the native engine.

    Parameters
    ----------
    problem : Problem
        What is asked.
    time_limit : float, optional
        Seconds.
    memory_limit : int, optional
        Soft limit on the bytes of the memo of proved parts.
    n_jobs : int
        Threads; searches for errors use them.
    stop_at_gap : float
        Stop when the gap is at most this; searches for errors mind it.
    on_progress : callable, optional
        Called with a `Progress` at most ten times a second; returning True stops. An exception
        in it stops the search and is raised.
    switches : mapping of str to bool, optional
        Accelerators to turn off or on, by name (see `accelerators`).
    incumbent : Incumbent, optional
        A tree to begin with.
    searches : Searches
        What is run.

    Returns
    -------
    Outcome
        However the search ended.

    Raises
    ------
    ValueError
        If a switch does not exist.
    MethodRefused
        If the problem is not for this engine (see `accepts`).
    InternalError
        If the core failed; the message names a file with the problem.
    """
    why = accepts(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    chosen = checked_switches(switches)
    if problem.infeasible_reason is not None:
        return infeasible(problem)
    start = None if incumbent is None else _start(problem, incumbent)
    how = How(time_limit, memory_limit, stop_at_gap, None, chosen, n_jobs, start)
    asked = in_columns(problem)
    return asked.lift(through_stages(asked.problem, how, on_progress, searches))


def _start(problem: Problem, incumbent: Incumbent) -> Start | None:
    """Return an incumbent in integers, None if these leave out a part of its cost.

    A search that is told too low a cost would call a tree best that is not.
    """
    tree = incumbent.tree
    errors = errors_of_found(problem, tree)
    if cost_of_found(problem, tree) != problem.cost_of(errors, [tree.size], [tree.depth]):
        return None
    if "errors" in problem.quantities:
        exact = problem.leaf_price.exact_cost(errors, tree.leaves)
        told = as_tuple(cost_of_found(problem, tree))[problem.quantities.index("errors")]
        if told != plain(exact / problem.dataset.weight_scale):
            return None
    return Start(incumbent.nodes, errors, tree.size, tree.depth)


def through_stages(
    problem: Problem,
    how: How,
    on_progress: Callable[[Progress], object] | None,
    searches: Searches,
) -> Outcome:
    """Minimize one quantity after the other.

    Parameters
    ----------
    problem : Problem
        What is asked.
    how : How
        Limits of the search.
    on_progress : callable or None
        As in `solve`.
    searches : Searches
        What is run.
    """
    caps = _stated(problem)
    found: dict[str, Any] | None = None
    values: list[Number] = []
    stats: dict[str, Any] = {}
    seconds = 0.0
    progress: list[Progress] = []
    for quantity in problem.quantities:
        seen = in_units(problem, values, seconds)
        heard = None if on_progress is None else partial(_tell, on_progress, seen)
        result = _least(quantity, problem, caps, replace(how.after(seconds), heard=heard), searches)
        progress += [seen(*moment) for moment in result["stats"].pop("progress")]
        stats = _added(stats, result["stats"]) | {"progress": progress}
        seconds = stats["seconds"]
        status = Status(result["status"])
        if status is Status.INFEASIBLE:
            return _infeasible(problem, quantity, result, stats)
        if result["nodes"] is not None:
            found = result
        if status is not Status.OPTIMAL or result["stopped_by"] is not None:
            return _outcome(problem, found, result, values, stats, searches)
        caps, value = _capped(problem, caps, quantity, result)
        values.append(value)
    return _outcome(problem, found, None, values, stats, searches)


def begins_with_errors(problem: Problem) -> bool:
    """Say whether the first quantity of a problem is found by searches for least errors alone.

    Parameters
    ----------
    problem : Problem
        What is asked, which the engine accepts.
    """
    quantity, caps = problem.quantities[0], _stated(problem)
    return quantity == "errors" or not (
        (quantity == "size" or _is_limited(problem, caps)) and _shares_errors(problem, caps)
    )


def _is_limited(problem: Problem, caps: Caps) -> bool:
    """Say whether more than depth and errors is limited."""
    return caps.size is not None or problem.limits.max_leaves_of is not None


def _stated(problem: Problem) -> Caps:
    """Return the caps that a problem states."""
    return Caps(problem.limits.max_depth, problem.most_size, problem.most_errors)


def _capped(
    problem: Problem, caps: Caps, quantity: str, result: dict[str, Any]
) -> tuple[Caps, Number]:
    """Return the caps of the next stage, and the least value in the user's unit."""
    cost = result["cost"]
    match quantity:
        case "errors":
            price = problem.leaf_price
            # With a price of leaves errors come last: there is no stage to cap.
            caps = caps if price.leaf_price else replace(caps, errors=cost // price.error_price)
            return caps, plain(Fraction(cost, price.error_price * problem.dataset.weight_scale))
        case "size":
            return replace(caps, size=cost), cost
        case _:
            return replace(caps, depth=cost), cost


# The search for fewest nodes tries the shares of the errors among two sides. Where there are many,
# it is faster to ask for the least errors of each size: on the raisins (720 rows) 0.1 s instead of
# more than 15 s with 91 errors, on 200 of them 0.3 s instead of 4.9 s with 10; with 6 errors or
# fewer the tables of the suite `least-size` are served as fast or faster by sharing.
_MOST_SHARED_ERRORS = 8
# Few levels make the search for least errors fast, and leave few sizes to ask for: to show that no
# tree of depth three has 3 errors takes it 0.4 s on 569 rows of 30 features and 0.01 s on 296 rows
# of 95 two-valued ones, and depth four there 0.06 s; sharing needs more than 12 s for each. Without
# errors sharing is the faster one from depth four on.
_FEW_LEVELS = 3


def _shares_errors(problem: Problem, caps: Caps) -> bool:
    """Say whether the search for fewest nodes serves a problem."""
    if problem.limits.max_leaves_of is not None:
        return True
    few = caps.errors is not None and caps.errors <= _MOST_SHARED_ERRORS
    levels = _FEW_LEVELS if caps.errors == 0 else _FEW_LEVELS + 1
    deep = caps.depth is None or caps.depth > levels
    return few and deep and problem.min_rows == 1


def _least(
    quantity: str, problem: Problem, caps: Caps, how: How, searches: Searches
) -> dict[str, Any]:
    """Search for the least value of a quantity, from a tree on if one within the caps is there."""

    def search(caps: Caps, how: How) -> dict[str, Any]:
        return _least_of_all(quantity, problem, caps, how, searches)

    if how.start is None or not how.start.within(caps):
        return search(caps, how)
    return least_from(quantity, problem, caps, how, how.start, search)


def _least_of_all(
    quantity: str, problem: Problem, caps: Caps, how: How, searches: Searches
) -> dict[str, Any]:
    """Search for the least value of a quantity.

    Fewest nodes with a demand on rows or many errors, and the least depth, are found by going up
    from none.
    """
    if quantity == "errors":
        return searches.errors(problem, caps, how)
    if quantity == "size" and searches.size is not None and _shares_errors(problem, caps):
        return searches.size(problem, caps, how)
    return _upwards(problem, caps, how, quantity, searches)


def _upwards(
    problem: Problem, caps: Caps, how: How, quantity: str, searches: Searches
) -> dict[str, Any]:
    """Raise one cap until a tree meets all of them; the first value that does is the least.

    A tree of s nodes is at most s deep and has at most one node less than there are rows, and one
    of depth d has fewer than 2^d nodes, so the caps end somewhere.
    """
    most = _most_of(problem, caps, quantity)
    any_tree = _any_tree(problem, caps, how, quantity, searches)
    stats: dict[str, Any] = {}
    progress: list[tuple[None, int, float]] = []
    for value in range(most + 1):
        at = replace(caps, **{quantity: value})
        seconds = stats.get("seconds", 0.0)
        progress.append((None, value, seconds))
        heard = how.heard
        mine = None if heard is None else _told(heard, value, seconds)
        # Any tree within the caps will do: a gap of 1 stops at the first.
        on = replace(how.after(seconds), heard=mine, stop_at_gap=1.0)
        # The search for errors is the better one at "is there a tree?" unless size is capped, and
        # it knows no limits on the leaves of a class.
        sized = _is_limited(problem, at) and _shares_errors(problem, at)
        search = searches.size if sized and searches.size is not None else searches.errors
        result = search(problem, at, on)
        stats = _added(stats, result["stats"]) | {"progress": progress}
        status = Status(result["status"])
        if status is Status.INFEASIBLE:
            continue
        proved = result["nodes"] is not None
        kept = {"nodes": result["nodes"], "stats": stats, "stopped_by": None}
        if proved:
            return kept | {"status": "optimal", "cost": value, "lower_bound": value}
        stopped = any_tree or {"status": "stopped", "cost": None, "nodes": None}
        return kept | stopped | {"lower_bound": value, "stopped_by": result["stopped_by"]}
    return {
        "status": "infeasible",
        "cost": None,
        "lower_bound": most + 1,
        "nodes": None,
        "stopped_by": None,
        "stats": stats,
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
    problem: Problem, caps: Caps, how: How, quantity: str, searches: Searches
) -> dict[str, Any] | None:
    """Return a tree to fall back on, where nothing but errors is capped: then any greedy one."""
    if quantity != "size" or caps.depth is not None or caps.size is not None:
        return None
    found = searches.errors(problem, caps, replace(how, heard=None, stop_at_gap=1.0))
    if found["nodes"] is None:
        return None
    size = searches.grow(problem, found["nodes"]).size
    return {"status": "feasible", "cost": size, "nodes": found["nodes"]}


def _told(
    heard: Callable[[int | None, int, float], object], value: int, seconds: float
) -> Callable[[int | None, int, float], object]:
    return lambda _cost, _bound, more: heard(None, value, seconds + more)


def _added(before: dict[str, Any], stats: dict[str, Any]) -> dict[str, Any]:
    """Add the counts of one search to those of the searches before."""
    if not before:
        return dict(stats)
    added = before | stats
    for name in ("nodes", "memo_lookups", "memo_hits", "memo_evicted", "seconds"):
        added[name] = before.get(name, 0) + stats.get(name, 0)
    return added


def _tell(
    on_progress: Callable[[Progress], object],
    seen: Seen,
    cost: int | None,
    lower_bound: int,
    seconds: float,
) -> object:
    return on_progress(seen(cost, lower_bound, seconds))


def _outcome(
    problem: Problem,
    found: dict[str, Any] | None,
    unfinished: dict[str, Any] | None,
    values: list[Number],
    stats: dict[str, Any],
    searches: Searches,
) -> Outcome:
    """Make the outcome of the stages done and of the one that was stopped, if any."""
    tree = None if found is None else searches.grow(problem, found["nodes"])
    cost = None if tree is None else cost_of_found(problem, tree)
    if unfinished is None:
        assert cost is not None
        return Outcome(Status.OPTIMAL, cost, cost, tree, in_user_units(problem, stats))
    stopped_by = unfinished["stopped_by"]
    quantity = problem.quantities[len(values)]
    last = len(values) + 1 == len(problem.quantities)
    if last and Status(unfinished["status"]) is Status.OPTIMAL and cost is not None:
        return Outcome(Status.OPTIMAL, cost, cost, tree, in_user_units(problem, stats), stopped_by)
    bound = bound_of(problem, quantity, unfinished["lower_bound"])
    lower_bound = in_order(problem, [*values, bound])
    if cost is not None:
        lower_bound = min(lower_bound, cost)
    status = Status.STOPPED if tree is None else Status.FEASIBLE
    return Outcome(status, cost, lower_bound, tree, in_user_units(problem, stats), stopped_by)


def _infeasible(
    problem: Problem, quantity: str, result: dict[str, Any], stats: dict[str, Any]
) -> Outcome:
    """Make the outcome of a first stage that proved that nothing meets the limits."""
    errors = None
    if quantity == "errors":
        errors = result["lower_bound"] // problem.leaf_price.error_price
    return replace(infeasible(problem, errors), stats=stats)
