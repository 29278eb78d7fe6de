"""The best tree over rules of any kind: all dichotomies are listed, then searched natively.

The search uses dichotomies of examples only, whatever their rules are. A rule in floating point is
computed only for the dichotomies of the tree that was found. A dichotomy without a rule is removed,
and the search is repeated.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import shortened
from exactree.engine.lexicographic.branch_and_bound import reason_to_refuse
from exactree.engine.lexicographic.initial_tree import InitialTree, initial_tree
from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.lexicographic.stages import through_stages
from exactree.engine.native import proper_tree
from exactree.engine.native.border import DichotomyNode, SearchResult
from exactree.engine.native.request import Caps, SearchOptions
from exactree.engine.native.switches import checked_switches
from exactree.engine.oblique.anytime import Anytime
from exactree.engine.oblique.large_tables import improved_outcome
from exactree.engine.oblique.one_surface import OneSurfaceSearch
from exactree.engine.oblique.rule_list import (
    MAX_BYTES,
    SHORT_LIST_BYTES,
    AllRules,
    NoRule,
    all_rules,
    bytes_of,
)
from exactree.engine.oblique.surface_points import steps_of
from exactree.engine.oblique.threshold_trees import problem_of_thresholds
from exactree.engine.prepare import Timer, fallback_tree
from exactree.errors import MethodRefused
from exactree.problem import Listener, Outcome, Problem, Status
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.encoding.tree_encoder import NoSuchRule
from exactree.rules import Hypersurfaces, families_of
from exactree.stopping import Stopped
from exactree.trees import Tree

__all__ = ["can_list_dichotomies", "prefers_proper", "reason_to_refuse_proper", "run_proper"]

# A search over dichotomies within caps.
DichotomySearch = Callable[
    [Problem, NDArray[np.uint8], Caps, SearchOptions], SearchResult[list[DichotomyNode]]
]

# Listing more than this many bytes takes seconds: a tree and a lower bound are computed before.
_LONG_LIST_BYTES = 20_000_000
# The maximum number of steps of the search for one surface without and with a time limit: hours,
# and what a machine does not finish. With more steps than the last number, it takes seconds.
_MOST_STEPS, _MOST_STEPS_IN_TIME, _MANY_STEPS = 10**12, 10**14, 10**8
# Shares of the time limit after which the search for this bound ends, and the one for better trees.
_BOUND_SHARE, _IMPROVEMENT_SHARE = 0.4, 0.5


def reason_to_refuse_proper(problem: Problem) -> str | None:
    """Return None if the native form accepts a problem, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if problem.n_trees > 1:
        return "it takes one tree only"
    # The engine refuses limits on the leaves of a class, and this search accepts them.
    if problem.limits.max_leaves_of is not None:
        problem = problem.within(replace(problem.limits, max_leaves_of=None))
    return reason_to_refuse(problem)


def prefers_proper(problem: Problem) -> bool:
    """Return whether the method "proper" is the fastest known for a problem of one tree.

    It is the fastest method for trees of surfaces, unless the size is minimized without errors and
    the list of dichotomies is short: then the search for the fewest nodes is faster.

    Parameters
    ----------
    problem : Problem
        The problem to solve; `reason_to_refuse_proper` must return None for it.
    """
    if not has_surfaces(problem):
        return False
    pure = problem.quantities[0] == "size" and problem.max_error_weight == 0
    return not (pure and bytes_of(problem)[0] <= SHORT_LIST_BYTES)


def can_list_dichotomies(problem: Problem) -> bool:
    """Return whether the dichotomies of a problem are few enough to list.

    Parameters
    ----------
    problem : Problem
        The problem to solve; `reason_to_refuse_proper` must return None for it.
    """
    return bytes_of(problem)[0] <= MAX_BYTES


def run_proper(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
    search: DichotomySearch = proper_tree,
) -> Outcome:
    """Return the best tree for a problem by recursion on subsets, over all dichotomies.

    Parameters
    ----------
    problem : Problem
        The problem to solve; `reason_to_refuse_proper` must return None for it.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress
        As in `solve`. With a time limit no problem is too large: where the rules are too many to
        list, trees and lower bounds are improved for all of the time.
    switches : mapping of str to bool, optional
        Accelerators to turn off or on, by name (see `accelerators`).
    incumbent : Incumbent, optional
        A tree from which the search starts.
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
        If there are too many rules to list, and no time limit.
    """
    chosen = checked_switches(switches, "proper")
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    if problem.max_leaves == 1 and has_surfaces(problem):
        # A single leaf needs no surfaces.
        problem = problem_of_thresholds(problem)
    best = Anytime(problem, time_limit, stop_at_gap, on_progress)
    timer = best.timer
    options = SearchOptions(time_limit, memory_limit, stop_at_gap, None, chosen, threads=n_jobs)
    size, origin = bytes_of(problem)
    one_surface = _one_surface(problem, timer) if size > SHORT_LIST_BYTES else None
    if size > MAX_BYTES and time_limit is None and one_surface is None:
        raise MethodRefused(
            f"{origin}; all dichotomies of these take {shortened(size)} bytes, more than "
            f"{MAX_BYTES:,}. Take fewer examples, a lower degree, or fewer features, as in "
            "features=(0, 1); or give a time_limit, for a tree that is not proved best."
        )
    if size > SHORT_LIST_BYTES and has_surfaces(problem):
        if incumbent is not None and incumbent.exact:
            best.take(incumbent.tree)
        best.first_trees(_by_thresholds, memory_limit, n_jobs)
        if size > MAX_BYTES and one_surface is None:
            return best.run()
        if size > _LONG_LIST_BYTES and (one_surface is None or one_surface.is_long):
            best.raise_bound(timer.left_of_share(_BOUND_SHARE) + timer.seconds())
            best.improve(timer.left_of_share(_IMPROVEMENT_SHARE) + timer.seconds())
        if not best.running():
            return best.outcome(best.stopped_by)
        if incumbent is None and best.tree is not None:
            incumbent = Incumbent(best.tree)
    try:
        if one_surface is not None:
            outcome = _search_one(one_surface, options, timer, on_progress, best)
        else:
            rules = all_rules(problem, timer.check)
            outcome = _search(rules, options, timer, on_progress, search, incumbent)
    except Stopped as stopped:
        best.take(best.tree or fallback_tree(problem))
        return best.outcome(stopped.by)
    if outcome.stopped_by is None or outcome.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return outcome
    better = improved_outcome(problem, outcome, best.tree or fallback_tree(problem), best.bound)
    # Tuples have the gap of the first component that differs: a better tree may have a larger one.
    return outcome if outcome.stopped_by == "gap" and better.gap > outcome.gap else better


def _one_surface(problem: Problem, timer: Timer) -> OneSurfaceSearch | None:
    """Return the search for trees of one surface, if it takes the problem."""
    if problem.max_leaves != 2 or not has_surfaces(problem) or problem.limits.max_leaves_of:
        return None
    n, d = problem.dataset.X.shape
    families = [f for f in families_of(problem.rules) if isinstance(f, Hypersurfaces)]
    steps = sum(steps_of(family, n, d) for family in families)
    if steps > (_MOST_STEPS if timer.limit is None else _MOST_STEPS_IN_TIME):
        return None
    search = OneSurfaceSearch(problem, timer.check, steps > _MANY_STEPS)
    return search if search.is_accepted else None


def _search_one(
    search: OneSurfaceSearch,
    options: SearchOptions,
    timer: Timer,
    on_progress: Listener | None,
    best: Anytime,
) -> Outcome:
    """Search for the best tree of one surface."""
    remaining = replace(options, time_limit=timer.left())
    start = None
    if best.tree is not None:
        start = initial_tree(search.problem, best.tree, search.nodes_of(best.tree))
    outcome = through_stages(search.problem, remaining, on_progress, search.searches, start)
    added = {"seconds": timer.seconds(), "surfaces_left_out": search.left_out, **search.counts}
    return replace(outcome, stats={**outcome.stats, **added})


def _by_thresholds(problem: Problem, seconds: float | None) -> Outcome:
    """Solve a problem without surfaces that branch and bound refuses."""
    return run_proper(problem, time_limit=seconds)


def has_surfaces(problem: Problem) -> bool:
    """Return whether a problem has a family of surfaces, whose splits are not given.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    return any(isinstance(family, Hypersurfaces) for family in families_of(problem.rules))


def _search(
    rules: AllRules,
    options: SearchOptions,
    timer: Timer,
    on_progress: Listener | None,
    search: DichotomySearch,
    incumbent: Incumbent | None,
) -> Outcome:
    """Search, and remove the dichotomies for which no rule is found.

    Those of the incumbent have a rule. An incumbent in other dichotomies does not start the search.
    """
    removed = 0
    if incumbent is not None:
        rules = rules.with_rules_of(incumbent.tree, timer.check)
    while True:
        start = None if incumbent is None else _start(rules, incumbent.tree, timer)
        remaining = replace(options, time_limit=timer.left())
        try:
            searches = _searches(rules, search)
            outcome = through_stages(rules.problem, remaining, on_progress, searches, start)
        except NoRule as no_rule:
            removed += 1
            # A dichotomy that sends no row left is never used. The same dichotomy may have a rule
            # in another family, and stays there.
            bits = rules.bits.copy()
            bits[no_rule.dichotomy] = 0
            rules = replace(rules, bits=bits)
            continue
        added_stats: dict[str, Any] = {"seconds": timer.seconds()}
        if rules.of_surfaces:
            added_stats |= {
                "surfaces": outcome.stats.get("dichotomies", 0),
                "surfaces_left_out": removed,
            }
        return replace(outcome, stats={**outcome.stats, **added_stats})


def _start(rules: AllRules, tree: Tree, timer: Timer) -> InitialTree[list[DichotomyNode]] | None:
    """Return a tree in dichotomies, None if it has a split that is no dichotomy of the list."""
    try:
        nodes = rules.nodes_of(tree, timer.check)
    except NoSuchRule:
        return None
    return initial_tree(rules.problem, tree, nodes)


def _searches(rules: AllRules, search: DichotomySearch) -> Searches[list[DichotomyNode]]:
    """Return the searches over a list of dichotomies."""

    def errors(
        problem: Problem, caps: Caps, options: SearchOptions
    ) -> SearchResult[list[DichotomyNode]]:
        return search(problem, rules.bits, caps, options)

    return Searches(errors, None, lambda _, nodes: rules.grow(nodes))
