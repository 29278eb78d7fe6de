"""The best tree by a rate of errors of two classes.

A rate is a quotient N / D of sums over leaves, and is minimized by searches for minimum weighted
errors (Dinkelbach, 1967). With P the weight of the positives, the F1 error of a tree is (FP + FN) /
(2P + FP - FN). It is less than q if and only if (1 - q) FP + (1 + q) FN < 2 q P. The left side is
the errors with other weights, which the engine minimizes. Starting with the q of some tree, each
search either finds a better tree or proves the current tree optimal. There are finitely many q, and
in practice few are tried. The argument holds for any set of trees, so also for those that satisfy
constraints. As D is at least P for the F1 error, a lower bound on these errors gives a lower bound
on every F1 error.

Without constraints, precision, recall, and F1 with a limit on precision or recall are optimized
along the Pareto front of false positives and false negatives (`error_pairs.py`). With a leaf
penalty the minimum rate is found for each number of leaves, from one leaf on, until leaves alone
cost too much (`engine/lexicographic/by_leaves.py`). Sizes and depths before or after a rate are
handled in `engine/lexicographic/bisection.py`.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import partial
from typing import Any

from exactree.engine.lexicographic.branch_and_bound import ENGINE
from exactree.engine.lexicographic.by_leaves import minimum_by_leaves
from exactree.engine.lexicographic.one_quantity import Searches
from exactree.engine.native.constrained import IN_THIS_PROCESS, ConstrainedSearches
from exactree.engine.native.switches import checked_switches
from exactree.engine.single_objective.error_pairs import minimum_rate, nondominated_pairs
from exactree.engine.single_objective.rate_search import LEAF, ErrorPair, RateRun
from exactree.errors import MethodRefused
from exactree.objectives import F1Error
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.confusion import confusion_of, keeps_rates
from exactree.problem.display.infeasibility import infeasible
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.limits import Limits
from exactree.problem.quantities import Cost, as_tuple
from exactree.trees import Tree, grow
from exactree.trees.arrays import ArrayNode

__all__ = [
    "PairsFound",
    "front_of_pairs",
    "rate_tree",
    "reason_to_refuse_pairs",
    "reason_to_refuse_rate",
]

# Along the Pareto front a search weights false positives and false negatives by differences between
# two error pairs, or by the total weight + 1. Multiplied by errors, these must fit into 62 bits.
_GREATEST_TOTAL = 2**30


# The pairs with their trees, by increasing false positives; each is proved nondominated. If the
# front is incomplete: the reason why the search stopped, and a tree that no proved pair dominates,
# if there is such a tree.
PairsFound = tuple[list[tuple[ErrorPair, Tree]], tuple[str, Tree | None] | None]


def reason_to_refuse_pairs(problem: Problem) -> str | None:
    """Return None if a native search finds the front of both kinds of errors, else the reason.

    Parameters
    ----------
    problem : Problem
        The problem to solve, about two classes.
    """
    if problem.dataset.total_weight >= _GREATEST_TOTAL:
        return "its front of errors of two classes takes weights of less than 2**30 units in all"
    return None


def reason_to_refuse_rate(problem: Problem) -> str | None:
    """Return None if the searches for rates accept a problem, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if problem.n_trees > 1:
        return "its searches for rates are for one tree"
    if len(problem.quantities) > 1:
        return "its searches for rates minimize one quantity"
    if _by_ratios(problem):
        return None
    if problem.constrained:
        return (
            "its searches for rates under constraints take neither min_precision nor min_recall: "
            "the front of both kinds of errors joins those of two children, whatever features and "
            "leaves their trees have"
        )
    return reason_to_refuse_pairs(problem)


def _by_ratios(problem: Problem) -> bool:
    """Return whether a rate is minimized without the front of both kinds of errors."""
    limits = problem.limits
    limited = limits.min_precision is not None or limits.min_recall is not None
    return not limited and (problem.constrained or isinstance(problem.rate, F1Error))


def rate_tree(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Callable[[Progress], object] | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
    searches: Searches[list[ArrayNode]] = ENGINE,
    constrained_searches: ConstrainedSearches = IN_THIS_PROCESS,
) -> Outcome:
    """Return the best tree by a rate.

    Parameters
    ----------
    problem : Problem
        The problem to solve, which minimizes a rate.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress, switches, incumbent, searches
        As in `branch_and_bound`.
    constrained_searches : ConstrainedSearches
        The native searches to run under constraints; `switches` are theirs then.

    Returns
    -------
    Outcome
        The outcome of the search.

    Raises
    ------
    MethodRefused
        If this search does not accept the problem (see `reason_to_refuse_rate`).
    """
    why = reason_to_refuse_rate(problem)
    if why is not None:
        raise MethodRefused(f"The engine does not accept this problem: {why}.")
    if problem.infeasible_reason is not None:
        return infeasible(problem)
    options: dict[str, Any] = {"memory_limit": memory_limit, "n_jobs": n_jobs}
    if problem.constrained:
        chosen = checked_switches(switches, "constrained-errors")
        options |= {"searches": constrained_searches, "incumbent": incumbent, "switches": chosen}
    else:
        options |= {"searches": searches, "switches": checked_switches(switches)}
    run = RateRun(problem, options, time_limit, stop_at_gap, on_progress)
    if incumbent is not None and incumbent.exact and not problem.constrained:
        run.offer(incumbent.tree)
    run.offer_leaves()
    if run.cost == 0:
        bound: Fraction | None = Fraction(0)
    else:
        minimum = partial(_minimum_rate, run)
        bound = minimum_by_leaves(run, minimum) if problem.leaf_penalty else minimum(problem.limits)
    return run.outcome(bound)


def _minimum_rate(run: RateRun, limits: Limits) -> Fraction | None:
    """Return a lower bound on the minimum rate within limits; None if no tree meets them.

    The bound is the minimum itself if the search is complete and exact.
    """
    search = _minimum_ratio if _by_ratios(run.problem) else minimum_rate
    return search(run, limits)


def _minimum_ratio(run: RateRun, limits: Limits) -> Fraction | None:
    """Search for the minimum rate within limits; return its lower bound, None without a tree."""
    problem, rate = run.problem, run.problem.rate
    assert rate is not None
    # A tree whose leaves all predict positive has the rate of such a leaf, which is below 1. So the
    # prices of all searches are positive, and some tree has this rate if there is any.
    best = rate.rate(*confusion_of(problem, grow(problem.dataset, [LEAF], [problem.positive])))
    if run.tree is not None:  # a leaf, an incumbent, or from a search with fewer leaves
        best = min(best, rate.rate(*run.offer(run.tree)))
    bound = Fraction(0)
    while best > 0 or run.tree is None:
        ratio, last_bound = best, bound

        def callback(
            progress: Progress, ratio: Fraction = ratio, last_bound: Fraction = last_bound
        ) -> bool:
            new_bound = _bound_on_rate(problem, ratio, progress.lower_bound)
            return run.report(max(last_bound, new_bound), progress.seconds)

        outcome = run.minimum_weighted_errors(rate.prices(ratio), limits, callback)
        if outcome.status is Status.INFEASIBLE:
            return None
        bound = max(bound, _bound_on_rate(problem, ratio, outcome.lower_bound))
        if outcome.tree is not None:
            if run.tree is None:
                run.offer_all_positive(outcome.tree)
            best = min(best, rate.rate(*run.offer(outcome.tree)))
        if outcome.status is not Status.OPTIMAL:
            return min(bound, best)
        if best == ratio:
            # With rounded weights a tree that is better by less than the rounding is not excluded.
            return min(bound, ratio) if run.rounded else ratio
        if run.report(bound):
            return bound
    return Fraction(0)


def _bound_on_rate(problem: Problem, ratio: Fraction, lower_bound: Cost) -> Fraction:
    """Return the lower bound on every rate from a bound on errors weighted by a ratio."""
    rate = problem.rate
    assert rate is not None
    (errors,) = as_tuple(lower_bound)
    above = Fraction(errors) * problem.dataset.weight_scale - rate.threshold(ratio)
    # Rates above the ratio may exceed it by less than this, because the denominator may be larger.
    return max(ratio + min(above, Fraction(0)) / rate.least_denominator, Fraction(0))


def front_of_pairs(
    problem: Problem,
    *,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    on_progress: Listener | None = None,
    incumbent: Incumbent | None = None,
    searches: Searches[list[ArrayNode]] = ENGINE,
) -> PairsFound:
    """Return the Pareto front of false positives and false negatives.

    Parameters
    ----------
    problem : Problem
        The problem to solve, which minimizes a rate and has no leaf penalty.
    time_limit, memory_limit, n_jobs, on_progress, incumbent, searches
        As in `rate_tree`.

    Returns
    -------
    PairsFound
        The front.
    """
    options = {"memory_limit": memory_limit, "n_jobs": n_jobs, "searches": searches}
    run = RateRun(problem, options, time_limit, listener=on_progress)
    if incumbent is not None and incumbent.exact:
        run.offer(incumbent.tree)
    run.offer_leaves()
    found = nondominated_pairs(run, problem.limits)
    kept = [(pair, tree) for pair, tree in found.items() if keeps_rates(problem, *pair)]
    if run.stopped_by is None:
        return kept, None
    tree = run.tree
    if tree is not None:
        wrong = confusion_of(problem, tree)
        if any(pair[0] <= wrong[0] and pair[1] <= wrong[1] for pair in found):
            tree = None
    return kept, (run.stopped_by, tree)
