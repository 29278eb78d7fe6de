"""What an outcome claims where exact weights take more than 62 bits, against the definition."""

from exactree import Outcome, Problem, Status
from exactree.problem.outcome import ROUNDED
from exactree.problem.quantities import as_tuple

__all__ = ["check_rounded"]


def check_rounded(problem: Problem, found: Outcome, least: Outcome) -> None:
    """Check that the lower bound is valid and the cost is near the optimum as stated.

    Costs are fractions here, and are compared without any tolerance.
    """
    assert (found.status, found.stopped_by) == (Status.FEASIBLE, ROUNDED)
    bound, best, cost = (as_tuple(of) for of in (found.lower_bound, least.cost, found.cost))
    assert bound <= best <= cost, (problem, found, least)
    errors = problem.quantities.index(problem.error_term)
    assert cost[:errors] == best[:errors], (problem, found, least)
    assert cost[errors] - best[errors] <= found.stats["rounding"], (problem, found, least)
    total = sum(problem.dataset.weights.tolist()) / problem.dataset.weight_scale
    assert 0 < found.stats["rounding"] < 1e-12 * max(total, 1), (problem, found)
