"""Rounding to float32: whether the rows of a problem still reach the same leaves."""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from exactree.problem.outcome import Outcome
from exactree.problem.problem import Problem
from exactree.trees import Ensemble, Tree

__all__ = ["note_float32"]

# Rows per batch: with ten features, a batch fits into a processor cache.
_CHUNK = 1 << 13


def note_float32(problem: Problem, outcome: Outcome) -> Outcome:
    """Return an outcome whose trees record whether float32 moves a row to another leaf.

    This is checked here, where the rows are available, because a tree does not keep them and its
    thresholds do not determine the result: the threshold 1.0 also separates 1.0 from the next
    float64.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    outcome : Outcome
        The outcome of the search.
    """

    def with_note(tree: Tree) -> Tree:
        return replace(tree, same_in_float32=_keeps_leaves(tree, problem.dataset.X))

    if outcome.ensemble is not None:
        return replace(outcome, ensemble=Ensemble(tuple(map(with_note, outcome.ensemble.trees))))
    return outcome if outcome.tree is None else replace(outcome, tree=with_note(outcome.tree))


def _keeps_leaves(tree: Tree, X: NDArray[np.float64]) -> bool:
    """Return whether all rows reach the same leaves after features are rounded to float32."""
    if tree.size == 0:
        return True
    return all(_keep_leaves(tree, X[at : at + _CHUNK]) for at in range(0, len(X), _CHUNK))


def _keep_leaves(tree: Tree, X: NDArray[np.float64]) -> bool:
    with np.errstate(over="ignore"):
        rounded = X.astype(np.float32).astype(np.float64)
    return bool((tree.leaf_index(X) == tree.leaf_index(rounded)).all())
