"""Answers of searches in columns, without nodes that rules as they are reported make superfluous.

A search looks at rules as columns of the whole table. A tree tells of a rule what the subset
of its node shows: only the levels that it met there go left, missing values that it did not meet
follow the larger child, and a threshold lies between two values of the subset, where other examples
of the table may have values, too. Of a larger subset that is a rule of the problem, too, but it may
be another one than the search has tried there. So a subtree may do in place of a larger one, at the
same cost, that the search could not put there.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from exactree.problem.cost import as_tuple
from exactree.problem.encoding.columns import EncodedProblem, in_columns
from exactree.problem.encoding.tree_encoder import SourceTree, TreeEncoder
from exactree.problem.encoding.trees import tree_from_nodes
from exactree.problem.outcome import Outcome
from exactree.problem.problem import Problem
from exactree.problem.reduction import Cost, Reduction
from exactree.problem.verification.recount import broken_limits, cost_of_found, errors_of_found
from exactree.trees import Tree

__all__ = ["decode_outcome", "without_rounded_gains"]


def decode_outcome(
    encoded: EncodedProblem, outcome: Outcome, stopped: Callable[[], bool] = lambda: False
) -> Outcome:
    """Return the outcome of a problem in columns as one of the original problem.

    No node of its tree can be replaced by one of its subtrees at the same cost, unless the time is
    over before that has been seen to.

    Parameters
    ----------
    encoded : EncodedProblem
        The problem.
    outcome : Outcome
        However the search ended.
    stopped : callable
        Tells that the time is over.
    """
    found = encoded.lift(outcome)
    if found.tree is None or not _concerns(encoded.original, found.tree):
        return found
    return replace(found, tree=_reduced(encoded, found.tree, stopped))


def without_rounded_gains(problem: Problem, tree: Tree) -> Tree:
    """Return a tree without nodes that save something in rounded costs only.

    A search in rounded weights cannot tell a node that saves nothing from one that saves a little.

    Parameters
    ----------
    problem : Problem
        The problem that was solved; its costs are exact.
    tree : Tree
        A tree within its limits.
    """
    if not tree.size or problem.constrained or tree.surfaces:
        return tree
    encoded = in_columns(problem)
    into = TreeEncoder(encoded)
    arrays = (tree.children_left, tree.children_right, tree.feature)
    source = into.within_limits(SourceTree(*arrays, tree.goes_left, problem.dataset.X))
    simple = encoded.lift_tree(tree_from_nodes(encoded.problem, into.nodes(into.reduced(source))))
    if _concerns(problem, simple):
        simple = _reduced(encoded, simple, lambda: False)
    costs = [as_tuple(cost_of_found(problem, each)) for each in (simple, tree)]
    fewer = simple.size < tree.size and costs[0] <= costs[1]
    return simple if fewer and not any(broken_limits(problem, simple)) else tree


def _concerns(problem: Problem, tree: Tree) -> bool:
    """Say whether rules may be told otherwise than they were tried, where nodes are free.

    The root's rule is that of the whole table, so a single node is reported as it was tried. Where
    nodes cost something no best tree has one too many.
    """
    free = "size" not in problem.quantities and not problem.leaf_penalty
    free = free and problem.rate is None
    return free and tree.size > 1 and not (problem.constrained or tree.surfaces)


def _reduced(encoded: EncodedProblem, tree: Tree, stopped: Callable[[], bool]) -> Tree:
    """Replace nodes by their subtrees, as told, until none can be; every turn takes one away."""
    problem, into = encoded.original, TreeEncoder(encoded)
    while True:
        source = _without_spare_nodes(problem, tree, stopped)
        if source is None:
            return tree
        nodes = into.nodes(into.reduced(into.within_limits(source)))
        smaller = encoded.lift_tree(tree_from_nodes(encoded.problem, nodes))
        same = cost_of_found(problem, smaller) == cost_of_found(problem, tree)
        # A leaf of more rows may predict a class that may have no more leaves.
        if not same or any(broken_limits(problem, smaller)) or smaller.size >= tree.size:
            return tree
        tree = smaller


def _without_spare_nodes(
    problem: Problem, tree: Tree, stopped: Callable[[], bool]
) -> SourceTree | None:
    """Return the tree with nodes replaced by their subtrees; None if no node can be."""
    X = problem.dataset.X
    reduction = Reduction(
        tree.children_left.copy(),
        tree.children_right.copy(),
        lambda node, rows: tree.goes_left(node, X[rows]),
        lambda rows: problem.term.leaf(problem.dataset, rows),
        problem.term,
        _spare(problem, tree),
        stopped,
    )
    root = reduction.run(0, np.arange(len(X)))
    if reduction.size[root] == tree.size:
        return None
    return SourceTree(reduction.left, reduction.right, tree.feature, tree.goes_left, X, root)


def _spare(problem: Problem, tree: Tree) -> Cost | None:
    """Return how many more errors the tree may make where only their limit matters, else None."""
    if problem.error_term in problem.quantities or not problem.plain_errors:
        return None
    most = problem.most_errors
    return None if most is None else most - errors_of_found(problem, tree)
