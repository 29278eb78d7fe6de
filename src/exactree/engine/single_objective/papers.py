"""Native searches of the papers' methods: fewest nodes, or minimum depth, of one tree."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from exactree.engine.native import paper_method
from exactree.engine.native.request import ProgressCallback, SearchOptions
from exactree.engine.native.switches import checked_switches
from exactree.engine.prepare import encode_before_deadline, timer_of
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.decoding import decode_outcome
from exactree.problem.quantities import Cost
from exactree.problem.verification.recount import cost_of_found
from exactree.trees.arrays import grow

__all__ = ["PAPERS", "reason_to_refuse_paper", "run_paper"]

# What each method supports besides the fewest nodes of one tree: errors, limits on the leaves of a
# class, and minimum depth.
PAPERS: dict[str, frozenset[str]] = {
    "box": frozenset(),
    "subsets": frozenset({"errors"}),
    "support-sets": frozenset({"depth"}),
    "threshold": frozenset({"leaves"}),
    "witness": frozenset({"errors"}),
}


def reason_to_refuse_paper(method: str, problem: Problem) -> str | None:
    """Return None if the native form of a method accepts a problem, else the reason as a clause.

    Parameters
    ----------
    method : str
        A key of `PAPERS`.
    problem : Problem
        The problem to solve.
    """
    supported, limits, quantity = PAPERS[method], problem.limits, _quantity(problem)
    by_depth = quantity == "depth"
    measures = "minimize='size' or 'depth'" if "depth" in supported else "minimize='size'"
    # If no errors are allowed, their number is not a second objective.
    counted = {quantity, "errors"} if problem.max_error_weight == 0 else {quantity}
    refused = {
        "one tree only": problem.n_trees > 1,
        f"{measures} only": not counted.issuperset(problem.quantities)
        or (by_depth and "depth" not in supported),
        "no max_depth": not by_depth and limits.max_depth is not None,
        "no max_size with minimize='depth'": by_depth and problem.max_tree_size is not None,
        "no leaf_penalty with minimize='depth'": by_depth and problem.leaf_penalty > 0,
        "no min_samples_leaf": problem.min_rows > 1,
        "no errors": "errors" not in supported and problem.max_error_weight != 0,
        "no max_leaves_of": "leaves" not in supported and bool(limits.max_leaves_of),
    }
    why = next((clause for clause, applies in refused.items() if applies), None)
    return None if why is None else f"its native form takes {why}"


def run_paper(
    method: str,
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
) -> Outcome:
    """Return the smallest tree, or the shallowest, for a problem by one of the papers' methods.

    Parameters
    ----------
    method : str
        A key of `PAPERS`.
    problem : Problem
        The problem to solve; `reason_to_refuse_paper` must return None for it.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress
        As in `solve`; the search uses one thread and ignores the gap.
    switches : mapping of str to bool, optional
        Accelerators to turn off or on, by name (see `accelerators`).

    Returns
    -------
    Outcome
        The outcome of the search.

    Raises
    ------
    ValueError
        If a switch does not exist.
    MethodRefused
        If the table is too large for the method.
    InternalError
        If the native search failed; the message names a file with the problem.
    """
    chosen = checked_switches(switches, method)
    if problem.infeasible_reason is not None:
        return infeasible(problem)
    timer = timer_of(problem, time_limit, on_progress)
    encoded = encode_before_deadline(problem, timer, memory_limit)
    if isinstance(encoded, Outcome):
        return encoded
    callback = None if on_progress is None else _listener(problem, on_progress)
    options = SearchOptions(timer.left(), memory_limit, stop_at_gap, callback, chosen)
    found = _run(method, encoded.problem, options)
    return decode_outcome(encoded, found, timer.stopped)


def _run(method: str, problem: Problem, options: SearchOptions) -> Outcome:
    """Run the search and return its outcome."""
    result = paper_method(method, problem, _quantity(problem), options)
    progress = [_in_units(problem, *moment) for moment in result.stats["progress"]]
    stats: dict[str, Any] = {**result.stats, "progress": progress}
    if (first := result.stats["first_incumbent"]) is not None:
        stats["first_incumbent"] = _cost(problem, first)
    if Status(result.status) is Status.INFEASIBLE:
        return replace(infeasible(problem), stats=stats)
    tree = None if result.nodes is None else grow(problem.dataset, result.nodes)
    cost = None if tree is None else cost_of_found(problem, tree)
    lower_bound = _cost(problem, result.lower_bound)
    status, stopped_by = Status(result.status), result.stopped_by
    if cost is not None and cost == lower_bound:
        # If only errors are minimized, any tree without errors is optimal.
        status, stopped_by = Status.OPTIMAL, stopped_by if stopped_by == "interrupt" else None
    return Outcome(status, cost, lower_bound, tree, stats, stopped_by)


def _quantity(problem: Problem) -> str:
    """Return the quantity that the method minimizes: the size, unless depth is named."""
    return "depth" if "depth" in problem.quantities else "size"


def _cost(problem: Problem, minimum: int) -> Cost:
    """Return the cost of a tree of a size (depth) without errors.

    If errors are allowed, only the size is minimized.
    """
    return problem.cost_of(0, [minimum], [minimum])


def _in_units(problem: Problem, cost: int | None, lower_bound: int, seconds: float) -> Progress:
    """Turn the numbers of a running search into a `Progress` in the user's units."""
    incumbent_cost = None if cost is None else _cost(problem, cost)
    return Progress(incumbent_cost, _cost(problem, lower_bound), seconds)


def _listener(problem: Problem, on_progress: Listener) -> ProgressCallback:
    return lambda *moment: on_progress(_in_units(problem, *moment))
