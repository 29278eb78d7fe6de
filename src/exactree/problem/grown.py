"""The tree that a solver's answer describes, for classes or for numbers, as a problem asks."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Errors
from exactree.problem.problem import Problem
from exactree.trees import Tree, grow, grow_regression
from exactree.trees.arrays import Node

__all__ = ["grown"]


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
        The class index that each leaf of a tree in an ensemble predicts.

    Returns
    -------
    Tree
        A `RegressionTree` where labels are numbers.
    """
    dataset, term = problem.dataset, problem.term
    if isinstance(term, Errors):
        return grow(dataset, nodes, leaf_classes)

    def measure(part: NDArray[np.int64]) -> tuple[Fraction, Fraction]:
        return Fraction(term.leaf(dataset, part)), term.predicted(dataset, part)

    return grow_regression(dataset, nodes, problem.error_term, measure)
