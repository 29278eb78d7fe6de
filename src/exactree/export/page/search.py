"""The front that a report searches for itself: the least errors by size, for trees as deep."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.errors import MethodRefused
from exactree.export.page.known import is_weighted
from exactree.problem import Limits, Problem
from exactree.rules import AxisParallel
from exactree.trees import Ensemble, RegressionTree
from exactree.trees.routing import EQUAL, IN

if TYPE_CHECKING:
    from exactree.problem import Outcome
    from exactree.trees import Tree

__all__ = ["searched_front"]


def searched_front(tree: Tree | Ensemble, X: Any, y: Any, seconds: float) -> list[Outcome]:
    """Return the least errors by size of trees as deep as this one, as far as time allows.

    Parameters
    ----------
    tree : Tree or Ensemble
        What it asks says which columns hold codes. Of an ensemble, of a tree of weighted
        sums and of one that was fitted with weights no front is searched for.
    X, y : array-like
        The examples of its fit.
    seconds : float
        Time.

    Returns
    -------
    list of Outcome
        Empty where nothing can search for it.
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
        raise KeyboardInterrupt  # who stops the search wants no page
    return front
