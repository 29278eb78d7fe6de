"""The front of errors against size or depth, by a sequence of searches with increasing limits.

A tree within a limit on size or depth is also within every larger limit. So each search starts from
the tree of the previous search as incumbent, and only has to find a better tree or prove that there
is none.

The front of errors against size also has the best trees for all prices of a leaf: a tree that is
dominated in errors and size is more expensive at every price.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactree.problem import Outcome, Problem, Status
from exactree.problem.parameters import positive_seconds
from exactree.problem.quantities import as_tuple
from exactree.stopping import Deadline, Interruptible

__all__ = ["LIMITED_QUANTITY_OF", "best_at", "front_along"]

# From each tuned parameter to the quantity that its front limits.
LIMITED_QUANTITY_OF = {"size": "size", "depth": "depth", "leaf_penalty": "size"}
_LIMIT_OF = {"size": "max_size", "depth": "max_depth"}


def front_along(
    problem: Problem,
    along: str,
    search: Callable[..., Outcome],
    time_limit: float | None = None,
) -> tuple[tuple[Outcome, ...], bool]:
    """Return the optimal tree for each size or depth at which the minimum errors decrease.

    Parameters
    ----------
    problem : Problem
        The problem to solve: one tree that minimizes errors of some kind.
    along : {"size", "depth", "leaf_penalty"}
        The tuned parameter; the front for "leaf_penalty" is that for "size".
    search : callable
        Takes a problem, ``incumbent=`` and ``time_limit=`` as `solve`, and returns the outcome.
    time_limit : float, optional
        Seconds for the whole front; sizes for which no time remains are left out.

    Returns
    -------
    tuple of (tuple of Outcome, bool)
        The outcomes by increasing size or depth and decreasing cost, empty if no tree meets the
        limits; and whether the front is proved complete, since a search that is stopped may miss a
        tree.

    Raises
    ------
    ValueError
        If nothing limits the front, the problem does not minimize errors alone, or the tuned
        leaf_penalty is not 0 in the problem.
    """
    with Interruptible() as call:
        found, proved = _along(problem, along, search, time_limit)
        call.answered = bool(found) and found[-1].stopped_by == "interrupt"
        return found, proved


def _along(
    problem: Problem, along: str, search: Callable[..., Outcome], time_limit: float | None
) -> tuple[tuple[Outcome, ...], bool]:
    """Return the front; the caller handles Ctrl-C."""
    quantity = LIMITED_QUANTITY_OF[along]
    if problem.quantities != (problem.error_term,):
        raise ValueError(
            f"tuning needs errors in minimize, and nothing else; got {problem.minimize!r}."
        )
    if along == "leaf_penalty" and problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 where it is tuned.")
    found: list[Outcome] = []
    proved = True
    deadline = Deadline(positive_seconds(time_limit))
    for limit in range(_max_limit(problem, quantity) + 1):
        if found and deadline.stopped_by() is not None:
            return tuple(found), False
        changed: dict[str, Any] = {_LIMIT_OF[quantity]: limit}
        within = problem.within(replace(problem.limits, **changed))
        incumbent = found[-1].tree if found else None
        left = deadline.left()
        seconds = None if left is None else max(left, 1e-3)
        outcome = search(within, incumbent=incumbent, time_limit=seconds)
        if outcome.tree is not None and (not found or _errors(outcome) < _errors(found[-1])):
            found.append(outcome)
        proved &= outcome.status in (Status.OPTIMAL, Status.INFEASIBLE)
        if outcome.stopped_by in ("interrupt", "callback"):
            return tuple(found), False
        if found and _errors(found[-1]) == (0,):
            break
    return tuple(found), proved


def _max_limit(problem: Problem, quantity: str) -> int:
    """Return the maximum size or depth of the front, or refuse an unlimited front."""
    depth, size = problem.limits.max_depth, problem.max_tree_size
    if (quantity == "depth" and depth is None) or (depth is None and size is None):
        needed = "max_depth" if quantity == "depth" else "max_depth or max_size"
        raise ValueError(f"tuning needs {needed}, where the front ends.")
    max_size = problem.max_leaves - 1
    return max_size if quantity == "size" or depth is None else min(max_size, depth)


def _errors(outcome: Outcome) -> tuple[Any, ...]:
    assert outcome.cost is not None
    return as_tuple(outcome.cost)


def best_at(front: Sequence[Outcome], along: str, value: Any, penalty_unit: Fraction) -> Outcome:
    """Return the best outcome of a front within a limit, or at a leaf penalty.

    Parameters
    ----------
    front : sequence of Outcome
        The front, from `front_along`.
    along : {"size", "depth", "leaf_penalty"}
        The parameter that the value belongs to.
    value : int or Fraction
        The limit, or the leaf penalty.
    penalty_unit : Fraction
        As in `settings_along`.
    """
    if along == "leaf_penalty":
        price = Fraction(value) * penalty_unit
        # Of outcomes of equal cost the first has the smallest tree.
        return min(front, key=lambda found: Fraction(_errors(found)[0]) + price * leaves_of(found))
    within = [outcome for outcome in front if size_or_depth(outcome, along) <= value]
    return within[-1] if within else front[0]


def size_or_depth(outcome: Outcome, quantity: str) -> int:
    """Return the size or depth of the tree of an outcome.

    Parameters
    ----------
    outcome : Outcome
        An outcome with a tree.
    quantity : {"size", "depth"}
        The quantity to return.
    """
    assert outcome.tree is not None
    return int(getattr(outcome.tree, quantity))


def leaves_of(outcome: Outcome) -> int:
    """Return the number of leaves of the tree of an outcome.

    Parameters
    ----------
    outcome : Outcome
        An outcome with a tree.
    """
    assert outcome.tree is not None
    return outcome.tree.leaves
