"""The specifications: methods in readable form, tested against the definition."""

from exactree.problem import Outcome, Problem
from exactree.spec.methods import METHODS

__all__ = ["min_cost"]


def min_cost(problem: Problem) -> Outcome:
    """Return a tree or an ensemble of minimum cost by the definition.

    Parameters
    ----------
    problem : Problem
        A problem with a small table.

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
