"""Errors under constraints: one native search, alone or as a stage of several quantities."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

from exactree.engine.constrained.settings import constraint_settings
from exactree.engine.constrained.trees import RankedTree, RankedTrees
from exactree.engine.constrained.units import ErrorUnits
from exactree.engine.native.border import SearchResult
from exactree.engine.native.constrained import ConstrainedSearches
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.settings import ConstrainedErrorSettings, CostSettings, TreeLimits
from exactree.objectives.errors import plain
from exactree.problem import Cost, Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.trees.arrays import ArrayNode

__all__ = ["errors_within_caps", "minimum_errors_outcome"]


def minimum_errors_outcome(
    trees: RankedTrees,
    units: ErrorUnits,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> Outcome:
    """Return the tree of minimum errors of any kind, with prices.

    Parameters
    ----------
    trees : RankedTrees
        The problem.
    units : ErrorUnits
        Its costs.
    options : SearchOptions
        Limits of the search.
    on_progress : callable or None
        As in `solve`.
    incumbent : list of nodes or None
        A tree to start from.
    searches : ConstrainedSearches
        The native searches to run.
    """
    problem = trees.encoded.original

    def callback(cost: int | None, lower_bound: int, seconds: float) -> object:
        assert on_progress is not None
        return on_progress(_progress(problem, units, (cost, lower_bound, seconds)))

    if on_progress is not None:
        options = replace(options, callback=callback)
    limits = problem.limits
    caps = Caps(limits.max_depth, problem.max_tree_size, problem.max_error_weight)
    found = _run(trees, units, caps, options, incumbent, searches)
    ranked = None if found.nodes is None else trees.of_nodes(found.nodes)
    if ranked is not None and units.rounding:
        # A search in rounded costs cannot distinguish a node that saves nothing.
        ranked = trees.reduced(ranked)
    tree = None if ranked is None else trees.fitted(ranked)
    cost = None if tree is None else cost_of_found(problem, tree)
    moments = found.stats["progress"]
    stats: dict[str, Any] = {
        **found.stats,
        "threads": options.threads,
        "progress": [_progress(problem, units, moment, cost) for moment in moments],
    }
    if (first := found.stats.get("first_incumbent")) is not None:
        (stats["first_incumbent"],) = as_tuple(_reported(problem, units.cost(first)))
    if units.rounding:
        stats["rounding"] = float(units.rounding)
    status, stopped_by = Status(found.status), found.stopped_by
    if status is Status.INFEASIBLE:
        return replace(infeasible(problem), stats=stats)
    bound = _reported(problem, units.lower_bound(found.lower_bound))
    if tree is None or cost is None:
        return Outcome(Status.STOPPED, None, bound, None, stats, stopped_by)
    bound = min(bound, cost, key=as_tuple)
    if status is not Status.OPTIMAL:
        return Outcome(Status.FEASIBLE, cost, bound, tree, stats, stopped_by)
    if units.rounding and bound != cost:
        return Outcome(Status.FEASIBLE, cost, bound, tree, stats, stopped_by or ROUNDED)
    # The proof is complete; only an interrupt is reported nevertheless.
    stopped_by = stopped_by if stopped_by == "interrupt" else None
    return Outcome(Status.OPTIMAL, cost, cost, tree, stats, stopped_by)


def _progress(
    problem: Problem,
    units: ErrorUnits,
    moment: tuple[int | None, int, float],
    final_cost: Cost | None = None,
) -> Progress:
    """Return a moment of a search; rounded costs are raised to at least the final cost."""
    cost, lower_bound, seconds = moment
    bound = _reported(problem, units.lower_bound(lower_bound))
    if cost is None:
        return Progress(None, bound, seconds)
    reported = _reported(problem, units.cost(cost))
    if final_cost is not None:
        reported = max(reported, final_cost, key=as_tuple)
    return Progress(reported, min(bound, reported, key=as_tuple), seconds)


def _reported(problem: Problem, cost: Fraction) -> Cost:
    exact = plain(cost)
    return exact if isinstance(problem.minimize, str) else (exact,)


def errors_within_caps(
    trees: RankedTrees,
    units: ErrorUnits,
    caps: Caps,
    options: SearchOptions,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> SearchResult[RankedTree]:
    """Search for minimum plain errors without prices within caps, for a lexicographic stage.

    Parameters
    ----------
    trees, units, options, incumbent, searches
        As in `minimum_errors_outcome`.
    caps : Caps
        The limits of the stage.
    """
    found = _run(trees, units, caps, options, incumbent, searches)
    ranked = None if found.nodes is None else trees.of_nodes(found.nodes)
    return SearchResult(
        status=found.status,
        cost=found.cost,
        lower_bound=found.lower_bound,
        nodes=ranked,
        stopped_by=found.stopped_by if found.status in ("feasible", "stopped") else None,
        stats=found.stats,
    )


def _run(
    trees: RankedTrees,
    units: ErrorUnits,
    caps: Caps,
    options: SearchOptions,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> SearchResult[list[ArrayNode]]:
    problem, encoded, prices = trees.encoded.original, trees.encoded.problem, units.prices
    constraints = constraint_settings(trees, units.shares, incumbent)
    # The bounds of a search count either rows or weights of leaves.
    scaled = bool(units.shares.error_costs)
    counts_weight = not scaled and problem.min_rows == 1 and constraints.min_leaf_weight > 1
    rows = constraints.min_leaf_weight if counts_weight else problem.min_rows
    if counts_weight:
        constraints = replace(constraints, min_leaf_weight=0)
    limits = TreeLimits(max_depth=caps.depth, max_size=caps.size, min_samples_leaf=rows)
    costs = CostSettings(
        search=options.search_settings(limits),
        error_price=prices.error_price,
        leaf_price=prices.leaf_price,
        # Limits the costs of leaves, without prices of features.
        upper_bound=None if caps.errors is None else (caps.errors + 1) * prices.error_price,
    )
    settings = ConstrainedErrorSettings(
        costs=costs,
        constraints=constraints,
        unscaled_weights=problem.dataset.weights.astype(np.uint64) if scaled else None,
        prices=[*prices.features],
        counts_weight=counts_weight,
    )
    # The same columns, perhaps with other weights.
    table = replace(units.dataset, X=encoded.dataset.X)
    return searches.errors(encoded.in_columns(table), settings, options)
