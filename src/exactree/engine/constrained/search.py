"""The best tree under constraints: a problem in, an outcome out."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, inf
from typing import Any

from exactree.engine.constrained.branching import Branching
from exactree.engine.constrained.errors import NativeConstrained, error_units
from exactree.engine.constrained.free import FreeTrees
from exactree.engine.constrained.memory import BoundedCache
from exactree.engine.constrained.native import searched_as
from exactree.engine.constrained.prepared import CostedTree, Number, PreparedProblem
from exactree.engine.constrained.smaller import collapsed_until
from exactree.engine.constrained.watch import Watch
from exactree.engine.lexicographic.by_leaves import needs_leaves_one_by_one
from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.lexicographic.stages import through_stages
from exactree.engine.native.border import SearchResult, SearchStats
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.switches import accelerators, checked_switches
from exactree.engine.oblique.memory import columns_within
from exactree.engine.prepare import encode_before_deadline, timer_of
from exactree.errors import MethodRefused
from exactree.objectives.errors import plain
from exactree.problem import Cost, Listener, Outcome, Problem, Progress, Status
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.encoding.tree_encoder import SourceTree, TreeEncoder
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.trees import Tree

__all__ = ["ACCELERATORS", "constrained_tree", "is_native", "reason_to_refuse_constrained"]

ACCELERATORS = {
    "relaxation": "solve and bound subproblems by the native searches without constraints",
    "interval_bound": "bound splits between two evaluated ones (ConTree: Briţa et al., AAAI 2025; "
    "argument in engine/constrained/roots.py)",
    "similarity_bound": "bound splits by the weight of the examples between them and an evaluated "
    "one (MurTree: Demirović et al., JMLR 2022; argument in engine/constrained/roots.py)",
    "cache": "keep bounds of subproblems, by their examples and constraints",
    "depth_two": "solve depth one, and one level below a root, by arrays over all splits (argument "
    "in engine/constrained/sweeps.py)",
    "incumbent": "begin with trees without constraints, pruned until feasible",
}


def reason_to_refuse_constrained(problem: Problem) -> str | None:
    """Return None for a problem under constraints that is accepted, else in one clause why not.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if problem.n_trees > 1:
        return "its search under constraints takes one tree only"
    several = len(problem.quantities) > 1
    priced = problem.leaf_penalty or problem.feature_constraints.prices
    if several and (priced or not problem.plain_errors):
        return "its search under constraints minimizes several quantities only of plain errors"
    if searched_as(problem) is None:
        return "costs of this cost_matrix with these weights are integers of more than 62 bits"
    if needs_leaves_one_by_one(problem):
        return "its search under constraints does not take leaf_penalty and max_errors together"
    return None


def is_native(problem: Problem) -> bool:
    """Return whether one native search solves a problem under constraints.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return len(problem.quantities) == 1 and searched_as(problem) == "branch-and-bound"


def constrained_tree(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
) -> Outcome:
    """Return the best tree that satisfies the constraints of a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress
        As in `solve`; the cache of subsets takes up to half of the memory, and each search without
        constraints may use the rest.
    switches : mapping of str to bool, optional
        Accelerators to turn off, by name: of `ACCELERATORS`, or of the native searches.
    incumbent : Incumbent, optional
        A tree from which the search starts, after collapsing nodes until it satisfies the
        constraints.

    Returns
    -------
    Outcome
        However the search ended.

    Raises
    ------
    ValueError
        If a switch does not exist, or no pruning of the incumbent satisfies the constraints.
    MethodRefused
        If the problem is not for this search (see `reason_to_refuse_constrained`).
    """
    why = reason_to_refuse_constrained(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    mine, native = _switches(problem, switches)
    impossible = infeasible_without_search(problem)
    if impossible is not None:
        return impossible
    timer = timer_of(problem, time_limit, on_progress)
    encoded: EncodedProblem | Outcome
    if problem.feature_constraints.directions:
        # A test for a code and its opposite differ at codes that are not in the table.
        encoded = columns_within(problem, memory_limit, opposites=True, pairs=True)
    else:
        encoded = encode_before_deadline(problem, timer, memory_limit, pairs=True)
    if isinstance(encoded, Outcome):
        return encoded
    options = SearchOptions(timer.left(), memory_limit, stop_at_gap, None, native, n_jobs)
    start = None if incumbent is None else _feasible_part(encoded, options, mine, incumbent.tree)
    if len(problem.quantities) == 1 and problem.quantities[0] == problem.error_term:
        return _of_errors(encoded, options, on_progress, mine, start)

    columns = encoded

    def errors(stage: Problem, caps: Caps, options: SearchOptions) -> SearchResult[CostedTree]:
        return _of_a_stage(problem, columns, caps, options, mine, start)

    searches: Searches[CostedTree] = Searches(
        errors, None, lambda _, tree: PreparedProblem(problem, columns).fitted_tree(tree)
    )
    outcome = encoded.lift(through_stages(encoded.problem, options, on_progress, searches))
    return infeasible(problem) if outcome.status is Status.INFEASIBLE else outcome


def _switches(
    problem: Problem, switches: Mapping[str, bool] | None
) -> tuple[dict[str, bool], dict[str, bool]]:
    """Return the switches of this search and of the native searches, which share some names."""
    chosen = dict(switches or {})
    mine = {name: chosen.get(name, True) for name in ACCELERATORS}
    method = searched_as(problem) or "branch-and-bound"
    names = accelerators(method)
    native = {name: on for name, on in chosen.items() if name in names or name not in mine}
    return mine, checked_switches(native, method)


def _prepared(problem: Problem, encoded: EncodedProblem, options: SearchOptions) -> PreparedProblem:
    limit = options.memory_limit
    return PreparedProblem(problem, encoded, BoundedCache(None if limit is None else limit // 2))


def _feasible_part(
    encoded: EncodedProblem, options: SearchOptions, switches: dict[str, bool], tree: Tree
) -> CostedTree:
    """Return a tree pruned until it satisfies the constraints; ValueError if there is none."""
    problem = encoded.original
    prepared = _prepared(problem, encoded, options)
    encoder = TreeEncoder(encoded)
    arrays = (tree.children_left, tree.children_right, tree.feature)
    source = SourceTree(*arrays, tree.goes_left, problem.dataset.X)
    nodes = encoder.nodes(encoder.within_limits(source))
    costed = prepared.tree_of(nodes, range(len(prepared.features)), prepared.everything)
    most = problem.max_error_weight
    watch = Watch(None, 0.0, None, inf if most is None else (most + 1) * prepared.unit)
    branching = _branching(prepared, watch, options, switches)
    found = collapsed_until(prepared, costed, branching.obeys)
    if found is None or (most is not None and found.cost > most * prepared.unit):
        raise ValueError("incumbent: no pruning of it satisfies all limits and constraints.")
    return found


def _branching(
    prepared: PreparedProblem, watch: Watch, options: SearchOptions, switches: dict[str, bool]
) -> Branching:
    free = FreeTrees(prepared, watch, options.switches, options.memory_limit, options.threads)
    return Branching(prepared, free, watch, switches)


def _search(
    prepared: PreparedProblem, watch: Watch, options: SearchOptions, switches: dict[str, bool]
) -> Branching | NativeConstrained:
    units = error_units(prepared)
    if units is not None:
        return NativeConstrained(prepared, units, watch, options)
    return _branching(prepared, watch, options, switches)


def _run(
    branching: Branching | NativeConstrained, start: CostedTree | None
) -> tuple[str | None, SearchStats]:
    """Search; return the reason of a stop, and the statistics."""
    if isinstance(branching, NativeConstrained):
        return branching.run(start)
    if start is not None and branching.obeys(start):
        branching.watch.found(start, branching.total(start))
    stopped_by = branching.run()
    counts = branching.counts
    pruning = (
        "relaxation",
        "interval_bound",
        "similarity_bound",
        "depth_two",
    )
    memory = branching.prepared.memory
    stats: SearchStats = {
        "nodes": counts["nodes"],
        "choices": counts["choices"],
        "unconstrained_searches": counts["unconstrained_searches"],
        "pruned": {name: counts[name] for name in pruning},
        "cache_hits": counts["cache"],
        "cache_entries": len(memory),
        "cache_bytes": memory.bytes,
        "cache_evicted": memory.evicted,
        "seconds": branching.watch.seconds(),
        "first_incumbent": None,
    }
    return stopped_by, stats


def _of_errors(
    encoded: EncodedProblem,
    options: SearchOptions,
    on_progress: Listener | None,
    switches: dict[str, bool],
    start: CostedTree | None,
) -> Outcome:
    """Minimize errors of any kind, with prices.

    If native searches round, each leaf of an optimal tree can belong to a different native result.
    So the error of a lower bound is at most the maximum rounding of one result for each leaf, by
    induction over the recursion: the bound of a subset is a native result, or the sum of the bounds
    of its children.
    """
    problem = encoded.original
    prepared = _prepared(problem, encoded, options)

    def reported(number: Number) -> Cost:
        exact = plain(Fraction(number) / (prepared.unit * problem.dataset.weight_scale))
        return problem.reported_cost(exact if isinstance(problem.minimize, str) else (exact,))

    def bound(lower: Number) -> Cost:
        return reported(max(_finite(lower) - branching.rounding(), 0))

    def seen(cost: Number | None, lower: Number, seconds: float) -> Progress:
        return Progress(None if cost is None else reported(cost), bound(lower), seconds)

    def callback(*known: Any) -> object:
        return on_progress is not None and on_progress(seen(*known))

    most = problem.max_error_weight
    priced = bool(problem.feature_constraints.prices)  # then `Branching` limits the errors alone
    upper = inf if most is None or priced else (most + 1) * prepared.unit
    watch = Watch(options.time_limit, options.stop_at_gap, callback, upper)
    branching = _search(prepared, watch, options, switches)
    stopped_by, counted = _run(branching, start)
    moments = [seen(*moment) for moment in watch.moments]
    stats: dict[str, Any] = {**counted, "progress": moments}
    rounded = problem.exact_errors and branching.rounding() > 0
    if rounded or not problem.exact_errors:
        in_user_unit = prepared.unit * problem.dataset.weight_scale
        stats["rounding"] = float(Fraction(branching.rounding()) / in_user_unit)
    found = branching.best()
    lower_bound = bound(watch.lower)
    proved = watch.lower >= watch.upper
    stopped_by = _unless_proved(stopped_by, proved)
    if found is None:
        if stopped_by is None:
            return replace(infeasible(problem), stats=stats)
        return Outcome(Status.STOPPED, None, lower_bound, None, stats, stopped_by)
    tree = encoded.lift_tree(prepared.fitted_tree(found))
    cost = cost_of_found(problem, tree)
    lower_bound = min(lower_bound, cost, key=as_tuple)
    if proved and rounded and lower_bound != cost:
        stopped_by = stopped_by or ROUNDED
    elif proved:
        return Outcome(Status.OPTIMAL, cost, cost, tree, stats, stopped_by)
    return Outcome(Status.FEASIBLE, cost, lower_bound, tree, stats, stopped_by)


def _unless_proved(stopped_by: str | None, proved: bool) -> str | None:
    """Return the reason of a stop, None if the proof is complete; interrupts are always reported.

    The bound of a native search that is stopped may complete the proof, also of infeasibility.
    """
    return None if proved and stopped_by != "interrupt" else stopped_by


def _finite(lower: Number) -> Number:
    """Return a finite lower bound, also if no tree is feasible."""
    return 0 if lower == inf else lower


def _of_a_stage(
    problem: Problem,
    encoded: EncodedProblem,
    caps: Caps,
    options: SearchOptions,
    switches: dict[str, bool],
    start: CostedTree | None,
) -> SearchResult[CostedTree]:
    """Minimize errors within caps, for a lexicographic stage."""
    limits = replace(problem.limits, max_depth=caps.depth, max_size=caps.size, max_total_size=None)
    prepared = _prepared(problem.within(limits), encoded, options)
    callback = options.callback

    def report(cost: Number | None, lower: Number, seconds: float) -> object:
        return callback is not None and callback(_whole(cost), _whole(lower) or 0, seconds)

    upper = inf if caps.errors is None else caps.errors + 1
    watch = Watch(options.time_limit, options.stop_at_gap, report, upper)
    branching = _search(prepared, watch, options, switches)
    stopped_by, stats = _run(branching, start)
    stats["progress"] = [(_whole(c), _whole(low) or 0, s) for c, low, s in watch.moments]
    tree = branching.best()
    proved = watch.lower >= watch.upper
    stopped_by = _unless_proved(stopped_by, proved)
    if tree is None:
        status = "stopped" if stopped_by else "infeasible"
    else:
        status = "optimal" if proved else "feasible"
    return SearchResult(
        status=status,
        cost=None if tree is None else _whole(tree.cost),
        lower_bound=_whole(watch.lower) or 0,
        nodes=tree,
        stopped_by=stopped_by,
        stats=stats,
    )


def _whole(cost: Number | None) -> int | None:
    """Return a cost or a lower bound, rounded up to a whole number."""
    return None if cost is None or cost == inf else ceil(cost)
