"""Several quantities in lexicographic order: a native search for each stage.

`stages.py` searches stage by stage where a native search supports the limits that earlier stages
set. `outer_loop` returns the loop of searches for other problems.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from exactree.engine.lexicographic.bisection import lexicographic_tree
from exactree.engine.lexicographic.by_leaves import errors_within_limit, needs_leaves_one_by_one
from exactree.problem import Outcome, Problem

__all__ = ["OuterLoop", "outer_loop"]


class OuterLoop(NamedTuple):
    """A loop of searches.

    Attributes
    ----------
    inner : Problem
        The problem that the loop solves repeatedly, within various limits.
    run : callable
        The loop; takes the problem, `solve` for the inner problems, and options of a search.
    """

    inner: Problem
    run: Callable[..., Outcome]


def outer_loop(problem: Problem) -> OuterLoop | None:
    """Return the loop for a problem of one tree that no single search accepts; None if none does.

    Without a search for several quantities, the errors alone are minimized within limits on the
    other quantities. Without a search for a price of leaves and a limit on the errors, the errors
    are minimized without the price for every number of leaves.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    if problem.quantities != (problem.error_term,):
        return OuterLoop(problem.with_errors_alone(), lexicographic_tree)
    if needs_leaves_one_by_one(problem):
        return OuterLoop(problem.with_leaf_penalty(Fraction(0)), errors_within_limit)
    return None
