"""The best tree with a price of leaves: a search without the price for every number of leaves.

Let m(L) be the minimum of a quantity, without prices, over all trees with at most L leaves within
the limits. A tree of minimum cost with L leaves has the value m(L): a tree with a smaller value and
at most L leaves would cost less. So the minimum cost is the minimum of m(L) + price * L over all L,
and limits on the trees are limits of the searches for m(L). A number of leaves needs no search if
their price plus a lower bound on all values is at least the cost of the incumbent.

Rates are minimized in this way, and errors with a limit: the price cannot be added to the cost that
a search minimizes, because the limit holds for the errors alone.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil

from exactree.engine.lexicographic.run import SearchRun, search_options
from exactree.problem import Listener, Outcome, Problem, Progress, Status
from exactree.problem.encoding.incumbent import Incumbent
from exactree.problem.limits import Limits
from exactree.problem.quantities import Cost, as_tuple

__all__ = ["errors_within_limit", "minimum_by_leaves", "needs_leaves_one_by_one"]


def needs_leaves_one_by_one(problem: Problem) -> bool:
    """Return whether a price of leaves cannot be added to errors, because these are limited.

    Parameters
    ----------
    problem : Problem
        A problem of plain errors.
    """
    return problem.leaf_penalty > 0 and problem.max_errors is not None


def minimum_by_leaves(
    run: SearchRun, minimum: Callable[[Limits], Fraction | None], floor: Fraction = Fraction(0)
) -> Fraction | None:
    """Search for the minimum cost with one leaf, at most two leaves, and so on.

    Parameters
    ----------
    run : SearchRun
        The problem to solve, and the incumbent.
    minimum : callable
        Offers the best tree without prices within limits to the run, if it may be better than the
        incumbent; returns a lower bound on the value of all such trees, None if there is none.
    floor : Fraction
        A lower bound on the values of all trees.

    Returns
    -------
    Fraction or None
        A lower bound on the cost; None if no tree meets the limits.
    """
    problem = run.problem
    price_of_leaf = problem.exact_leaf_price / problem.dataset.weight_scale
    best_finished: Fraction | None = None
    for leaves in range(1, problem.max_leaves + 1):
        price = price_of_leaf * leaves
        if run.cost is not None and price + floor >= run.cost:
            return run.cost if best_finished is None else min(best_finished, run.cost)

        def cost_bound_of(
            value: Fraction, price: Fraction = price, best_finished: Fraction | None = best_finished
        ) -> Fraction:
            """Return a lower bound on every cost, given one on the values of the current search.

            Trees with more leaves than the current search allows pay for at least one leaf more.
            """
            rest = min(max(value, floor) + price, floor + price + price_of_leaf)
            return rest if best_finished is None else min(rest, best_finished)

        run.cost_bound = cost_bound_of
        value_bound = minimum(replace(problem.limits, max_size=leaves - 1))
        if value_bound is not None:
            cost = value_bound + price
            best_finished = cost if best_finished is None else min(best_finished, cost)
        if run.stopped_by is not None:
            return cost_bound_of(floor if value_bound is None else value_bound)
    return best_finished


def errors_within_limit(
    problem: Problem,
    *,
    solve: Callable[..., Outcome],
    time_limit: float | None = None,
    memory_limit: int | None = None,
    n_jobs: int = 1,
    stop_at_gap: float = 0.0,
    on_progress: Listener | None = None,
    switches: Mapping[str, bool] | None = None,
    incumbent: Incumbent | None = None,
) -> Outcome:
    """Return the tree of minimum errors with a price of leaves, within a limit on the errors.

    Parameters
    ----------
    problem : Problem
        The problem to solve, with one quantity.
    solve : callable
        Solves the same problem without a price of leaves.
    time_limit, memory_limit, n_jobs, stop_at_gap, on_progress, switches, incumbent
        As in `branch_and_bound`.

    Returns
    -------
    Outcome
        The outcome of the search.
    """
    options = search_options(memory_limit, n_jobs, switches)
    run = SearchRun(problem, options, time_limit, stop_at_gap, on_progress)
    if incumbent is not None and incumbent.exact:
        run.take(incumbent.tree)
    unit = Fraction(1, problem.dataset.weight_scale)
    without_price = problem.with_leaf_penalty(Fraction(0))
    price = problem.exact_leaf_price * unit
    assert problem.max_errors is not None
    limit = Fraction(problem.max_errors)

    def search(limits: Limits) -> Fraction | None:
        """Search for minimum errors within limits; return their lower bound."""

        def callback(progress: Progress) -> bool:
            return run.report(_first(progress.lower_bound), progress.seconds)

        restricted, seconds = without_price.within(limits), run.seconds_left
        outcome = solve(restricted, on_progress=callback, time_limit=seconds, **run.options)
        run.add_stats(outcome.stats, outcome.stopped_by)
        if outcome.tree is not None:
            run.take(outcome.tree)
        return None if outcome.status is Status.INFEASIBLE else _first(outcome.lower_bound)

    def minimum(limits: Limits) -> Fraction | None:
        """Search within a number of leaves for errors at which a tree beats the incumbent."""
        assert limits.max_size is not None
        max_errors = limit
        if run.cost is not None:
            # Errors are whole numbers of units.
            too_many = run.cost - price * (limits.max_size + 1)
            max_errors = min(limit, (ceil(too_many / unit) - 1) * unit)
        return None if max_errors < 0 else search(replace(limits, max_errors=max_errors))

    run.cost_bound = lambda errors: errors + price
    # The first search allows any number of leaves: it proves a lower bound on the errors, or that
    # no tree meets the limit.
    floor = search(replace(problem.limits, max_errors=limit))
    if floor is None or run.stopped_by is not None:
        return run.outcome(None if floor is None else floor + price)
    bound = minimum_by_leaves(run, minimum, floor)
    return run.outcome(run.cost if bound is None else bound)


def _first(cost: Cost) -> Fraction:
    return Fraction(as_tuple(cost)[0])
