"""The best tree by class costs: by plain errors where these are equivalent, else by a search.

The search is that of regression trees (`crates/search/src/costs/class_costs`), with its
switches. It computes in integers. These are exact for a cost matrix; log-loss and impurity are
rounded at each leaf, and the lower bound allows for the rounding. If the search proves its tree
optimal, cost and lower bound agree up to this rounding, and the outcome is `OPTIMAL`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np

from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.native import minimum_class_costs, surface_class_costs
from exactree.engine.native.border import ClassCostsResult
from exactree.engine.native.one_surface import Left
from exactree.engine.native.request import SearchOptions
from exactree.engine.native.settings import CostsByClass
from exactree.engine.native.switches import checked_switches
from exactree.engine.oblique.anytime import (
    Anytime,
    has_many_surfaces,
    search_of_many_surfaces,
)
from exactree.engine.oblique.one_surface_costs import (
    Excluded,
    TreeOfSplit,
    one_surface_tree,
    takes_one_surface,
)
from exactree.engine.oblique.surface_points import SurfacePoints
from exactree.engine.prepare import encode_before_deadline, timer_of
from exactree.engine.single_objective.class_units import ClassUnits, class_units
from exactree.engine.single_objective.class_weights import in_plain_errors
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Cost, Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.decoding import decode_outcome
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found, write_replay
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = ["class_costs_tree", "outcome_of_class_costs", "reason_to_refuse_class_costs"]

# Takes the arguments of `minimum_class_costs`.
ClassCostsSearch = Callable[
    [Problem, CostsByClass, SearchOptions, Sequence[ArrayNode] | None], ClassCostsResult
]
ClassCostsResultT = TypeVar("ClassCostsResultT", bound=ClassCostsResult)

# Tolerances for the cost of an optimal tree above the lower bound: as shares of the cost, and of
# the cost of a single leaf. Trees with many leaves may need more: `stats["rounding"]` has the
# amount.
_COST_TOLERANCE, _LEAF_TOLERANCE = 1e-9, 1e-12


def reason_to_refuse_class_costs(problem: Problem) -> str | None:
    """Return None if the native searches accept a problem, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        A classification problem that does not minimize plain errors or a rate.
    """
    if in_plain_errors(problem) is not None:
        return None
    if len(problem.quantities) > 1:
        return "its native form minimizes one quantity where errors have other costs"
    if class_units(problem) is None:
        return "costs of this cost_matrix with these weights are integers of more than 62 bits"
    return None


def class_costs_tree(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
    searches: Searches[list[ArrayNode]] = ENGINE,
    search: ClassCostsSearch = minimum_class_costs,
) -> Outcome:
    """Return the best tree by costs of classes.

    Parameters
    ----------
    problem : Problem
        A classification problem that does not minimize plain errors or a rate.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress, switches, incumbent
        As in `branch_and_bound`; switches are those of the search that is run.
    searches : Searches
        The native searches to run for costs that are plain errors.
    search : callable
        The native search to run for other costs.

    Returns
    -------
    Outcome
        The outcome of the search.

    Raises
    ------
    MethodRefused
        If this search does not accept the problem (see `reason_to_refuse_class_costs`).
    InternalError
        If the native search failed; the message names a file with the problem.
    """
    why = reason_to_refuse_class_costs(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    if problem.infeasible_reason is not None:
        return infeasible(problem)
    plain = in_plain_errors(problem)
    if plain is not None:
        return plain.solve(
            on_progress,
            time_limit=time_limit,
            memory_limit=memory_limit,
            n_jobs=n_jobs,
            stop_at_gap=stop_at_gap,
            switches=switches,
            incumbent=incumbent,
            searches=searches,
        )
    chosen, units = checked_switches(switches, "regression"), class_units(problem)
    assert units is not None
    options = SearchOptions(time_limit, memory_limit, stop_at_gap, None, chosen, n_jobs)
    if takes_one_surface(problem, time_limit):
        outcome = _one_surface(problem, units, options, on_progress)
        return outcome if incumbent is None else incumbent.unless_proved(problem, outcome)

    def listed(
        seconds: float | None, listener: Listener | None, start: Incumbent | None
    ) -> Outcome:
        limited = replace(options, time_limit=seconds)
        return _over_columns(problem, units, limited, listener, start, search)

    if not has_many_surfaces(problem, memory_limit):
        return listed(time_limit, on_progress, incumbent)

    def solve(problem: Problem, seconds: float | None) -> Outcome:
        return class_costs_tree(
            problem, time_limit=seconds, memory_limit=memory_limit, n_jobs=n_jobs
        )

    best = Anytime(problem, time_limit, stop_at_gap, on_progress, solve)
    return search_of_many_surfaces(best, options, incumbent, listed)


def _over_columns(
    problem: Problem,
    units: ClassUnits,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: Incumbent | None,
    search: ClassCostsSearch,
) -> Outcome:
    """Return the best tree by the search over columns."""
    timer = timer_of(problem, options.time_limit, on_progress)
    encoded = encode_before_deadline(problem, timer, options.memory_limit, pairs=True)
    if isinstance(encoded, Outcome):
        return encoded
    options, in_columns = replace(options, time_limit=timer.left()), encoded.problem
    start = None if incumbent is None else incumbent.nodes_in(encoded)
    found = outcome_of_class_costs(
        in_columns,
        units,
        options,
        on_progress,
        lambda options: search(in_columns, units.by_class, options, start),
        lambda found: None if found.nodes is None else tree_from_nodes(in_columns, found.nodes),
    )
    outcome = decode_outcome(encoded, found, timer.stopped)
    if incumbent is None or not incumbent.exact:
        return outcome
    return incumbent.or_better(problem, outcome)


def _one_surface(
    problem: Problem, units: ClassUnits, options: SearchOptions, on_progress: Listener | None
) -> Outcome:
    """Return the best tree of at most one surface."""

    def search(
        points: SurfacePoints, excluded: Excluded, options: SearchOptions, tree_of: TreeOfSplit
    ) -> Outcome:
        left: Left = None

        def run(options: SearchOptions) -> ClassCostsResult:
            nonlocal left
            arrays, inverse = points.arrays(excluded), points.inverse
            found, left = surface_class_costs(problem, arrays, inverse, units.by_class, options)
            return found

        return outcome_of_class_costs(
            problem, units, options, on_progress, run, lambda _: tree_of(left)
        )

    return one_surface_tree(problem, options, search, class_costs_tree)


def outcome_of_class_costs(
    problem: Problem,
    units: ClassUnits,
    options: SearchOptions,
    on_progress: Listener | None,
    search: Callable[[SearchOptions], ClassCostsResultT],
    tree_of: Callable[[ClassCostsResultT], Tree | None],
) -> Outcome:
    """Run a search for minimum class costs, and return the outcome.

    Parameters
    ----------
    problem : Problem
        The problem of the trees, which may have the columns of the search instead of its features.
    units : ClassUnits
        Its costs.
    options : SearchOptions
        Limits of the search.
    on_progress : callable or None
        As in `solve`.
    search : callable
        The search.
    tree_of : callable
        Returns the tree of a result.
    """
    user_units = _UserUnits(problem, units)

    def callback(cost: float | None, lower_bound: float, seconds: float) -> object:
        assert on_progress is not None
        # Rounded costs come in units of the weights. The rounding of the search is known only at
        # its end, so a bound reported before is lowered by the relative tolerance of a proof. That
        # is more than the rounding unless the cost is tiny beside that of a single leaf.
        if not user_units.units.exact:
            lower_bound = max(lower_bound - _COST_TOLERANCE * max(cost or 0, lower_bound), 0)
        return on_progress(user_units.progress_at(cost, lower_bound, seconds))

    if on_progress is not None:
        options = replace(options, callback=callback)
    found = search(options)
    units = replace(units, exponent=found.exponent, rounding_units=found.rounding_units)
    user_units = _UserUnits(problem, units)
    stopped_by, tree = found.stopped_by, tree_of(found)
    cost = None if tree is None else cost_of_found(problem, tree)
    moments = found.stats["progress"]
    stats: dict[str, Any] = {
        **found.stats,
        "threads": options.threads,
        "rounding": float(units.rounding / problem.dataset.weight_scale),
        "progress": [user_units.progress_at(*moment, cost) for moment in moments],
    }
    if (first := found.stats["first_incumbent"]) is not None:
        (stats["first_incumbent"],) = as_tuple(user_units.cost(first))
    if Status(found.status) is Status.INFEASIBLE:
        return replace(infeasible(problem), stats=stats)
    bound = user_units.bound(found.lower_bound)
    if tree is None or cost is None:
        return Outcome(Status.STOPPED, None, bound, None, stats, stopped_by)
    bound = min(bound, cost, key=as_tuple)
    if Status(found.status) is not Status.OPTIMAL:
        return Outcome(Status.FEASIBLE, cost, bound, tree, stats, stopped_by)
    if units.shortfall and bound != cost:
        return Outcome(Status.FEASIBLE, cost, bound, tree, stats, stopped_by or ROUNDED)
    _check_proof(problem, units, cost, bound)
    return Outcome(Status.OPTIMAL, cost, cost, tree, stats, stopped_by)


class _UserUnits:
    """Conversion of costs of the search to the user's unit."""

    def __init__(self, problem: Problem, units: ClassUnits) -> None:
        self.problem, self.units = problem, units

    def cost(self, cost: float) -> Cost:
        """Return the cost of a tree."""
        return self._in_user_unit(self.units.cost(cost))

    def bound(self, lower_bound: float) -> Cost:
        """Return a lower bound that allows for roundings."""
        return self._in_user_unit(self.units.lower_bound(lower_bound))

    def progress_at(
        self,
        cost: float | None,
        lower_bound: float,
        seconds: float,
        final_cost: Cost | None = None,
    ) -> Progress:
        """Return the progress at a moment; rounded costs are raised to at least the final cost."""
        bound = self.bound(lower_bound)
        if cost is None:
            return Progress(None, bound, seconds)
        reported = self.cost(cost)
        if final_cost is not None:
            reported = max(reported, final_cost, key=as_tuple)
        return Progress(reported, min(bound, reported, key=as_tuple), seconds)

    def _in_user_unit(self, cost: Fraction) -> Cost:
        value = self.problem.term.value(cost)
        return self.problem.reported_cost(
            value if isinstance(self.problem.minimize, str) else (value,)
        )


def _check_proof(problem: Problem, units: ClassUnits, cost: Cost, bound: Cost) -> None:
    """Raise InternalError if a proof leaves a gap that rounding does not explain."""
    (found,), (proved,) = as_tuple(cost), as_tuple(bound)
    all_rows = np.arange(len(problem.dataset.X))
    error_of_leaf = problem.term.leaf(problem.dataset, all_rows)
    (leaf,) = as_tuple(problem.cost_of(error_of_leaf, [0], [0]))
    # A substituted price of a leaf orders trees as the exact price does, but bounds lose by it.
    lost = Fraction(0) if units.price is None else units.price.slack / units.scale
    rounding = float((2 * units.rounding + lost) / problem.dataset.weight_scale)
    tolerance = max(_COST_TOLERANCE * float(found), _LEAF_TOLERANCE * float(leaf), rounding)
    if found - proved > (0 if units.exact else tolerance):
        fault = f"called optimal, but its cost is {found} and its lower bound {proved}"
        path = write_replay(problem, [fault])
        raise InternalError(
            f"The solution failed its recount: {fault}. Please report this bug of exactree with "
            f"the file {path}, which holds the problem."
        )
