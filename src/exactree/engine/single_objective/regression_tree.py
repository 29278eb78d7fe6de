"""The best regression tree by the native search.

The search computes with rounded sums; their maximum error is derived in Rust, and the lower bound
allows for it. The cost of the tree is then recomputed exactly. If the search proves its tree
optimal, cost and lower bound agree up to this rounding, and the outcome is `OPTIMAL`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ulp
from typing import Any, TypeVar

import numpy as np

from exactree.engine.native import minimum_deviation, surface_regression
from exactree.engine.native.border import RegressionResult
from exactree.engine.native.one_surface import Left
from exactree.engine.native.request import SearchOptions
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
from exactree.errors import InternalError, MethodRefused
from exactree.problem import Cost, Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.columns import in_columns
from exactree.problem.encoding.decoding import decode_outcome
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.encoding.tree_encoder import TreeEncoder
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found, write_replay
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = [
    "outcome_of_regression",
    "price_in_search",
    "reason_to_refuse_regression",
    "regression_tree",
]

# Takes the arguments of `minimum_deviation`.
RegressionSearch = Callable[
    [Problem, float, SearchOptions, Sequence[ArrayNode] | None], RegressionResult
]

RegressionResultT = TypeVar("RegressionResultT", bound=RegressionResult)

# Tolerances for the gap between the cost of an optimal tree and the lower bound: as shares of the
# cost, and of the error of a single leaf. Rounded sums of very different weights, and those of
# absolute errors, may need more: `stats["rounding"]` has the amount.
_COST_TOLERANCE, _LEAF_TOLERANCE = 1e-9, 1e-15
# Above every error that accepted labels and weights can produce.
_GREATEST_PRICE = Fraction(2**1000)


def reason_to_refuse_regression(problem: Problem) -> str | None:
    """Return None if the native search accepts a regression, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        The regression to solve.
    """
    if len(problem.quantities) > 1:
        return "its native form minimizes only one quantity in a regression"
    return None


def regression_tree(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
    search: RegressionSearch = minimum_deviation,
) -> Outcome:
    """Return the best tree of a regression by the native search.

    Parameters
    ----------
    problem : Problem
        The regression to solve.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress, switches, incumbent
        As in `branch_and_bound`.
    search : callable
        The native search to run.

    Returns
    -------
    Outcome
        The outcome of the search.

    Raises
    ------
    ValueError
        If a switch does not exist.
    MethodRefused
        If this search does not accept the problem (see `reason_to_refuse_regression`).
    InternalError
        If the native search failed; the message names a file with the problem.
    """
    why = reason_to_refuse_regression(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    chosen = checked_switches(switches, "regression")
    if problem.infeasible_reason is not None:
        return infeasible(problem)
    options = SearchOptions(time_limit, memory_limit, stop_at_gap, None, chosen, n_jobs)
    if takes_one_surface(problem, time_limit):
        outcome = _one_surface(problem, options, on_progress)
        return outcome if incumbent is None else incumbent.unless_proved(problem, outcome)

    def listed(
        seconds: float | None, listener: Listener | None, start: Incumbent | None
    ) -> Outcome:
        limited = replace(options, time_limit=seconds)
        return _over_columns(problem, limited, listener, start, search)

    if not has_many_surfaces(problem, memory_limit):
        return listed(time_limit, on_progress, incumbent)

    def solve(problem: Problem, seconds: float | None) -> Outcome:
        return regression_tree(
            problem, time_limit=seconds, memory_limit=memory_limit, n_jobs=n_jobs
        )

    best = Anytime(problem, time_limit, stop_at_gap, on_progress, solve)
    return search_of_many_surfaces(best, options, incumbent, listed)


def _over_columns(
    problem: Problem,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: Incumbent | None,
    search: RegressionSearch,
) -> Outcome:
    """Return the best tree by the search over columns."""
    timer = timer_of(problem, options.time_limit, on_progress)
    encoded = encode_before_deadline(problem, timer, options.memory_limit, pairs=True)
    if isinstance(encoded, Outcome):
        return encoded
    options = replace(options, time_limit=timer.left())
    in_columns, start = encoded.problem, None if incumbent is None else incumbent.nodes_in(encoded)

    def run(options: SearchOptions) -> RegressionResult:
        return search(in_columns, price_in_search(problem, problem.leaf_penalty), options, start)

    found = outcome_of_regression(
        in_columns,
        options,
        on_progress,
        run,
        lambda found: _simple_tree(in_columns, found.nodes),
        None if start is None else tree_from_nodes(in_columns, start),
    )
    return decode_outcome(encoded, found, timer.stopped)


def _one_surface(problem: Problem, options: SearchOptions, on_progress: Listener | None) -> Outcome:
    """Return the best tree of at most one surface."""
    price = price_in_search(problem, problem.leaf_penalty)

    def search(
        points: SurfacePoints, excluded: Excluded, options: SearchOptions, tree_of: TreeOfSplit
    ) -> Outcome:
        left: Left = None

        def run(options: SearchOptions) -> RegressionResult:
            nonlocal left
            arrays = points.arrays(excluded)
            found, left = surface_regression(problem, arrays, points.inverse, price, options)
            return found

        return outcome_of_regression(
            problem, options, on_progress, run, lambda _: tree_of(left), None
        )

    return one_surface_tree(problem, options, search, regression_tree)


def price_in_search(problem: Problem, share: Fraction) -> float:
    """Return the price of a leaf or of a feature as the search takes it.

    Parameters
    ----------
    problem : Problem
        The regression.
    share : Fraction
        The price as a share of the total weight.
    """
    return float(min(share * problem.price_unit, _GREATEST_PRICE))


def _simple_tree(problem: Problem, nodes: Sequence[ArrayNode] | None) -> Tree | None:
    """Return the tree of a result for a problem in columns.

    The search adds rounded absolute errors, unless all numbers are whole, so it cannot distinguish
    a node that saves a little from a node that saves nothing; here the latter are removed.
    """
    if nodes is not None and problem.error_term == "absolute_error":
        encoder = TreeEncoder(in_columns(problem))
        nodes = encoder.nodes(encoder.reduced(encoder.of_nodes(nodes)))
    return None if nodes is None else tree_from_nodes(problem, nodes)


def outcome_of_regression(
    problem: Problem,
    options: SearchOptions,
    on_progress: Listener | None,
    search: Callable[[SearchOptions], RegressionResultT],
    tree_of: Callable[[RegressionResultT], Tree | None],
    start: Tree | None,
) -> Outcome:
    """Run a search for a regression, and return the outcome.

    Parameters
    ----------
    problem : Problem
        The problem of the trees, possibly with the columns of the search instead of features.
    options : SearchOptions
        Limits of the search.
    on_progress : callable or None
        As in `solve`.
    search : callable
        The search.
    tree_of : callable
        Returns the tree of a result.
    start : Tree or None
        A tree within the limits, from which the search starts.
    """
    units = _ProgressInUnits(problem, _floor(problem))

    def callback(cost: float | None, lower_bound: float, seconds: float) -> object:
        assert on_progress is not None
        return on_progress(units.progress_at(cost, lower_bound, seconds))

    if on_progress is not None:
        options = replace(options, callback=callback)
    found = search(options)
    tree, stopped_by, search_stats = tree_of(found), found.stopped_by, found.stats
    cost = None if tree is None else cost_of_found(problem, tree)
    # A search that stops while it prepares the table has not read the first tree yet.
    if stopped_by is not None and start is not None:
        cost_of_start = cost_of_found(problem, start)
        if cost is None or as_tuple(cost_of_start) < as_tuple(cost):
            tree, cost = start, cost_of_start
    (rounding,) = as_tuple(_in_user_unit(problem, search_stats["rounding"]))
    progress = [units.progress_at(c, b, s, cost) for c, b, s in search_stats["progress"]]
    stats: dict[str, Any] = {**search_stats, "rounding": rounding, "progress": progress}
    if Status(found.status) is Status.INFEASIBLE:
        return replace(infeasible(problem), stats=stats)
    bound = units.bound(found.lower_bound)
    if tree is None or cost is None:
        return Outcome(Status.STOPPED, None, bound, None, stats, stopped_by)
    bound = min(bound, cost, key=as_tuple)
    if stopped_by is not None:
        return Outcome(Status.FEASIBLE, cost, bound, tree, stats, stopped_by)
    _check_proof(problem, cost, bound, float(rounding))
    return Outcome(Status.OPTIMAL, cost, cost, tree, stats)


@dataclass(frozen=True)
class _ProgressInUnits:
    """Conversion of the progress of a running search to the user's unit."""

    problem: Problem
    floor: Cost

    def progress_at(
        self, cost: float | None, lower_bound: float, seconds: float, final_cost: Cost | None = None
    ) -> Progress:
        """Return the progress at a moment; rounded costs are raised to at least the final cost."""
        bound = self.bound(lower_bound)
        if cost is None:
            return Progress(None, bound, seconds)
        reported = _in_user_unit(self.problem, cost)
        if final_cost is not None:
            reported = max(reported, final_cost, key=as_tuple)
        return Progress(reported, min(bound, reported, key=as_tuple), seconds)

    def bound(self, lower_bound: float) -> Cost:
        """Return a lower bound, which is never below the floor."""
        return max(_in_user_unit(self.problem, lower_bound), self.floor, key=as_tuple)


def _floor(problem: Problem) -> Cost:
    """Return a lower bound on the cost of every tree.

    It is the cost of a single leaf or the price of two leaves, whichever is smaller. The bound of
    the search may be lower if it replaced a price above `_GREATEST_PRICE`.
    """
    without_errors = problem.cost_of(0, [1], [1])
    if not problem.leaf_penalty:
        return without_errors  # 0: there is no leaf penalty
    leaf = problem.cost_of(_error_of_one_leaf(problem), [0], [0])
    return min(leaf, without_errors, key=as_tuple)


def _in_user_unit(problem: Problem, cost: float) -> Cost:
    """Convert a cost in integer weights to the user's unit, as the problem reports costs."""
    value = float(Fraction(cost) / problem.dataset.weight_scale)
    return value if isinstance(problem.minimize, str) else (value,)


def _check_proof(problem: Problem, cost: Cost, bound: Cost, rounding: float) -> None:
    """Raise InternalError if a proof leaves a gap that rounding does not explain.

    The search derives `rounding`, the maximum difference between the exact cost of its tree and the
    bound that it returns: the sum of its gap in rounded costs, the rounding error of its tree, and
    the maximum rounding error of any tree, by which the bound is lowered (`rounded_outcome` in
    `crates/search/src/spaces/leaf_costs/one_search.rs`). Here cost, bound and their difference are
    also rounded to floats.
    """
    (found,), (proved,) = as_tuple(cost), as_tuple(bound)
    (leaf,) = as_tuple(problem.cost_of(_error_of_one_leaf(problem), [0], [0]))
    of_floats = 4 * ulp(float(found))
    shares = _COST_TOLERANCE * float(found), _LEAF_TOLERANCE * float(leaf)
    tolerance = max(*shares, rounding + of_floats)
    if float(found) - float(proved) > tolerance:
        fault = f"called optimal, but its cost is {found} and its lower bound {proved}"
        path = write_replay(problem, [fault])
        raise InternalError(
            f"The solution failed its recount: {fault}. Please report this bug of exactree with "
            f"the file {path}, which holds the problem."
        )


def _error_of_one_leaf(problem: Problem) -> int | Fraction:
    """Return the exact error of a single leaf."""
    return problem.term.leaf(problem.dataset, np.arange(len(problem.dataset.X)))
