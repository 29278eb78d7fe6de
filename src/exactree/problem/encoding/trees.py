"""Trees from the nodes that a search returns, their leaf costs, and other thresholds."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives import ClassCosts, Errors
from exactree.problem.problem import Problem
from exactree.trees import Tree, grow, grow_regression
from exactree.trees.arrays import ArrayNode, totals_of
from exactree.trees.routing import AT_MOST

__all__ = ["costs_of_nodes", "tree_from_nodes", "with_thresholds"]


def tree_from_nodes(
    problem: Problem, nodes: Sequence[ArrayNode], leaf_classes: Sequence[int] | None = None
) -> Tree:
    """Return the tree that nodes describe, with the predictions of its leaves.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    nodes : sequence of (feature, low, high, left, right)
        As in `exactree.trees.grow`.
    leaf_classes : sequence of int, optional
        The class index that each leaf predicts, for a tree of an ensemble, or if a rate is
        minimized. By default every leaf makes the cheapest prediction.

    Returns
    -------
    Tree
        A `RegressionTree` if the problem is a regression.
    """
    dataset, term = problem.dataset, problem.term
    if isinstance(term, Errors):
        return grow(dataset, nodes, leaf_classes)
    if isinstance(term, ClassCosts):
        return grow(dataset, nodes, predicted_class=term.predicted_class)

    def measure(subset: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        return term.measured(dataset, subset)

    return grow_regression(dataset, nodes, problem.error_term, measure)


def costs_of_nodes(dataset: Dataset, tree: Tree, term: ClassCosts) -> NDArray[np.float64]:
    """Return the cost, without its price, of a leaf in the place of each node.

    Parameters
    ----------
    dataset : Dataset
        The table the tree was fitted to.
    tree : Tree
        The tree.
    term : ClassCosts
        The objective.
    """
    totals = totals_of(dataset, tree).tolist()
    return np.array([float(term.value(term.of_weights(weights))) for weights in totals])


def with_thresholds(tree: Tree, thresholds: Sequence[float]) -> Tree:
    """Return the tree with other thresholds that split its table in the same way.

    Parameters
    ----------
    tree : Tree
        Any tree.
    thresholds : sequence of float
        One for every node in preorder; entries of leaves and of splits by codes are ignored.
    """
    chosen = np.where(tree.comparison == AT_MOST, thresholds, tree.threshold)
    return replace(tree, threshold=chosen, same_in_float32=None)
