"""Native methods for ensembles of minimum size, minimum depth or fewest errors.

"witness" and "subsets" are methods of a paper (Komusiewicz et al., ICML 2023). "branch-and-bound"
is our own: it covers the examples with trees, for two classes without errors. "witness" supports
every objective and limit except `leaf_penalty`.
"""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactree.engine.native import ensemble_method
from exactree.engine.native.request import ProgressCallback, SearchOptions
from exactree.engine.native.switches import checked_switches
from exactree.engine.prepare import encode_before_deadline, timer_of
from exactree.errors import MethodRefused
from exactree.objectives.errors import plain
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.encoding.decoding import decode_outcome
from exactree.problem.quantities import Cost, Number
from exactree.problem.verification.recount import cost_of_found
from exactree.trees import Ensemble
from exactree.trees.arrays import grow

__all__ = ["ENSEMBLE_METHODS", "reason_to_refuse_ensemble", "run_ensemble"]

# Methods with a native search for ensembles.
ENSEMBLE_METHODS = ("branch-and-bound", "subsets", "witness")

# Maximum rows for "branch-and-bound"; with more it never finishes a proof anyway.
MAX_COVERED = 4096


def reason_to_refuse_ensemble(method: str, problem: Problem) -> str | None:
    """Return None if a native method accepts a problem of ensembles, else the reason as a clause.

    Parameters
    ----------
    method : str
        One of `ENSEMBLE_METHODS`, or a method for one tree only.
    problem : Problem
        The problem to solve, of two or more trees.
    """
    limits = problem.limits
    if method in ENSEMBLE_METHODS and problem.feature_constraints:
        return (
            "its native form exchanges a tree for any other with the same predictions, which may "
            "break monotonic_cst or constraints, or use features of other feature_penalty"
        )
    if method in ENSEMBLE_METHODS and problem.constrained:
        return "its native form counts the rows of a leaf, not their weight"
    refused = {
        "one tree only": method not in ENSEMBLE_METHODS,
        "no leaf_penalty": problem.leaf_penalty > 0,
    }
    if method != "witness":
        refused |= (
            _beyond_cover(problem) if method == "branch-and-bound" else _beyond_table(problem)
        )
        refused |= {
            "no min_samples_leaf": problem.min_rows > 1,
            "no max_leaves_of": limits.max_leaves_of is not None,
        }
    why = next((clause for clause, applies in refused.items() if applies), None)
    return None if why is None else f"its native form takes {why}"


def _beyond_table(problem: Problem) -> dict[str, bool]:
    """Return clauses on what "subsets" does not support, and whether the problem needs each.

    Its table holds the minimum size of a tree for every labeling, not its depth or its leaves.
    """
    supported = ("total_size", "largest_size", "errors")
    listed = "minimize='total_size', 'largest_size' or 'errors', or a tuple of these, only"
    return {
        listed: not set(supported).issuperset(problem.quantities),
        "no max_depth": problem.limits.max_depth is not None,
    }


def _beyond_cover(problem: Problem) -> dict[str, bool]:
    """Return clauses on what covering does not support, and whether the problem needs each.

    If errors are allowed, some examples do not need a majority of right votes; with three classes
    the number of right votes does not determine the prediction.
    """
    first, *more = problem.quantities
    depths = ("total_depth", "largest_depth")
    listed = "'total_size', 'largest_size', 'total_depth' or 'largest_depth'"
    limited = problem.limits.max_total_size is not None
    return {
        f"one quantity for ensembles only, minimize={listed}": bool(more) or first == "errors",
        "no errors": problem.max_error_weight != 0,
        "two classes only": len(problem.dataset.classes) > 2,
        f"at most {MAX_COVERED:,} rows": len(problem.dataset.X) > MAX_COVERED,
        "no max_total_size with depths": limited and first in depths,
    }


def run_ensemble(
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
    """Return the best ensemble for a problem by a native method.

    Parameters
    ----------
    method : str
        One of `ENSEMBLE_METHODS`.
    problem : Problem
        The problem to solve; `reason_to_refuse_ensemble` must return None for it.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress
        As in `solve`; the search uses one thread, and "subsets" ignores the gap.
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
        If this method does not accept the problem, or the table is too large for it.
    InternalError
        If the native search failed; the message names a file with the problem.
    """
    why = reason_to_refuse_ensemble(method, problem)
    if why is not None:
        raise MethodRefused(f"method={method!r} does not accept this problem: {why}.")
    chosen = checked_switches(switches, method, problem.n_trees)
    if (outcome := infeasible_without_search(problem)) is not None:
        return outcome
    callback = None if on_progress is None else _listener(problem, on_progress)
    timer = timer_of(problem, time_limit, on_progress)
    encoded = encode_before_deadline(problem, timer, memory_limit)
    if isinstance(encoded, Outcome):
        return encoded
    options = SearchOptions(timer.left(), memory_limit, stop_at_gap, callback, chosen)
    return decode_outcome(encoded, _run(method, encoded.problem, options), timer.stopped)


def _run(method: str, problem: Problem, options: SearchOptions) -> Outcome:
    """Run the search and return its outcome."""
    result = ensemble_method(method, problem, options)
    stats: dict[str, Any] = {**result.stats}
    if method == "witness":
        stats["search_nodes_by_size"] = dict(result.stats.get("search_nodes_by_size", ()))
    if (first := result.stats["first_incumbent"]) is not None:
        stats["first_incumbent"] = _in_user_unit(problem, 0, first)
    status, stopped_by = Status(result.status), result.stopped_by
    if status is Status.INFEASIBLE:
        return replace(infeasible(problem), stats=stats)
    lower_bound = _cost_of_values(problem, result.lower_bound)
    if result.trees is None:
        return Outcome(status, None, lower_bound, None, stats, stopped_by)
    trees = tuple(grow(problem.dataset, nodes, classes) for nodes, classes in result.trees)
    ensemble = Ensemble(trees)
    cost = cost_of_found(problem, ensemble)
    return Outcome(status, cost, lower_bound, None, stats, stopped_by, ensemble=ensemble)


def _cost_of_values(problem: Problem, values: list[int]) -> Cost:
    """Return a cost from the values of quantities in the integers of the search."""
    converted = [_in_user_unit(problem, place, value) for place, value in enumerate(values)]
    return converted[0] if isinstance(problem.minimize, str) else tuple(converted)


def _in_user_unit(problem: Problem, place: int, value: int) -> Number:
    """Turn a value of a quantity into the user's unit."""
    if problem.quantities[place] != "errors":
        return value
    return plain(Fraction(value, problem.dataset.weight_scale))


def _listener(problem: Problem, on_progress: Listener) -> ProgressCallback:
    """Turn the numbers of a running search, about the first quantity, into a `Progress`."""
    zeros = [0] * (len(problem.quantities) - 1)

    def listen(cost: int | None, lower_bound: int, seconds: float) -> object:
        converted = None if cost is None or zeros else _cost_of_values(problem, [cost])
        bound = _cost_of_values(problem, [lower_bound, *zeros])
        return on_progress(Progress(converted, bound, seconds))

    return listen
