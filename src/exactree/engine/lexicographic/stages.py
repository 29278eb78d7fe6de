"""Lexicographic problems as a sequence of native searches, one for each quantity.

The first stage finds the minimum of the first quantity within the limits. That value becomes a
limit of the second stage, and so on; the tree of the last stage is the solution. If a stage is
stopped, the tree of the previous stage still meets all limits. The minima of the previous stages,
the lower bound of the stopped stage and zeros for the following stages form a lower bound in
lexicographic order.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

from exactree.engine.lexicographic.initial_tree import InitialTree
from exactree.engine.lexicographic.one_quantity import (
    Searches,
    added,
    has_more_limits,
    minimum_of,
    suits_direct_search,
)
from exactree.engine.lexicographic.units import (
    ToProgress,
    bound_of,
    bound_on_cost,
    in_user_units,
    progress_converter,
)
from exactree.engine.native.border import SearchResult, SearchStats, TreeT
from exactree.engine.native.request import Caps, SearchOptions
from exactree.objectives.errors import plain
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.quantities import Number
from exactree.problem.verification.recount import cost_of_found

__all__ = ["begins_with_errors", "through_stages"]


def through_stages(
    problem: Problem,
    options: SearchOptions,
    on_progress: Listener | None,
    searches: Searches[TreeT],
    start: InitialTree[TreeT] | None = None,
) -> Outcome:
    """Minimize one quantity after the other.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    options : SearchOptions
        Limits of the search.
    on_progress : callable or None
        As in `solve`.
    searches : Searches
        The native searches to run.
    start : InitialTree, optional
        A tree from which a stage starts if the tree meets its limits.
    """
    caps = _limits_of(problem)
    found: SearchResult[TreeT] | None = None
    values: list[Number] = []
    stats: SearchStats = {}
    seconds = 0.0
    progress: list[Progress] = []
    for quantity in problem.quantities:
        to_progress = progress_converter(problem, values, seconds)
        callback = None if on_progress is None else partial(_report, on_progress, to_progress)
        stage_options = replace(options.after(seconds), callback=callback)
        search: Callable[[Caps, SearchOptions], SearchResult[TreeT]]
        if quantity == "errors":
            search = partial(searches.errors, problem)
        else:
            search = partial(minimum_of, quantity, searches, problem)
        if start is None or not start.within(caps):
            result = search(caps, stage_options)
        else:
            result = start.minimum(quantity, problem, caps, stage_options, search)
        progress += [to_progress(*moment) for moment in result.stats["progress"]]
        stats = added(stats, result.stats)
        seconds = stats["seconds"]
        status = Status(result.status)
        if status is Status.INFEASIBLE:
            return _infeasible(problem, quantity, result, {**stats, "progress": progress})
        if result.nodes is not None:
            found = result
        if status is not Status.OPTIMAL or result.stopped_by is not None:
            user_stats = in_user_units(problem, stats, progress)
            return _outcome(problem, found, result, values, user_stats, searches)
        caps, value = _capped(problem, caps, quantity, result)
        values.append(value)
    user_stats = in_user_units(problem, stats, progress)
    return _outcome(problem, found, None, values, user_stats, searches)


def begins_with_errors(problem: Problem) -> bool:
    """Return whether the first quantity of a problem is minimized by searches for errors alone.

    Parameters
    ----------
    problem : Problem
        The problem to solve, which the engine accepts.
    """
    quantity, caps = problem.quantities[0], _limits_of(problem)
    by_size = quantity == "size" or has_more_limits(problem, caps)
    return quantity == "errors" or not (by_size and suits_direct_search(problem, caps))


def _limits_of(problem: Problem) -> Caps:
    """Return the limits of a problem as caps."""
    return Caps(problem.limits.max_depth, problem.max_tree_size, problem.max_error_weight)


def _capped(
    problem: Problem, caps: Caps, quantity: str, result: SearchResult[TreeT]
) -> tuple[Caps, Number]:
    """Return the caps of the next stage, and the minimum in the user's unit."""
    cost = result.cost
    assert cost is not None
    match quantity:
        case "errors":
            price = problem.leaf_price
            # With a leaf penalty errors come last: there is no stage to cap.
            caps = caps if price.leaf_price else replace(caps, errors=cost // price.error_price)
            return caps, plain(Fraction(cost, price.error_price * problem.dataset.weight_scale))
        case "size":
            return replace(caps, size=cost), cost
        case _:
            return replace(caps, depth=cost), cost


def _report(
    on_progress: Listener,
    to_progress: ToProgress,
    cost: int | None,
    lower_bound: int,
    seconds: float,
) -> object:
    return on_progress(to_progress(cost, lower_bound, seconds))


def _outcome(
    problem: Problem,
    found: SearchResult[TreeT] | None,
    unfinished: SearchResult[TreeT] | None,
    values: list[Number],
    stats: dict[str, Any],
    searches: Searches[TreeT],
) -> Outcome:
    """Return the outcome of the finished stages and of the stopped stage, if any."""
    nodes = None if found is None else found.nodes
    tree = None if nodes is None else searches.grow(problem, nodes)
    if unfinished is None and not problem.leaf_penalty:
        # The minima are counted again with the predictions of the decoded tree.
        optimum = bound_on_cost(problem, values)
        return Outcome(Status.OPTIMAL, optimum, optimum, tree, stats)
    cost = None if tree is None else cost_of_found(problem, tree)
    if unfinished is None:
        assert cost is not None
        return Outcome(Status.OPTIMAL, cost, cost, tree, stats)
    stopped_by = unfinished.stopped_by
    quantity = problem.quantities[len(values)]
    is_last_stage = len(values) + 1 == len(problem.quantities)
    if is_last_stage and Status(unfinished.status) is Status.OPTIMAL and cost is not None:
        return Outcome(Status.OPTIMAL, cost, cost, tree, stats, stopped_by)
    bound = bound_of(problem, quantity, unfinished.lower_bound)
    lower_bound = bound_on_cost(problem, [*values, bound])
    if cost is not None:
        lower_bound = min(lower_bound, cost)
    status = Status.STOPPED if tree is None else Status.FEASIBLE
    return Outcome(status, cost, lower_bound, tree, stats, stopped_by)


def _infeasible(
    problem: Problem, quantity: str, result: SearchResult[TreeT], stats: dict[str, Any]
) -> Outcome:
    """Return the outcome of a first stage that proved the limits infeasible."""
    errors = None
    if quantity == "errors":
        errors = result.lower_bound // problem.leaf_price.error_price
    return replace(infeasible(problem, errors), stats=stats)
