"""The front of errors against size, depth or both, by a sequence of searches for minimum errors.

Let E(s, d) be the minimum cost (errors plus leaf penalty) of a tree with at most s inner nodes and
depth at most d. Every vector (s, d, e) of the front has e = E(s, d): a cheaper tree within s and d
would dominate it. The search within s and d finds a tree with exactly this vector: it costs e, and
if it were smaller or shallower, it would dominate the vector. So the front consists of the
non-dominated trees among those that the searches find.

`less_than_known`: a tree of size s and depth d that costs at least as much as a known tree within
these limits is dominated by the known tree or has the same vector. So a search looks only for trees
that cost less than all known trees within its limits (unless there is a leaf penalty); a proof that
no such tree exists is enough.

`wider_bounds`: E(s, d) is at least every bound proved for wider limits, and at least the
unavoidable errors of equal rows with different labels. If a known tree within s and d costs no more
than that, no search is needed.

`widest_first`: after a search that found nothing, the search with the widest limits runs next, out
of order. The order of searches does not change the front. This order shows early how low the errors
can get; limits within which a known tree already reaches that value need no search.

The lexicographic searches of `tree_front.py` find the same front without these accelerators. They
minimize the size for a given number of errors, which is much harder than minimizing the errors for
a given size.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import dropwhile, filterfalse, islice
from math import inf
from typing import Any

from exactree.data.groups import unavoidable_errors
from exactree.engine.fronts.front_by_limits import errors_problem_of
from exactree.engine.fronts.parallel import ParallelSolver
from exactree.engine.lexicographic.branch_and_bound import reason_to_refuse
from exactree.problem import Outcome, Problem, Status
from exactree.problem.quantities import Number, as_tuple

__all__ = ["FRONT_ACCELERATORS", "errors_front", "reason_to_refuse_errors_front"]

# The accelerators and their effect; none of them changes a front.
FRONT_ACCELERATORS = {
    "less_than_known": "search for trees that cost less than known trees within the same limits",
    "wider_bounds": "search only where known trees cost more than the lower bound of wider limits",
    "widest_first": "run the search with the widest limits after a search that found nothing",
}

# The widest search runs early if it allows no more nodes than a full tree of depth four. A wider
# search may take much longer than all searches that precede it.
_MAX_EARLY_SIZE = 15
# The maximum size for a front of both size and depth; with larger trees there are too many pairs.
_MAX_PAIRS_SIZE = 255


@dataclass(frozen=True)
class _TreeLimits:
    """Limits of the trees of a search.

    Attributes
    ----------
    size, depth : int
        Maximum size and depth.
    """

    size: int
    depth: int

    def holds(self, other: "_TreeLimits") -> bool:
        """Return whether all trees within the other limits are within these."""
        return other.size <= self.size and other.depth <= self.depth


def reason_to_refuse_errors_front(problem: Problem) -> str | None:
    """Return None if searches for minimum errors can find the front, else the reason.

    Parameters
    ----------
    problem : Problem
        The problem; its `minimize` is the tuple of quantities.
    """
    if problem.feature_constraints.prices:
        return "its front by searches for errors supports no feature_penalty"
    others = set(problem.quantities) - {"errors"}
    if not problem.plain_errors or "errors" not in problem.quantities or others - {"size", "depth"}:
        return "its front by searches for errors must be of plain errors with size, depth or both"
    if len(others) == 2 and (
        problem.limits.max_depth is None or _max_size(problem) > _MAX_PAIRS_SIZE
    ):
        return f"its front by searches for errors has at most {_MAX_PAIRS_SIZE} nodes"
    return reason_to_refuse(errors_problem_of(problem))


def errors_front(
    problem: Problem, solver: ParallelSolver, switches: Mapping[str, bool] | None = None
) -> list[Outcome]:
    """Return one outcome for each non-dominated cost.

    Parameters
    ----------
    problem : Problem
        The problem; its `minimize` is the tuple of quantities.
    solver : ParallelSolver
        Solves problems of minimum errors within limits.
    switches : mapping of str to bool, optional
        The accelerators of `FRONT_ACCELERATORS` to turn off; all are on by default.

    Returns
    -------
    list of Outcome
        By increasing cost in lexicographic order; empty if no tree satisfies the limits. When a
        search is stopped, its outcome is the last.
    """
    enabled = dict.fromkeys(FRONT_ACCELERATORS, True) | dict(switches or {})
    waiting = _all_limits(problem)
    known, done, failed = _KnownTrees(problem, waiting[-1]), set[_TreeLimits](), False

    def is_settled(within: _TreeLimits) -> bool:
        return within in done or (enabled["wider_bounds"] and not known.is_open(within))

    while waiting := list(dropwhile(is_settled, waiting)):
        early = failed and enabled["widest_first"] and known.widest.size <= _MAX_EARLY_SIZE
        batch = [known.widest] if early and not is_settled(known.widest) else []
        batch = batch or list(islice(filterfalse(is_settled, waiting), solver.jobs))
        below_known = enabled["less_than_known"]
        upper_bounds = [known.minimum(within) if below_known else None for within in batch]
        restricted = [_restricted(problem, *pair) for pair in zip(batch, upper_bounds, strict=True)]
        for within, limit, outcome in zip(batch, upper_bounds, solver(restricted), strict=False):
            if outcome.stopped_by is not None or outcome.status is Status.STOPPED:
                widest = within == known.widest
                next_limits = waiting[0] if widest else within
                return [*known.front(waiting), _stopped(problem, outcome, next_limits, widest)]
            failed = not known.record(within, limit, outcome)
        done.update(batch)
    return known.front([])


def _max_size(problem: Problem) -> int:
    """Return the maximum size of a tree within the limits."""
    return problem.max_leaves - 1


def _unavoidable(problem: Problem) -> Fraction:
    """Return the errors of equal examples of several classes, which no tree avoids."""
    return Fraction(unavoidable_errors(problem.dataset), problem.dataset.weight_scale)


def _all_limits(problem: Problem) -> list[_TreeLimits]:
    """Return the limits of all searches, in order of the quantities; the widest limits are last."""
    size = _max_size(problem)
    max_depth = problem.limits.max_depth
    depth = size if max_depth is None else min(size, max_depth)
    if "depth" not in problem.quantities:
        return [_TreeLimits(value, depth) for value in range(size + 1)]
    if "size" not in problem.quantities:
        return [_TreeLimits(size, value) for value in range(depth + 1)]
    # The depth of a tree is at most its size; its size is at most that of a full tree of its depth.
    pairs = [
        _TreeLimits(s, d) for s in range(size + 1) for d in range(min(s, depth) + 1) if s < 1 << d
    ]
    names = [name for name in problem.quantities if name != "errors"]
    return sorted(pairs, key=lambda within: tuple(getattr(within, name) for name in names))


def _restricted(problem: Problem, within: _TreeLimits, upper_bound: Number | None) -> Problem:
    """Return the problem of minimum errors within limits, and below an upper bound."""
    restrictions: dict[str, Any] = {}
    for quantity, limit in (("size", "max_size"), ("depth", "max_depth")):
        if quantity in problem.quantities:
            restrictions[limit] = getattr(within, quantity)
    if upper_bound is not None and not problem.leaf_penalty:
        # Errors are whole numbers of units of weight.
        restrictions["max_errors"] = max(upper_bound - Fraction(1, problem.dataset.weight_scale), 0)
    restricted = errors_problem_of(problem)
    return restricted.within(replace(restricted.limits, **restrictions))


@dataclass
class _KnownTrees:
    """The trees and the lower bounds that the searches have found.

    Attributes
    ----------
    problem : Problem
        The problem; its `minimize` is the tuple of quantities.
    widest : _TreeLimits
        Limits that all trees satisfy.
    found : list of tuple
        For each tree its size and depth (the maximum for a quantity that is not minimized), its
        cost in the search, and the outcome with all quantities as its cost.
    bounds : list of tuple
        Limits, and a lower bound on the cost of trees within them.
    """

    problem: Problem
    widest: _TreeLimits
    found: list[tuple[_TreeLimits, Number, Outcome]] = field(default_factory=list)
    bounds: list[tuple[_TreeLimits, float | Number]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.bounds.append((self.widest, _unavoidable(self.problem)))

    def minimum(self, within: _TreeLimits) -> Number | None:
        """Return the minimum cost of the known trees within limits, None without a tree."""
        return min((cost for own, cost, _ in self.found if within.holds(own)), default=None)

    def is_open(self, within: _TreeLimits) -> bool:
        """Return whether a tree within limits may cost less than all known trees."""
        minimum = self.minimum(within)
        bound = max((bound for wider, bound in self.bounds if wider.holds(within)), default=0)
        return bound < (inf if minimum is None else minimum)

    def record(self, within: _TreeLimits, upper_bound: Number | None, outcome: Outcome) -> bool:
        """Record the outcome of a search; return whether it has found a cheaper tree."""
        if outcome.cost is None or outcome.tree is None:
            self.bounds.append((within, inf if upper_bound is None else upper_bound))
            return False
        (cost,) = as_tuple(outcome.cost)
        minimum = self.minimum(within)
        self.bounds.append((within, cost))
        tree = outcome.tree
        vector = _cost_vector(self.problem, outcome)
        own = _TreeLimits(
            tree.size if "size" in self.problem.quantities else self.widest.size,
            tree.depth if "depth" in self.problem.quantities else self.widest.depth,
        )
        self.found.append((own, cost, replace(outcome, cost=vector, lower_bound=vector)))
        return minimum is None or cost < minimum

    def front(self, waiting: Sequence[_TreeLimits]) -> list[Outcome]:
        """Return the known trees that are proved non-dominated, in order.

        A search that has not run yet may find a tree that is smaller or shallower than a known tree
        and costs at most as much, because the widest search may run early.
        """
        proved = [
            outcome
            for own, _, outcome in self.found
            if not any(
                limits != own and own.holds(limits) and self.is_open(limits) for limits in waiting
            )
        ]
        front: list[Outcome] = []
        for outcome in sorted(proved, key=_vector):
            if not any(_dominates(other, outcome) for other in front):
                front.append(outcome)
        return front


def _cost_vector(problem: Problem, outcome: Outcome) -> tuple[Number, ...]:
    """Return all quantities of the tree that a search for minimum errors found."""
    assert outcome.cost is not None
    (cost,) = as_tuple(outcome.cost)
    return tuple(
        cost if name == "errors" else getattr(outcome.tree, name) for name in problem.quantities
    )


def _stopped(problem: Problem, outcome: Outcome, next_limits: _TreeLimits, widest: bool) -> Outcome:
    """Return the outcome of a search that was stopped, with all quantities.

    The lower bound, in lexicographic order, holds for all vectors that are missing from the front.
    None of them comes before the size and depth of `next_limits`, the first limits that are still
    open. The errors proved by the stopped search hold for the missing vectors within its limits:
    all of them if it is the `widest` search, else those with the size and depth of `next_limits`.
    """
    (errors,) = as_tuple(outcome.lower_bound)
    last = problem.quantities[-1] == "errors"
    before = problem.quantities[: problem.quantities.index("errors")]
    values: list[Number] = [getattr(next_limits, name) for name in before]
    values.append(errors if last or widest else 0)
    bound = (*values, *[0] * (len(problem.quantities) - len(values)))
    if outcome.tree is None:
        return replace(outcome, lower_bound=bound)
    cost = _cost_vector(problem, outcome)
    return replace(outcome, cost=cost, lower_bound=min(bound, cost))


def _vector(outcome: Outcome) -> tuple[Number, ...]:
    return () if outcome.cost is None else as_tuple(outcome.cost)


def _dominates(first: Outcome, second: Outcome) -> bool:
    return all(a <= b for a, b in zip(_vector(first), _vector(second), strict=True))
