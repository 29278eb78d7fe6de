"""The definition: the least cost over all trees within the limits, by enumeration.

Source      The statement of the problem itself; every other method is tested against this one.
Theorem     None is used, except that the cost of a tree is joined from the costs of its sides.
Time        About (2 d n)^depth for n rows and d features; tables beyond a few dozen rows
            are refused (`exactree.spec.effort`).
Symbols     None.
The idea    A tree is a leaf, or a rule and two trees. So the best tree for a part is its leaf,
            or the best over all rules that divide the part, all ways to share the nodes that
            are allowed, and the best trees of the two sides. That is what the code says.
Departures  1. Of trees of equal cost the smaller is kept, so that no node of the answer can be
               collapsed or replaced by one of its subtrees without raising the cost.
            2. Of the rules that divide a part in the same way only one is tried.
            3. A part of m rows gets at most m - 1 nodes: every rule has two non-empty sides.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Outcome, Problem, Status
from exactree.rules import AxisRule
from exactree.spec.effort import refuse_large
from exactree.trees.arrays import grow

__all__ = ["least_cost"]

Part = NDArray[np.int64]


def least_cost(problem: Problem) -> Outcome:
    """Return a tree of least cost within the limits, or the proof that there is none.

    Parameters
    ----------
    problem : Problem
        With a small table.

    Returns
    -------
    Outcome
        `OPTIMAL` with a smallest tree of least cost, or `INFEASIBLE` with the reason.

    Raises
    ------
    MethodRefused
        If the table is too large to enumerate all trees.
    """
    refuse_large(problem)
    everything = np.arange(len(problem.dataset.X))
    limits = problem.limits
    found = best(problem, everything, limits.max_depth, limits.max_size)
    if found is None:
        return Outcome(Status.INFEASIBLE, None, 0, None, reason=problem.infeasible_reason)
    cost = problem.objective.value(found.cost)
    if limits.max_errors is not None and cost > limits.max_errors:
        reason = (
            f"max_errors={limits.max_errors}, but every tree within the other limits makes at "
            f"least {cost} errors"
        )
        return Outcome(Status.INFEASIBLE, None, cost, None, reason=reason)
    tree = grow(problem.dataset, list(preorder(found)))
    return Outcome(Status.OPTIMAL, cost, cost, tree)


@dataclass(frozen=True)
class Subtree:
    """A tree for a part: a leaf, or a rule and two trees for the two sides."""

    cost: Fraction
    size: int
    rule: AxisRule | None = None
    left: "Subtree | None" = None
    right: "Subtree | None" = None


def best(problem: Problem, part: Part, depth: int | None, size: int | None) -> Subtree | None:
    """Return the best tree for a part, None if the part is too small for a leaf.

    Parameters
    ----------
    problem : Problem
        The table, the rules and the objective.
    part : ndarray of int64
        Rows of the table.
    depth, size : int or None
        Nodes allowed on a path, and in all; None for no limit.
    """
    if len(part) < problem.min_rows:
        return None
    found = Subtree(problem.objective.leaf(problem.dataset, part), 0)
    if depth == 0:
        return found
    for rule in problem.rules.distinct(problem.dataset.X, part):
        holds = rule.holds(problem.dataset.X[part])
        for left_size, right_size in shares(size, part):
            left = best(problem, part[holds], less(depth), left_size)
            right = best(problem, part[~holds], less(depth), right_size)
            if left is not None and right is not None:
                cost = problem.objective.join(left.cost, right.cost)
                tree = Subtree(cost, left.size + right.size + 1, rule, left, right)
                found = better(problem, found, tree)
    return found


def shares(size: int | None, part: Part) -> Iterator[tuple[int | None, int | None]]:
    """List the ways to share what is left of the allowed nodes, after one, among two sides."""
    if size is None:
        yield None, None
    else:
        rest = min(size, len(part) - 1) - 1
        for left in range(rest + 1):
            yield left, rest - left


def less(depth: int | None) -> int | None:
    """Return the depth allowed below a node."""
    return None if depth is None else depth - 1


def better(problem: Problem, first: Subtree, second: Subtree) -> Subtree:
    """Return the tree of less cost; of two that cost the same the smaller, then the first."""
    order = problem.objective.order
    if order(first.cost, second.cost) and not order(second.cost, first.cost):
        return first
    if order(second.cost, first.cost) and not order(first.cost, second.cost):
        return second
    return second if second.size < first.size else first


def preorder(tree: Subtree, number: int = 0) -> Iterator[tuple[int, float, float, int, int]]:
    """List the nodes as `exactree.trees.arrays.grow` reads them."""
    if tree.rule is None or tree.left is None or tree.right is None:
        yield (-1, 0.0, 0.0, -1, -1)
        return
    left = number + 1
    right = left + 2 * tree.left.size + 1
    yield (tree.rule.feature, tree.rule.low, tree.rule.high, left, right)
    yield from preorder(tree.left, left)
    yield from preorder(tree.right, right)
