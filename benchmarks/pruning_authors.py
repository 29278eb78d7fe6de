"""Cost-complexity pruning as the authors' program does it, to explain its numbers in Table 1.

It differs from CART in two ways. It prunes all nodes at the same time whose strength in the
original tree is at most a threshold, whereas CART prunes one weakest link after another and
computes the strengths again. And of all thresholds with the fewest errors in cross-validation it
takes the mean of the first and the last, which can be a threshold with more errors.
"""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import KFold

from exactree.prune.examples import errors_at_nodes, read_examples
from exactree.prune.partly_pruned import collapsed
from exactree.trees import Tree

__all__ = ["prune_as_the_authors"]

N_FOLDS = 10
Grow = Callable[[Any, Any], Tree]


def prune_as_the_authors(
    tree: Tree, X: NDArray[np.float64], y: NDArray[Any], grow: Grow, *, modified: bool
) -> Tree:
    """Return the pruned tree; `modified` selects M-CART, whose complexity is `_complexity`."""
    strength = _strengths(tree, X, y, modified)
    thresholds = sorted(strength.values())
    if not thresholds:
        return tree
    errors = np.zeros(len(thresholds), dtype=np.int64)  # for each threshold, over all folds
    for train, held_out in KFold(n_splits=min(N_FOLDS, len(X))).split(X):
        pruned = grow(X[train], y[train])
        strength_in_fold = _strengths(pruned, X[train], y[train], modified)
        for index, threshold in enumerate(thresholds):
            weak = [node for node, value in strength_in_fold.items() if value <= threshold]
            if weak:
                pruned = collapsed(pruned, weak)
                strength_in_fold = _strengths(pruned, X[train], y[train], modified)
            errors[index] += (pruned.predict(X[held_out]) != y[held_out]).sum()
    best = np.flatnonzero(errors == errors.min())
    middle = (thresholds[best[0]] + thresholds[best[-1]]) / 2
    return collapsed(tree, [node for node, value in strength.items() if value <= middle])


def _strengths(
    tree: Tree, X: NDArray[np.float64], y: NDArray[Any], modified: bool
) -> dict[int, float]:
    """Return for each inner node the increase of errors by pruning it, per unit of complexity."""
    as_leaf = errors_at_nodes(tree, *read_examples(tree, X, y))
    of_subtree, leaves = as_leaf.copy(), np.ones(tree.node_count)
    strengths: dict[int, float] = {}
    for node in range(tree.node_count - 1, -1, -1):  # children follow their parents
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            continue
        of_subtree[node] = of_subtree[left] + of_subtree[right]
        leaves[node] = leaves[left] + leaves[right]
        decrease = leaves[node] - 1
        if modified:
            of_leaf, of_leaves = (_complexity(n, *X.shape) for n in (1, leaves[node]))
            decrease = of_leaves - of_leaf
        strengths[node] = float(as_leaf[node] - of_subtree[node]) / decrease
    return strengths


def _complexity(leaves: float, n_examples: int, n_features: int) -> float:
    """Return d log(m / d), where d = leaves * log(features * leaves) and m examples."""
    d = leaves * log(n_features * leaves)
    return d * log(n_examples / d)
