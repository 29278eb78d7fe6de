"""The tree that a solver's answer describes, for classes or for numbers, as a problem asks."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.dataset import Dataset
from exactree.objectives import ClassCosts, Errors
from exactree.problem.problem import Problem
from exactree.trees import Tree, grow, grow_regression
from exactree.trees.arrays import Node, totals_of

__all__ = ["costs_of_nodes", "grown"]


def grown(
    problem: Problem, nodes: Sequence[Node], leaf_classes: Sequence[int] | None = None
) -> Tree:
    """Return the tree that nodes describe, with what its leaves predict.

    Parameters
    ----------
    problem : Problem
        What was asked.
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

    def measure(part: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        return term.measured(dataset, part)

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
