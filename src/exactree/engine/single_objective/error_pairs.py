"""The Pareto front of false positives and false negatives, or its best pair by a rate.

Pairs are ordered by false positives. The ends of the front have no false positives or no false
negatives. Two pairs of the front bound an interval: every further pair between them has fewer false
negatives than the first, and fewer false positives than the second. A search for minimum errors,
with prices at which both pairs cost the same, either finds a cheaper pair, which divides the
interval, or proves that there is none. In the second case all remaining pairs lie in a triangle
whose corners are the two pairs, and the pair of the second's false positives and the first's false
negatives. They are listed natively (`crates/search/src/enumeration/error_pairs.rs`) with the bounds
of the same search.

A caller that needs a single pair provides a lower bound for each interval. Intervals that hold
nothing better are pruned, and the most promising interval is searched first.
"""

from collections.abc import Callable
from fractions import Fraction
from heapq import heappop, heappush
from math import gcd

from exactree.engine.native import pairs_between
from exactree.engine.native.request import SearchOptions
from exactree.engine.oblique.memory import columns_within
from exactree.engine.single_objective.rate_search import ErrorPair, RateRun
from exactree.problem import Progress, Status
from exactree.problem.confusion import keeps_rates
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.limits import Limits
from exactree.trees import Tree

__all__ = ["minimum_rate", "nondominated_pairs"]

# Maps a pair to a lower bound on the objective of all pairs that it dominates; None if none of
# these pairs meets the limits.
IntervalBound = Callable[[ErrorPair], Fraction | None]


def nondominated_pairs(run: RateRun, limits: Limits) -> dict[ErrorPair, Tree]:
    """Return the front by increasing false positives; all of it unless the run was stopped.

    Parameters
    ----------
    run : RateRun
        The state of the search, with the problem to solve.
    limits : Limits
        Limits of the trees.
    """
    found: dict[ErrorPair, Tree] = {}
    _search_intervals(run, limits, found, lambda pair: Fraction(0), lambda: None)
    return dict(sorted(found.items()))


def minimum_rate(run: RateRun, limits: Limits) -> Fraction | None:
    """Search for the minimum rate; return its lower bound, None if no tree meets the limits.

    Parameters
    ----------
    run : RateRun
        The state of the search; all trees found are offered to it.
    limits : Limits
        Limits of the trees; limits on rates are those of the problem.
    """
    problem, minimized = run.problem, run.problem.rate
    assert minimized is not None
    found: dict[ErrorPair, Tree] = {}

    def bound_of(pair: ErrorPair) -> Fraction | None:
        return minimized.rate(*pair) if keeps_rates(problem, *pair) else None

    def best_rate() -> Fraction | None:
        return min((rate for pair in found if (rate := bound_of(pair)) is not None), default=None)

    bound_of_open = _search_intervals(run, limits, found, bound_of, best_rate)
    rates = [rate for rate in (bound_of_open, best_rate()) if rate is not None]
    return min(rates, default=None)


def _search_intervals(
    run: RateRun,
    limits: Limits,
    found: dict[ErrorPair, Tree],
    bound_of: IntervalBound,
    best_rate: Callable[[], Fraction | None],
) -> Fraction | None:
    """Add pairs to `found` until no interval is promising.

    Returns the lower bound of the intervals that are still open if the run was stopped, else None.
    """
    intervals: list[tuple[Fraction, ErrorPair, ErrorPair]] = []

    def add_interval(first: ErrorPair, last: ErrorPair) -> None:
        # Every pair strictly between the two has at least this many errors of each kind.
        fewest = (first[0] + 1, last[1] + 1)
        is_empty = fewest[0] >= last[0] or fewest[1] >= first[1]
        bound = None if is_empty else bound_of(fewest)
        if bound is not None:
            heappush(intervals, (bound, first, last))

    ends = _ends(run, limits, found)
    if ends is None:
        return Fraction(0)
    add_interval(*ends)
    while intervals:
        bound, first, last = heappop(intervals)
        best = best_rate()
        if best is not None and bound >= best:
            return None  # the other intervals are not better
        if run.report(bound) or not _divide(run, limits, found, (first, last), add_interval):
            return bound
    return None


def _ends(
    run: RateRun, limits: Limits, found: dict[ErrorPair, Tree]
) -> tuple[ErrorPair, ErrorPair] | None:
    """Return the pairs without false positives and without false negatives, None if stopped."""
    # At this price a single error of one kind costs more than all errors of the other kind.
    prohibitive = Fraction(run.problem.dataset.total_weight + 1)
    ends = []
    for prices in ((prohibitive, Fraction(1)), (Fraction(1), prohibitive)):
        pair, _, proved = _cheapest(run, limits, prices, found)
        if pair is None or not proved:
            return None
        ends.append(pair)
    return ends[0], ends[1]


def _divide(
    run: RateRun,
    limits: Limits,
    found: dict[ErrorPair, Tree],
    ends: tuple[ErrorPair, ErrorPair],
    add_interval: Callable[[ErrorPair, ErrorPair], None],
) -> bool:
    """Divide an interval at a pair cheaper than its ends, or list the pairs in it.

    Returns False if the run was stopped.
    """
    first, last = ends
    prices = (first[1] - last[1], last[0] - first[0])
    divisor = gcd(*prices)
    prices = (prices[0] // divisor, prices[1] // divisor)

    def cost(pair: ErrorPair) -> int:
        return prices[0] * pair[0] + prices[1] * pair[1]

    pair, tree, proved = _cheapest(run, limits, (Fraction(prices[0]), Fraction(prices[1])), found)
    if pair is not None and tree is not None and cost(pair) < cost(first):
        add_interval(first, pair)
        add_interval(pair, last)
        return proved
    if not proved:
        return False
    memory_limit = run.options["memory_limit"]
    encoded = columns_within(run.problem.within(limits), memory_limit)

    def callback(_cost: int | None, _bound: int, seconds: float) -> bool:
        return run.report(Fraction(0), seconds)

    options = SearchOptions(run.seconds_left, memory_limit, 0.0, callback, {})
    result = pairs_between(encoded.problem, prices, ends, options)
    run.add_stats(result.stats, result.stopped_by)
    for false_positives, false_negatives, nodes, classes in result.pairs:
        listed = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes, classes))
        run.offer(listed)
        if result.stopped_by is None:  # otherwise another tree may dominate it
            found[false_positives, false_negatives] = listed
    return result.stopped_by is None


def _cheapest(
    run: RateRun, limits: Limits, prices: tuple[Fraction, Fraction], found: dict[ErrorPair, Tree]
) -> tuple[ErrorPair | None, Tree | None, bool]:
    """Return the cheapest pair found, its tree, and whether it is proved cheapest."""

    def callback(progress: Progress) -> bool:
        return run.report(Fraction(0), progress.seconds)

    outcome = run.minimum_weighted_errors(prices, limits, callback)
    proved = outcome.status is Status.OPTIMAL
    if outcome.tree is None:
        return None, None, False
    pair = run.offer(outcome.tree)
    if proved:
        found[pair] = outcome.tree
    return pair, outcome.tree, proved
