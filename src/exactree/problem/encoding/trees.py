"""The tree that a solver's answer describes, for classes or for numbers, as a problem states."""

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives import ClassCosts, Errors
from exactree.problem.problem import Problem
from exactree.trees import Tree, grow, grow_regression
from exactree.trees.arrays import Node, totals_of
from exactree.trees.shape import AT_MOST

__all__ = ["costs_of_nodes", "tree_from_nodes", "with_thresholds"]


def tree_from_nodes(
    problem: Problem, nodes: Sequence[Node], leaf_classes: Sequence[int] | None = None
) -> Tree:
    """Return the tree that nodes describe, with what its leaves predict.

    Parameters
    ----------
    problem : Problem
        The problem that was solved.
    nodes : sequence of (feature, low, high, left, right)
        As in `exactree.trees.grow`.
    leaf_classes : sequence of int, optional
        The class index that each leaf predicts, of a tree in an ensemble, or where a rate is
        minimized.

    Returns
    -------
    Tree
        A `RegressionTree` where labels are numbers. Leaves predict what costs least.
    """
    dataset, term = problem.dataset, problem.term
    if isinstance(term, Errors):
        return grow(dataset, nodes, leaf_classes)
    if isinstance(term, ClassCosts):
        return grow(dataset, nodes, predicted=term.predicted_class)

    def measure(subset: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        return term.measured(dataset, subset)

    return grow_regression(dataset, nodes, problem.error_term, measure)


def costs_of_nodes(dataset: Dataset, tree: Tree, term: ClassCosts) -> NDArray[np.float64]:
    """Return what a leaf in the place of each node costs, without its price.

    Parameters
    ----------
    dataset : Dataset
        The table the tree was fitted to.
    tree : Tree
        The tree.
    term : ClassCosts
        What leaves cost.
    """
    totals = totals_of(dataset, tree).tolist()
    return np.array([float(term.value(term.of_weights(weights))) for weights in totals])


def with_thresholds(tree: Tree, thresholds: Sequence[float]) -> Tree:
    """Return the tree with other thresholds that divide its table as its own do.

    Parameters
    ----------
    tree : Tree
        Any tree.
    thresholds : sequence of float
        For every node in preorder; what stands for leaves and for codes is not looked at.
    """
    chosen = np.where(tree.comparison == AT_MOST, thresholds, tree.threshold)
    return replace(tree, threshold=chosen)
