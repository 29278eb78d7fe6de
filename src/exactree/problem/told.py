"""Answers of searches in columns, without nodes that rules as they are told make superfluous.

A search looks at rules as columns of the whole table. A tree tells of a rule what the part of its
node shows: only the levels that it met there go left, missing values that it did not meet follow
the greater side, and a threshold lies between two values of the part, where other examples of the
table may have values, too. Of a larger part that is a rule of the problem, too, but it may be
another one than the search has tried there. So a subtree may do in place of a larger one, at the
same cost, that the search could not put there.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.problem.columns import InColumns, in_columns
from exactree.problem.cost import as_tuple
from exactree.problem.grown import grown
from exactree.problem.into_columns import Given, IntoColumns
from exactree.problem.outcome import Outcome
from exactree.problem.problem import Problem
from exactree.problem.recount import broken_limits, cost_of_found
from exactree.trees import Tree
from exactree.trees.shape import NO_CHILD

__all__ = ["outcome_as_told", "without_rounded_gains"]

Rows = NDArray[np.int64]


def outcome_as_told(asked: InColumns, outcome: Outcome) -> Outcome:
    """Return the outcome of a problem in columns as one of the original problem.

    No node of its tree can be replaced by one of its subtrees at the same cost.

    Parameters
    ----------
    asked : InColumns
        The problem.
    outcome : Outcome
        However the search ended.
    """
    found = asked.lift(outcome)
    if found.tree is None or not _concerns(asked.original, found.tree):
        return found
    return replace(found, tree=_reduced(asked, found.tree))


def without_rounded_gains(problem: Problem, tree: Tree) -> Tree:
    """Return a tree without nodes that save something in rounded costs only.

    A search in rounded weights cannot tell a node that saves nothing from one that saves a little.

    Parameters
    ----------
    problem : Problem
        What was asked; its costs are exact.
    tree : Tree
        A tree within its limits.
    """
    if not tree.size or problem.constrained or tree.surfaces:
        return tree
    asked = in_columns(problem)
    into = IntoColumns(asked)
    arrays = (tree.children_left, tree.children_right, tree.feature)
    given = into.within_limits(Given(*arrays, tree.goes_left, problem.dataset.X))
    simple = asked.lift_tree(grown(asked.problem, into.nodes(into.reduced(given))))
    if _concerns(problem, simple):
        simple = _reduced(asked, simple)
    costs = [as_tuple(cost_of_found(problem, each)) for each in (simple, tree)]
    fewer = simple.size < tree.size and costs[0] <= costs[1]
    return simple if fewer and not any(broken_limits(problem, simple)) else tree


def _concerns(problem: Problem, tree: Tree) -> bool:
    """Say whether rules may be told otherwise than they were tried, where nodes are free.

    The root's rule is that of the whole table, so a single node is told as it was tried. Where
    nodes cost something no best tree has one too many.
    """
    free = "size" not in problem.quantities and not problem.leaf_penalty
    free = free and problem.rate is None
    return free and tree.size > 1 and not (problem.constrained or tree.surfaces)


def _reduced(asked: InColumns, tree: Tree) -> Tree:
    """Replace nodes by their subtrees, as told, until none can be; every turn takes one away."""
    problem, into = asked.original, IntoColumns(asked)
    while True:
        told = _Told(problem, tree)
        given = told.without_spare_nodes()
        if given is None:
            return tree
        nodes = into.nodes(into.reduced(into.within_limits(given)))
        smaller = asked.lift_tree(grown(asked.problem, nodes))
        same = cost_of_found(problem, smaller) == cost_of_found(problem, tree)
        # A leaf of more rows may predict a class that may have no more leaves.
        if not same or any(broken_limits(problem, smaller)) or smaller.size >= tree.size:
            return tree
        tree = smaller


@dataclass
class _Told:
    """A tree by what its nodes tell, whose children may be others than they were."""

    problem: Problem
    tree: Tree

    def __post_init__(self) -> None:
        self.left, self.right = self.tree.children_left.copy(), self.tree.children_right.copy()
        self.X = self.problem.dataset.X

    def without_spare_nodes(self) -> Given | None:
        """Return the tree with nodes replaced by their subtrees; None if no node can be."""
        before = self._size(0)
        root = self._replaced(0, np.arange(len(self.X)))
        if self._size(root) == before:
            return None
        goes_left: Callable[[int, NDArray[np.float64]], NDArray[np.bool_]] = self.tree.goes_left
        return Given(self.left, self.right, self.tree.feature, goes_left, self.X, root)

    def _replaced(self, node: int, rows: Rows) -> int:
        """Return what stands in the place of a node in the end."""
        if self.left[node] == NO_CHILD:
            return node
        to_left, to_right = self._sides(node, rows)
        if not len(to_left) or not len(to_right):
            return self._replaced(int(self.left[node] if len(to_left) else self.right[node]), rows)
        self.left[node] = self._replaced(int(self.left[node]), to_left)
        self.right[node] = self._replaced(int(self.right[node]), to_right)
        cost = self._cost(node, rows)
        for child in sorted((int(self.left[node]), int(self.right[node])), key=self._size):
            if self._cost(child, rows) == cost:
                return self._replaced(child, rows)
        return node

    def _sides(self, node: int, rows: Rows) -> tuple[Rows, Rows]:
        goes_left = self.tree.goes_left(node, self.X[rows])
        return rows[goes_left], rows[~goes_left]

    def _cost(self, node: int, rows: Rows) -> int | Fraction:
        """Return what a subtree costs on some rows; a node that does not divide them is none."""
        term = self.problem.term
        if self.left[node] == NO_CHILD:
            return term.leaf(self.problem.dataset, rows)
        children = (int(self.left[node]), int(self.right[node]))
        sides = zip(children, self._sides(node, rows), strict=True)
        costs = [self._cost(child, part) for child, part in sides if len(part)]
        return costs[0] if len(costs) == 1 else term.join(*costs)

    def _size(self, node: int) -> int:
        if self.left[node] == NO_CHILD:
            return 0
        return 1 + self._size(int(self.left[node])) + self._size(int(self.right[node]))
