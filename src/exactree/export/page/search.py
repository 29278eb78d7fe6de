"""The front of a report: the minimum errors by size of trees of at most the same depth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import MethodRefused
from exactree.export.held_out import is_weighted
from exactree.problem import Limits, Problem
from exactree.rules import AxisParallel
from exactree.trees import Ensemble, RegressionTree
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from exactree.problem import Outcome
    from exactree.trees import Tree

__all__ = ["searched_front"]


def searched_front(tree: Tree | Ensemble, X: Any, y: Any, seconds: float) -> list[Outcome]:
    """Return the minimum errors by size of trees of at most this depth, as far as time allows.

    Parameters
    ----------
    tree : Tree or Ensemble
        The model; its splits determine the columns of codes. No front is searched for an ensemble,
        for a tree with weighted sums, or after a fit with weights.
    X, y : array-like
        The training examples.
    seconds : float
        Time limit.

    Returns
    -------
    list of Outcome
        Empty if no method accepts the problem.
    """
    from exactree.fronts import pareto_front

    if isinstance(tree, Ensemble) or len(tree.surfaces) or is_weighted(tree):
        return []
    term = tree.error_term if isinstance(tree, RegressionTree) else "errors"
    code_features = set(tree.feature[np.isin(tree.comparison, (EQUAL, IN))].tolist())
    try:
        problem = Problem(
            X,
            y,
            rules=AxisParallel(level_sets=bool(tree.level_sets)),
            minimize=term,
            categories=sorted(code_features - set(tree.levels)) or None,
            limits=Limits(max_depth=max(1, tree.depth)),
        )
        front = pareto_front(problem, ("size", term), time_limit=seconds)
    except MethodRefused:
        return []
    if front and front[-1].stopped_by == "interrupt":
        raise KeyboardInterrupt  # after Ctrl-C the user wants no page
    return front
