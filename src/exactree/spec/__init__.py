"""The specifications: methods in readable form, each tested against the one above it."""

from exactree.problem import Outcome, Problem
from exactree.spec.methods import METHODS

__all__ = ["least_cost"]


def least_cost(problem: Problem) -> Outcome:
    """Return a tree or an ensemble of least cost by the definition.

    Parameters
    ----------
    problem : Problem
        With a small table.

    Returns
    -------
    Outcome
        `OPTIMAL`, or `INFEASIBLE` with the reason.

    Raises
    ------
    MethodRefused
        If the table is too large to enumerate all trees.
    """
    return METHODS["branch-and-bound"].spec(problem)
