"""Reuse of the result of one search in the next search on the same table.

The tree becomes the incumbent under any new limits, after it is pruned to them. The lower bound is
kept if it remains valid: it holds for all trees within the limits for which it was proved, so also
for those within equal or tighter limits, but not for looser limits. If the tree costs no more than
the bound, nothing needs to be searched.

Only a digest of the table is kept, to recognize it.
"""

import pickle
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from math import inf
from typing import Any

import numpy as np

from exactree.problem import Cost, Limits, Outcome, Problem, Progress, Status
from exactree.problem.encoding.incumbent import as_incumbent
from exactree.problem.quantities import as_tuple
from exactree.problem.verification.recount import cost_of_found
from exactree.solve import solve, takes_incumbent
from exactree.trees import Tree
from exactree.verified_outcome import verified

__all__ = ["Proved", "proved_by", "solve_after"]

# Limits that can be tighter or looser than another limit; every other limit has to be equal.
_ORDERED = ("max_depth", "max_size", "max_errors", "min_samples_leaf")


@dataclass(frozen=True)
class Proved:
    """The result of a search.

    Attributes
    ----------
    key : str or None
        A digest of the table and of the problem without its limits; None if the problem cannot be
        pickled.
    limits : Limits
        The limits of the search.
    maxima : tuple of float
        Maximum depth, size and errors of trees within the limits, and minus the minimum number of
        rows in a leaf.
    tree : Tree or None
        The best tree that was found.
    lower_bound : int, Fraction, float or tuple
        No tree within the limits costs less.
    """

    key: str | None
    limits: Limits
    maxima: tuple[float, ...]
    tree: Tree | None
    lower_bound: Cost


def proved_by(problem: Problem, outcome: Outcome) -> Proved:
    """Return the reusable part of an outcome.

    Parameters
    ----------
    problem : Problem
        The problem that was solved, for one tree.
    outcome : Outcome
        Its outcome.
    """
    return Proved(
        _key(problem), problem.limits, _maxima(problem), outcome.tree, outcome.lower_bound
    )


def solve_after(problem: Problem, before: Proved | None, **options: Any) -> Outcome:
    """Return the best tree for a problem, reusing an earlier result for the same table.

    Parameters
    ----------
    problem : Problem
        The problem to solve, for one tree.
    before : Proved or None
        An earlier result, of any problem.
    **options
        As in `solve`; `incumbent` is used if there is no earlier tree.
    """
    form = options.get("method", "auto"), options.get("implementation", "native")
    same_problem = before is not None and before.key is not None and before.key == _key(problem)
    if before is None or not same_problem or not takes_incumbent(problem, *form):
        return solve(problem, **options)
    tree = None if before.tree is None else _pruned(problem, before.tree)
    bound = before.lower_bound if _remains_valid(before, problem) else None
    if tree is not None:
        options |= {"incumbent": tree}
        cost = cost_of_found(problem, tree)
        if bound is not None and as_tuple(cost) <= as_tuple(bound):
            stats = {"nodes": 0, "seconds": 0.0, "progress": [Progress(cost, cost, 0.0)]}
            # The cost of a reused tree is recounted like that of any other tree.
            return verified(problem, Outcome(Status.OPTIMAL, cost, cost, tree, stats))
    if bound is None:
        return solve(problem, **options)
    listener = _stopping_at(bound, options.get("on_progress"))
    return _with_bound(solve(problem, **options | {"on_progress": listener}), bound)


def _key(problem: Problem) -> str | None:
    """Return a digest of the table and the problem, without the limits.

    The digested bytes are exact: equal bytes are unpickled to equal values, while a ``repr`` rounds
    and shortens arrays. Two problems with different bytes have equal digests only if SHA-256
    collides, and no collision is known. Equal problems may have different bytes; then nothing is
    reused. None if a rule family cannot be pickled.
    """
    dataset = problem.dataset
    arrays = (dataset.X, dataset.labels, dataset.weights, dataset.classes)
    table = (dataset.weight_scale, dataset.feature_names, dict(dataset.levels))
    names = [field.name for field in fields(problem) if field.name not in _NOT_IN_KEY]
    field_values = [getattr(problem, name) for name in names]
    try:
        table_arrays = [np.ascontiguousarray(array) for array in arrays]
        exact = pickle.dumps((table_arrays, table, field_values))
    except (pickle.PicklingError, TypeError, AttributeError):
        return None
    return sha256(exact).hexdigest()


_NOT_IN_KEY = ("dataset", "limits")


def _maxima(problem: Problem) -> tuple[float, ...]:
    """Return the maxima of trees within the limits; tighter limits give smaller numbers."""
    max_size = len(problem.dataset.X) - 1
    size = max_size if problem.max_tree_size is None else min(problem.max_tree_size, max_size)
    max_depth = problem.limits.max_depth
    depth = size if max_depth is None else min(max_depth, size)
    if depth < size.bit_length():  # a complete tree of this depth is smaller
        size = min(size, 2**depth - 1)
    errors = inf if problem.max_error_weight is None else problem.max_error_weight
    return depth, size, errors, -problem.min_rows


def _remains_valid(before: Proved, problem: Problem) -> bool:
    """Return whether every tree within the new limits is within the earlier limits."""
    unordered = [field.name for field in fields(Limits) if field.name not in _ORDERED]
    if any(getattr(before.limits, name) != getattr(problem.limits, name) for name in unordered):
        return False
    return all(new <= old for new, old in zip(_maxima(problem), before.maxima, strict=True))


def _pruned(problem: Problem, tree: Tree) -> Tree | None:
    """Return the tree pruned to the limits, None if pruning cannot meet them."""
    if problem.infeasible_reason is not None:
        return None
    try:
        return as_incumbent(problem, tree).tree
    except ValueError:
        return None


def _stopping_at(
    bound: Cost, on_progress: Callable[[Progress], object] | None
) -> Callable[[Progress], object]:
    """Return a listener that stops a search whose incumbent meets a lower bound."""

    def listener(progress: Progress) -> object:
        stop = None if on_progress is None else on_progress(progress)
        return stop or (progress.cost is not None and as_tuple(progress.cost) <= as_tuple(bound))

    return listener


def _with_bound(outcome: Outcome, bound: Cost) -> Outcome:
    """Return an outcome with the greater of its lower bound and an earlier lower bound."""
    if outcome.status in (Status.OPTIMAL, Status.INFEASIBLE):
        return outcome
    lower_bound = max(outcome.lower_bound, bound, key=as_tuple)
    if outcome.cost is None or as_tuple(lower_bound) < as_tuple(outcome.cost):
        return replace(outcome, lower_bound=lower_bound)
    by = outcome.stopped_by if outcome.stopped_by == "interrupt" else None
    return replace(
        outcome, status=Status.OPTIMAL, lower_bound=outcome.cost, stopped_by=by, advice=()
    )
