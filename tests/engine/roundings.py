"""Check of outcomes whose exact weights need more than 62 bits and so are rounded."""

from exactree import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple

__all__ = ["check_rounded"]


def check_rounded(problem: Problem, outcome: Outcome, optimal: Outcome) -> None:
    """Check that the lower bound is valid, and that the cost is optimal up to the stated rounding.

    Costs are fractions here, and are compared without any tolerance.
    """
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, ROUNDED)
    bound, optimum, cost = map(as_tuple, (outcome.lower_bound, optimal.cost, outcome.cost))
    assert bound <= optimum <= cost, (problem, outcome, optimal)
    errors = problem.quantities.index(problem.error_term)
    assert cost[:errors] == optimum[:errors], (problem, outcome, optimal)
    rounding = outcome.stats["rounding"]
    assert cost[errors] - optimum[errors] <= rounding, (problem, outcome, optimal)
    total = sum(problem.dataset.weights.tolist()) / problem.dataset.weight_scale
    assert 0 < rounding < 1e-12 * max(total, 1), (problem, outcome)
