"""The front of errors against size or depth: every search begins with the tree before.

The best tree of that many nodes is a tree of more nodes as well. So the searches go upwards, each
with the last tree as incumbent, and each only has to find a better one or prove that there is none.

One front answers for all prices of a leaf, too: at any price the best tree is on the front of
errors against size, because a tree that another one beats in both is more expensive at every price.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from exactree.problem import Outcome, Problem, Status
from exactree.problem.parameters import positive_seconds
from exactree.problem.quantities import as_tuple
from exactree.stopping import Deadline, Interruptible

__all__ = ["ALONG", "best_at", "front_along"]

# What can be tuned, and the quantity of a tree that its front is about.
ALONG = {"size": "size", "depth": "depth", "leaf_penalty": "size"}
_LIMIT_OF = {"size": "max_size", "depth": "max_depth"}


def front_along(
    problem: Problem,
    along: str,
    search: Callable[..., Outcome],
    time_limit: float | None = None,
) -> tuple[tuple[Outcome, ...], bool]:
    """Return the least errors for each size or depth within the limits, where they get less.

    Parameters
    ----------
    problem : Problem
        The problem to solve: one tree of least errors of some kind.
    along : {"size", "depth", "leaf_penalty"}
        Which front; that of prices is that of sizes.
    search : callable
        Takes a problem, ``incumbent=`` and ``time_limit=`` as `solve`, and returns the outcome.
    time_limit : float, optional
        Seconds for the whole front; sizes that it does not reach are left out.

    Returns
    -------
    tuple of (tuple of Outcome, bool)
        By increasing size or depth and falling cost; empty if nothing meets the limits. And whether
        all of it is proved: a search that is stopped may miss a tree.

    Raises
    ------
    ValueError
        If nothing limits the front, or more is minimized than errors.
    """
    with Interruptible() as call:
        found, proved = _along(problem, along, search, time_limit)
        call.answered = bool(found) and found[-1].stopped_by == "interrupt"
        return found, proved


def _along(
    problem: Problem, along: str, search: Callable[..., Outcome], time_limit: float | None
) -> tuple[tuple[Outcome, ...], bool]:
    """Return the front, within a call that minds Ctrl-C."""
    measure = ALONG[along]
    if problem.quantities != (problem.error_term,):
        raise ValueError(
            f"tuning needs errors in minimize, and nothing else: {problem.minimize!r}."
        )
    if along == "leaf_penalty" and problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 where it is tuned.")
    found: list[Outcome] = []
    proved = True
    deadline = Deadline(positive_seconds(time_limit))
    for most in range(_most(problem, measure) + 1):
        if found and deadline.stopped_by() is not None:
            return tuple(found), False
        stated: dict[str, Any] = {_LIMIT_OF[measure]: most}
        within = problem.within(replace(problem.limits, **stated))
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


def _most(problem: Problem, measure: str) -> int:
    """Return the greatest size or depth of the front; refuses one that nothing limits."""
    depth, size = problem.limits.max_depth, problem.most_size
    if (measure == "depth" and depth is None) or (depth is None and size is None):
        needed = "max_depth" if measure == "depth" else "max_depth or max_size"
        raise ValueError(f"tuning needs {needed}: that is where the front ends.")
    most = problem.most_leaves - 1
    return most if measure == "size" or depth is None else min(most, depth)


def _errors(outcome: Outcome) -> tuple[Any, ...]:
    assert outcome.cost is not None
    return as_tuple(outcome.cost)


def best_at(front: Sequence[Outcome], along: str, value: Any, total_weight: Fraction) -> Outcome:
    """Return the best outcome of a front within a limit, or at a price of leaves.

    Parameters
    ----------
    front : sequence of Outcome
        As `front_along` returns it.
    along : {"size", "depth", "leaf_penalty"}
        What the value is.
    value : int or Fraction
        The limit, or the price as an error rate.
    total_weight : Fraction
        Of the table of the front.
    """
    if along == "leaf_penalty":
        price = Fraction(value) * total_weight
        # Where several cost the same the first is the smallest.
        return min(front, key=lambda one: Fraction(_errors(one)[0]) + price * leaves_of(one))
    within = [one for one in front if measured(one, along) <= value]
    return within[-1] if within else front[0]


def measured(outcome: Outcome, along: str) -> int:
    """Return the size or depth of the tree of an outcome.

    Parameters
    ----------
    outcome : Outcome
        With a tree.
    along : {"size", "depth"}
        Which.
    """
    assert outcome.tree is not None
    return int(getattr(outcome.tree, along))


def leaves_of(outcome: Outcome) -> int:
    """Return the number of leaves of the tree of an outcome.

    Parameters
    ----------
    outcome : Outcome
        With a tree.
    """
    assert outcome.tree is not None
    return outcome.tree.leaves
