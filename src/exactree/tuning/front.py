"""The front of errors against size or depth, by a sequence of searches with increasing limits.

A tree within a limit on size or depth is also within every larger limit. So each search starts from
the tree of the previous search as incumbent, and only has to find a better tree or prove that there
is none.

The front of errors against size also has the best trees for all prices of a leaf: a tree that is
dominated in errors and size is more expensive at every price.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from exactree.problem import Outcome, Problem, Status
from exactree.problem.parameters import positive_seconds
from exactree.problem.quantities import as_tuple
from exactree.stopping import Deadline, Interruptible
from exactree.trees import Tree

__all__ = ["LIMITED_QUANTITY_OF", "LimitedFront", "best_at", "front_along", "front_within"]

# The share of the time for the best tree within all limits.
_SHARE_OF_WIDEST = 0.5
# From each tuned parameter to the quantity that its front limits.
LIMITED_QUANTITY_OF = {"size": "size", "depth": "depth", "leaf_penalty": "size"}
_LIMIT_OF = {"size": "max_size", "depth": "max_depth"}


@dataclass(frozen=True, eq=False)
class LimitedFront:
    """A front of errors against size or depth.

    Attributes
    ----------
    outcomes : tuple of Outcome
        The outcomes by increasing size or depth and decreasing cost.
    proved : bool
        Whether the front is proved complete.
    proved_to : int
        The size or depth up to which it is; -1 if nothing is proved.
    """

    outcomes: tuple[Outcome, ...]
    proved: bool
    proved_to: int


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
    front = front_within(problem, along, search, time_limit)
    return front.outcomes, front.proved


def front_within(
    problem: Problem,
    along: str,
    search: Callable[..., Outcome],
    time_limit: float | None = None,
) -> LimitedFront:
    """Return the front of `front_along`, with the limit up to which it is proved.

    Parameters
    ----------
    problem, along, search, time_limit
        As for `front_along`.
    """
    with Interruptible() as call:
        front = _along(problem, along, search, time_limit)
        call.answered = any(found.stopped_by == "interrupt" for found in front.outcomes)
        return front


def _along(
    problem: Problem, along: str, search: Callable[..., Outcome], time_limit: float | None
) -> LimitedFront:
    """Return the front; the caller handles Ctrl-C."""
    quantity = LIMITED_QUANTITY_OF[along]
    if problem.quantities != (problem.error_term,):
        raise ValueError(
            f"tuning needs errors in minimize, and nothing else; got {problem.minimize!r}."
        )
    if along == "leaf_penalty" and problem.leaf_penalty:
        raise ValueError("leaf_penalty must be 0 where it is tuned.")
    last = _max_limit(problem, quantity)
    front = _GrowingFront(problem, quantity, search, Deadline(positive_seconds(time_limit)))
    front.search_within(0)
    if quantity == "size" and last > 1 and not front.ends_before(1):
        front.search_widest()
    for limit in range(1, last + 1):
        if front.ends_before(limit):
            break
        front.search_within(limit)
    return front.joined()


class _GrowingFront:
    """A front whose searches run one after the other.

    By size, the best tree within all limits, the widest, is searched before the sizes from 1 on. It
    has the minimum errors of the front, which therefore ends at the first size with as few. Where
    time ends before, this tree, which an estimator that is not tuned would return, is compared.
    """

    def __init__(
        self, problem: Problem, quantity: str, search: Callable[..., Outcome], deadline: Deadline
    ) -> None:
        self._problem, self._quantity = problem, quantity
        self._search, self._deadline = search, deadline
        self._found: list[Outcome] = []
        self._widest: Outcome | None = None
        self._proved, self._proved_to, self._stopped = True, -1, False

    def search_within(self, limit: int) -> None:
        """Search for the best tree of at most a size or depth."""
        changed: dict[str, Any] = {_LIMIT_OF[self._quantity]: limit}
        within = self._problem.within(replace(self._problem.limits, **changed))
        outcome = self._run(within, self._incumbent(limit), share=1.0)
        if outcome.tree is not None and (
            not self._found or _errors(outcome) < _errors(self._found[-1])
        ):
            self._found.append(outcome)
        self._proved &= outcome.status in (Status.OPTIMAL, Status.INFEASIBLE)
        if self._proved:
            self._proved_to = limit

    def search_widest(self) -> None:
        """Search for the best tree within all limits, in a share of the time."""
        first = self._found[-1].tree if self._found else None
        self._widest = self._run(self._problem, first, share=_SHARE_OF_WIDEST)

    def _run(self, problem: Problem, incumbent: Tree | None, share: float) -> Outcome:
        left = self._deadline.left()
        seconds = None if left is None else max(share * left, 1e-3)
        outcome = self._search(problem, incumbent=incumbent, time_limit=seconds)
        self._stopped |= outcome.stopped_by in ("interrupt", "callback")
        return outcome

    def _incumbent(self, limit: int) -> Tree | None:
        """Return the best tree so far within a limit."""
        best = self._found[-1] if self._found else None
        widest = self._widest
        if widest is not None and widest.tree is not None:
            fits = size_or_depth(widest, self._quantity) <= limit
            if fits and (best is None or _errors(widest) < _errors(best)):
                best = widest
        return None if best is None else best.tree

    def ends_before(self, limit: int) -> bool:
        """Return whether the front ends before a limit, complete or stopped."""
        found, widest = self._found, self._widest
        has_tree = bool(found) or (widest is not None and widest.tree is not None)
        if self._stopped or (has_tree and self._deadline.stopped()):
            self._proved &= self._is_complete(limit)
            return True
        return self._is_complete(limit)

    def _is_complete(self, limit: int) -> bool:
        """Return whether no tree of at least a size or depth has fewer errors than those found."""
        found, widest = self._found, self._widest
        if found and _errors(found[-1]) == (0,):
            return True
        if widest is None or widest.tree is None:
            return widest is not None and widest.status is Status.INFEASIBLE
        if widest.status is not Status.OPTIMAL:
            return False
        reached = bool(found) and _errors(found[-1]) == _errors(widest)
        return reached or limit >= size_or_depth(widest, self._quantity)

    def joined(self) -> LimitedFront:
        """Return the front with the widest tree, without trees that it dominates."""
        found, widest = self._found, self._widest
        if widest is not None and widest.tree is not None:
            candidates = sorted([*found, widest], key=self._size_and_errors)
            found = []
            for outcome in candidates:
                if not found or _errors(outcome) < _errors(found[-1]):
                    found.append(outcome)
        return LimitedFront(tuple(found), self._proved and not self._stopped, self._proved_to)

    def _size_and_errors(self, outcome: Outcome) -> tuple[Any, ...]:
        return size_or_depth(outcome, self._quantity), _errors(outcome)


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
