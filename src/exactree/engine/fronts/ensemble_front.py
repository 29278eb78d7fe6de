"""Native searches of the front of ensembles: errors and a size or depth, or both sizes.

A search finds an ensemble of minimum size, or depth, within a number of errors. The next search
allows one unit of errors less than this ensemble makes. If the minimum size grows, the ensemble
belongs to the front: no ensemble of its size makes fewer errors, and no ensemble with as few errors
is smaller. If it does not grow, the next ensemble has the same size and fewer errors.
"""

from dataclasses import replace
from fractions import Fraction

from exactree.engine.fronts.parallel import ParallelSolver
from exactree.engine.fronts.tree_front import front
from exactree.engine.single_objective.ensembles import reason_to_refuse_ensemble
from exactree.objectives.errors import plain
from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import Cost, Number, as_tuple
from exactree.problem.verification.recount import cost_of_found, errors_of_found

__all__ = ["ensemble_front", "reason_to_refuse_ensemble_front"]


def reason_to_refuse_ensemble_front(problem: Problem) -> str | None:
    """Return None if the front of a problem is found natively, else the reason as a clause.

    Parameters
    ----------
    problem : Problem
        The problem, of two or more trees; its `minimize` is the tuple of quantities.
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
    return reason_to_refuse_ensemble("witness", problem.minimizing(sizes))


def ensemble_front(problem: Problem, solver: ParallelSolver) -> list[Outcome]:
    """Return one outcome for each non-dominated cost.

    Parameters
    ----------
    problem : Problem
        The problem to solve; `reason_to_refuse_ensemble_front` must return None for it.
    solver : ParallelSolver
        Solves problems of ensembles by the method "witness".

    Returns
    -------
    list of Outcome
        By increasing first quantity; when a search is stopped, its outcome is the last.
    """
    if "errors" not in problem.quantities:
        return front(problem, solver)
    found, stopped = _against_errors(problem, solver)
    if problem.quantities[0] == "errors":
        found.reverse()
    return found if stopped is None else [*found, stopped]


def _against_errors(
    problem: Problem, solver: ParallelSolver
) -> tuple[list[Outcome], Outcome | None]:
    """Return the front by increasing size, and the outcome of a search that was stopped, if any."""
    (size,) = (name for name in problem.quantities if name != "errors")
    restricted = problem.minimizing((size,))
    found: list[Outcome] = []
    best: Outcome | None = None
    while True:
        (outcome,) = solver([restricted])
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
    """Return an outcome as a member of the front, with all quantities as its proved cost."""
    assert outcome.ensemble is not None
    cost = cost_of_found(problem, outcome.ensemble)
    return replace(outcome, cost=cost, lower_bound=cost)


def _stopped(problem: Problem, best: Outcome | None, outcome: Outcome) -> Outcome:
    """Return the outcome of a search that was stopped: the last ensemble and a lower bound.

    The last ensemble that was found has the minimum size of all ensembles that are missing from the
    front, but there may be an ensemble of the same size with fewer errors.
    """
    latest = best if best is not None else outcome
    size = as_tuple(latest.lower_bound)[0]
    lower_bound: tuple[Number, ...] = tuple(
        0 if name == "errors" else size for name in problem.quantities
    )
    cost: Cost | None = None
    if latest.ensemble is not None:
        cost = cost_of_found(problem, latest.ensemble)
    status = Status.STOPPED if cost is None else Status.FEASIBLE
    return replace(
        latest, status=status, cost=cost, lower_bound=lower_bound, stopped_by=outcome.stopped_by
    )
