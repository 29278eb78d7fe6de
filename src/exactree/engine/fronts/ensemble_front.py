"""The front of ensembles natively: sizes or depths against errors, and sizes against each other.

Of all ensembles within a number of errors one of least size, or depth, is found. One unit fewer
errors than it makes is requested next. Where that takes a greater size, the ensemble is of the
front: none as small makes fewer errors, and none with as few errors is smaller. Where it does not,
there is a better one of the same size.
"""

from dataclasses import replace
from fractions import Fraction
from functools import partial

from exactree.engine.fronts.parallel import ParallelSolver
from exactree.engine.fronts.tree_front import front
from exactree.engine.single_objective.ensembles import accepts_ensemble, run_ensemble
from exactree.objectives.errors import plain
from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import Cost, Number, as_tuple
from exactree.problem.verification.recount import cost_of_found, errors_of_found

__all__ = ["accepts_ensemble_front", "ensemble_front"]


def accepts_ensemble_front(problem: Problem) -> str | None:
    """Return None for a problem whose front is found natively, else in one clause why not.

    Parameters
    ----------
    problem : Problem
        Of two or more trees; its `minimize` is the tuple of quantities.
    """
    if problem.leaf_penalty:
        return "its native front takes no leaf_penalty"
    sizes = tuple(name for name in problem.quantities if name != "errors")
    if len(problem.quantities) != 2 or (
        len(sizes) == 2 and not {"total_size", "largest_size"}.issuperset(sizes)
    ):
        return (
            "its native front is of 'errors' and another quantity, or of 'total_size' and "
            "'largest_size'"
        )
    return accepts_ensemble("witness", problem.minimizing(sizes))


def ensemble_front(problem: Problem, time_limit: float | None) -> list[Outcome]:
    """Return one outcome per cost that no other one beats or equals in every quantity.

    Parameters
    ----------
    problem : Problem
        The problem to solve; `accepts_ensemble_front` must take it.
    time_limit : float or None
        Seconds for all searches together.

    Returns
    -------
    list of Outcome
        By increasing first quantity; when a search is stopped, its outcome is the last.
    """
    least = ParallelSolver(partial(run_ensemble, "witness"), time_limit)
    if "errors" not in problem.quantities:
        return front(problem, ParallelSolver(partial(run_ensemble, "witness"), time_limit))
    found, stopped = _against_errors(problem, least)
    if problem.quantities[0] == "errors":
        found.reverse()
    return found if stopped is None else [*found, stopped]


def _against_errors(
    problem: Problem, least: ParallelSolver
) -> tuple[list[Outcome], Outcome | None]:
    """Return the front by increasing size, and the outcome that was stopped, if one was."""
    (size,) = (name for name in problem.quantities if name != "errors")
    restricted = problem.minimizing((size,))
    found: list[Outcome] = []
    best: Outcome | None = None
    while True:
        (outcome,) = least([restricted])
        if outcome.stopped_by is not None or outcome.status is Status.STOPPED:
            return found, _stopped(problem, best, outcome)
        if best is not None and (outcome.cost is None or outcome.cost != best.cost):
            found.append(_proved(problem, best))
        if outcome.ensemble is None:
            return found, None
        best, errors = outcome, errors_of_found(problem, outcome.ensemble)
        if errors == 0:
            return [*found, _proved(problem, best)], None
        fewer = plain(Fraction(errors - 1, problem.dataset.weight_scale))
        restricted = restricted.within(replace(restricted.limits, max_errors=fewer))


def _proved(problem: Problem, outcome: Outcome) -> Outcome:
    """Return a member of the front."""
    assert outcome.ensemble is not None
    cost = cost_of_found(problem, outcome.ensemble)
    return replace(outcome, cost=cost, lower_bound=cost)


def _stopped(problem: Problem, best: Outcome | None, outcome: Outcome) -> Outcome:
    """Return what a search that was stopped leaves: what was found, and the least size there is.

    The last ensemble that was found, if there is one, has the least size of those still looked
    for; of its size there may be one with fewer errors.
    """
    known = best if best is not None else outcome
    size = as_tuple(known.lower_bound)[0]
    lower_bound: tuple[Number, ...] = tuple(
        0 if name == "errors" else size for name in problem.quantities
    )
    cost: Cost | None = None
    if known.ensemble is not None:
        cost = cost_of_found(problem, known.ensemble)
    status = Status.STOPPED if cost is None else Status.FEASIBLE
    return replace(
        known, status=status, cost=cost, lower_bound=lower_bound, stopped_by=outcome.stopped_by
    )
