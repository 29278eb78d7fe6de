"""Cost-complexity pruning as the authors' program does it, to explain its numbers in Table 1.

It differs from CART in two ways. The final tree loses at once every node whose strength, counted
in the whole tree, is at most a threshold; CART goes from weakest link to weakest link and counts
strengths anew. And of all thresholds with least errors in cross-validation it takes the middle
between the first and the last, which lies above all of them where they are few and far apart.
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
    """Return the pruned tree; modified is M-CART with the complexity of each subtree alone."""
    strength = _strengths(tree, X, y, modified)
    thresholds = sorted(strength.values())
    if not thresholds:
        return tree
    wrong = np.zeros(len(thresholds), dtype=np.int64)
    for rest, held_back in KFold(n_splits=min(N_FOLDS, len(X))).split(X):
        grown = grow(X[rest], y[rest])
        below = _strengths(grown, X[rest], y[rest], modified)
        for place, threshold in enumerate(thresholds):
            weak = [node for node, one in below.items() if one <= threshold]
            if weak:
                grown = collapsed(grown, weak)
                below = _strengths(grown, X[rest], y[rest], modified)
            wrong[place] += (grown.predict(X[held_back]) != y[held_back]).sum()
    least = np.flatnonzero(wrong == wrong.min())
    middle = (thresholds[least[0]] + thresholds[least[-1]]) / 2
    return collapsed(tree, [node for node, one in strength.items() if one <= middle])


def _strengths(
    tree: Tree, X: NDArray[np.float64], y: NDArray[Any], modified: bool
) -> dict[int, float]:
    """Return for each node the rise in errors over the fall in complexity of its subtree."""
    own = errors_at_nodes(tree, *read_examples(tree, X, y))
    below, leaves = own.copy(), np.ones(tree.node_count)
    found: dict[int, float] = {}
    for node in range(tree.node_count - 1, -1, -1):  # children follow their parents
        left, right = tree.children_left[node], tree.children_right[node]
        if left < 0:
            continue
        below[node], leaves[node] = below[left] + below[right], leaves[left] + leaves[right]
        fall = leaves[node] - 1
        if modified:
            few, many = (_complexity(n, *X.shape) for n in (1, leaves[node]))
            fall = many - few
        found[node] = float(own[node] - below[node]) / fall
    return found


def _complexity(leaves: float, n_examples: int, n_features: int) -> float:
    d = leaves * log(n_features * leaves)
    return d * log(n_examples / d)
