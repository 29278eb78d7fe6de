"""All optimal trees under constraints, or all within a slack of the minimum cost, once each.

All trees that satisfy the constraints are listed (`exactree.spec.constrained`), and those whose
cost exceeds the minimum by at most the slack are kept, by cost, then by size.

Two trees are the same if corresponding nodes use the same feature and send the same rows of their
subset left. Thresholds of monotone trees lie between two neighbouring values of the whole table, so
several monotone trees may be the same; the first of them stands for all.
"""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from exactree.problem import Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.problem.quantities import within_slack
from exactree.spec.constrained import Subset, feasible_trees, feature_of, order, refuse_many
from exactree.spec.trees import SpecLeaf, SpecTree

__all__ = ["identity", "optimal_trees"]


def optimal_trees(
    problem: Problem, slack: Sequence[Fraction], check: Callable[[], None]
) -> Iterator[SpecTree]:
    """Return every tree of minimum cost that satisfies all constraints once, smaller trees first.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table.
    slack : sequence of Fraction
        The allowed excess of each minimized quantity over its value in the minimum cost.
    check : callable
        Called before every tree; it may raise to end the enumeration.

    Raises
    ------
    MethodRefused
        If there are too many trees to list; usually at once, else after as many.
    """
    refuse_many(problem)
    return _optimal_trees(problem, slack, check)


def _optimal_trees(
    problem: Problem, slack: Sequence[Fraction], check: Callable[[], None]
) -> Iterator[SpecTree]:
    if infeasible_without_search(problem) is not None:
        return
    everything = np.arange(len(problem.dataset.X))
    found: dict[Any, SpecTree] = {}
    for tree in feasible_trees(problem, check):
        found.setdefault(identity(problem, tree, everything), tree)
    ranked: list[tuple[Any, SpecTree]]
    ranked = sorted(((order(problem, tree), tree) for tree in found.values()), key=lambda t: t[0])
    for rank, tree in ranked:
        if within_slack(rank[0], ranked[0][0][0], slack):
            check()
            yield tree


def identity(problem: Problem, tree: SpecTree, subset: Subset) -> Any:
    """Return a value that is equal for trees that are the same.

    Parameters
    ----------
    problem : Problem
        The table.
    tree : SpecTree
        A tree of features, not of surfaces.
    subset : ndarray of int64
        Its rows.
    """
    if isinstance(tree, SpecLeaf):
        return tree.label
    left = tree.rule.holds(problem.dataset.X[subset])
    return (
        feature_of(tree.rule),
        tuple(subset[left].tolist()),
        identity(problem, tree.left, subset[left]),
        identity(problem, tree.right, subset[~left]),
    )
