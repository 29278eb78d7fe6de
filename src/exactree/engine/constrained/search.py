"""The best tree under constraints: a problem in, an outcome out."""

from collections.abc import Mapping
from dataclasses import replace
from typing import assert_never

from exactree.engine.constrained.costs import (
    minimum_class_costs_outcome,
    minimum_deviation_outcome,
)
from exactree.engine.constrained.errors import errors_within_caps, minimum_errors_outcome
from exactree.engine.constrained.trees import RankedLeaf, RankedTree, RankedTrees
from exactree.engine.constrained.units import (
    ClassCostUnits,
    ErrorUnits,
    RegressionUnits,
    Units,
    units_of,
)
from exactree.engine.lexicographic.branch_and_bound import reason_to_refuse
from exactree.engine.lexicographic.by_leaves import needs_leaves_one_by_one
from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.lexicographic.stages import through_stages
from exactree.engine.native.border import SearchResult
from exactree.engine.native.constrained import IN_THIS_PROCESS, ConstrainedSearches
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.switches import checked_switches
from exactree.engine.oblique.memory import columns_within
from exactree.engine.prepare import encode_before_deadline, timer_of
from exactree.errors import MethodRefused
from exactree.problem import Listener, Outcome, Problem, Status
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.encoding.columns import EncodedProblem
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.encoding.tree_encoder import SourceTree, TreeEncoder
from exactree.trees import Tree
from exactree.trees.arrays import ArrayNode

__all__ = [
    "chooses_features",
    "constrained_tree",
    "is_native",
    "reason_to_refuse_constrained",
    "searched_as",
    "under_constraints",
]


def reason_to_refuse_constrained(problem: Problem) -> str | None:
    """Return in one clause why a problem under constraints is refused; None if it is accepted.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    units = _units_or_refusal(problem)
    return units if isinstance(units, str) else None


def _units_or_refusal(problem: Problem) -> Units | str:
    """Return the costs for the native search, or the reason to refuse the problem as a clause."""
    if problem.n_trees > 1:
        return "its search under constraints takes one tree only"
    several = len(problem.quantities) > 1
    priced = problem.leaf_penalty or problem.feature_constraints.prices
    if several and (priced or not problem.plain_errors):
        return "under constraints, several quantities need plain errors and no penalty"
    if needs_leaves_one_by_one(problem):
        return "its search under constraints does not take leaf_penalty and max_errors together"
    return units_of(problem)


def under_constraints(problem: Problem) -> bool:
    """Return whether the engine solves a problem by its search under constraints.

    Rates are minimized by a loop of such searches (`engine/single_objective/rates.py`). The search
    under constraints is also used for limits on the leaves of a class if errors are allowed. The
    bounds of the other searches need the law that fewer examples are never harder, which then
    fails: with fewer examples a leaf may predict a class whose leaves are limited.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if problem.rate is not None:
        return False
    if problem.constrained:
        return True
    leaves = problem.limits.max_leaves_of is not None
    return leaves and problem.n_trees == 1 and reason_to_refuse(problem) is not None


def chooses_features(problem: Problem) -> bool:
    """Return whether the search under constraints also branches over the features of a tree.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    constraints = problem.feature_constraints
    return constraints.max_features is not None or any(constraints.prices.values())


def is_native(problem: Problem) -> bool:
    """Return whether one native search solves a problem under constraints.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return len(problem.quantities) == 1


def searched_as(problem: Problem) -> str:
    """Return the name of the native search of a problem, by which its switches are listed.

    Parameters
    ----------
    problem : Problem
        A problem that is accepted.
    """
    return _name_of(_units_or_refusal(problem))


def _name_of(units: Units | str) -> str:
    return "constrained-errors" if isinstance(units, ErrorUnits) else "constrained-costs"


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
    searches: ConstrainedSearches = IN_THIS_PROCESS,
) -> Outcome:
    """Return the best tree that satisfies the constraints of a problem.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress
        As in `solve`.
    switches : mapping of str to bool, optional
        Accelerators to turn on or off, by name: those of the native search (see `searched_as`).
    incumbent : Incumbent, optional
        A tree from which the search starts, after collapsing nodes until it satisfies the
        constraints.
    searches : ConstrainedSearches
        The native searches to run.

    Returns
    -------
    Outcome
        The outcome, however the search ended.

    Raises
    ------
    ValueError
        If a switch does not exist, or no pruning of the incumbent satisfies the constraints.
    MethodRefused
        If this search does not accept the problem (see `reason_to_refuse_constrained`).
    """
    units = _units_or_refusal(problem)
    if isinstance(units, str):
        raise MethodRefused(f"The engine does not accept this problem: {units}.")
    chosen = checked_switches(switches, _name_of(units))
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
    trees = RankedTrees(encoded, timer.stopped)
    start = trees.feasible_pruning(RankedLeaf())
    nodes: list[ArrayNode] | None = None
    if incumbent is not None:
        start = _feasible_pruning(trees, incumbent.tree)
        nodes = trees.nodes(start)
    options = SearchOptions(timer.left(), memory_limit, stop_at_gap, None, chosen, n_jobs)
    outcome = _searched(trees, units, options, on_progress, nodes, searches)
    if start is None or outcome.stopped_by is None:
        return outcome
    # A search that stops while it prepares the table has no tree, and has not read the incumbent.
    return Incumbent(trees.fitted(start)).or_better(problem, outcome)


def _feasible_pruning(trees: RankedTrees, tree: Tree) -> RankedTree:
    """Return a tree pruned until it satisfies the constraints; ValueError if there is none."""
    encoder, X = TreeEncoder(trees.encoded), trees.encoded.original.dataset.X
    arrays = (tree.children_left, tree.children_right, tree.feature)
    encoded = encoder.within_limits(SourceTree(*arrays, tree.goes_left, X))
    found = trees.feasible_pruning(trees.of_nodes(encoder.nodes(encoded)))
    if found is None:
        raise ValueError("incumbent: no pruning of it satisfies all limits and constraints.")
    return found


def _searched(
    trees: RankedTrees,
    units: Units,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> Outcome:
    """Run the native search, or one for each of several quantities."""
    problem, run = trees.encoded.original, (options, on_progress, incumbent, searches)
    match units:
        case ClassCostUnits():
            return minimum_class_costs_outcome(trees, units, *run)
        case RegressionUnits():
            return minimum_deviation_outcome(trees, units, *run)
        case ErrorUnits():
            if problem.quantities == (problem.error_term,):
                return minimum_errors_outcome(trees, units, *run)
            return _through_stages(trees, units, *run)
        case _:
            assert_never(units)


def _through_stages(
    trees: RankedTrees,
    units: ErrorUnits,
    options: SearchOptions,
    on_progress: Listener | None,
    incumbent: list[ArrayNode] | None,
    searches: ConstrainedSearches,
) -> Outcome:
    """Minimize one quantity after the other; errors are plain and have no prices."""

    def errors(_: Problem, caps: Caps, options: SearchOptions) -> SearchResult[RankedTree]:
        return errors_within_caps(trees, units, caps, options, incumbent, searches)

    stages: Searches[RankedTree] = Searches(errors, None, lambda _, tree: trees.in_columns(tree))
    encoded = trees.encoded
    found = encoded.lift(through_stages(encoded.problem, options, on_progress, stages))
    if found.status is Status.INFEASIBLE:
        return replace(infeasible(encoded.original), stats=found.stats)
    return found
