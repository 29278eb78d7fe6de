"""The arrays of a tree in preorder, and the routing of examples through them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from exactree.errors import InternalError

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from scipy.sparse import csr_matrix

    from exactree.trees.tree import Tree

NO_CHILD = -1
NO_FEATURE = -2
NO_THRESHOLD = -2.0
# Comparisons of a node: a number is at most the threshold, a code equals it, or the code is in the
# set whose index is the threshold.
AT_MOST = "<="
EQUAL = "=="
IN = "in"
NO_COMPARISON = ""
# The value of `Tree.missing` at nodes fitted without missing values; at other nodes LEFT or RIGHT.
NONE_MISSING = ""

# Number of rows that `route_by_nodes` routes together.
_BLOCK = 16384


def node_depths(
    children_left: NDArray[np.int64], children_right: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Return the number of nodes above each node, for children that follow their parents."""
    depths = [0] * len(children_left)
    for node, (left, right) in enumerate(
        zip(children_left.tolist(), children_right.tolist(), strict=True)
    ):
        if left != NO_CHILD:
            depths[left] = depths[right] = depths[node] + 1
    return np.array(depths, dtype=np.int64)


def route(
    tree: Tree, X: NDArray[np.float64], threshold: NDArray[np.float64] | None = None
) -> NDArray[np.int64]:
    """Return the leaf of each row, moving all rows down one level at a time.

    The tree has neither surfaces nor sets of levels, which `route_by_nodes` handles. `threshold`
    replaces the thresholds of the tree.
    """
    reached = np.zeros(len(X), dtype=np.int64)
    if tree.is_leaf(0):
        return reached
    threshold = tree.threshold if threshold is None else threshold
    comparisons = set(tree.comparison.tolist())
    if not comparisons <= {AT_MOST, EQUAL, NO_COMPARISON}:
        raise InternalError("`route` got a tree with other comparisons than <= and ==")
    by_code = tree.comparison == EQUAL if EQUAL in comparisons else None
    # Flat arrays and `take` are several times faster than indices in brackets.
    entries, width = X.ravel(), X.shape[1]
    rows = np.arange(len(X))
    current = reached
    while len(rows):
        value = entries.take(rows * width + tree.feature.take(current))
        limit = threshold.take(current)
        left = value <= limit
        if by_code is not None:
            left = (left & ~by_code.take(current)) | (value == limit)
        absent = np.isnan(value)
        if absent.any():
            left = np.where(absent, tree.missing_go_to_left.take(current), left)
        children = tree.children_left.take(current), tree.children_right.take(current)
        current = np.where(left, *children)
        unfinished = tree.children_left.take(current) != NO_CHILD
        if not unfinished.all():
            reached[rows] = current
            rows, current = rows[unfinished], current[unfinished]
    return reached


def route_by_nodes(tree: Tree, X: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the leaf of each row, node by node, so that sums are computed for few rows only.

    Rows are routed in blocks that fit into the processor's cache, with contiguous columns.
    """
    reached = np.empty(len(X), dtype=np.int64)
    for start in range(0, len(X), _BLOCK):
        columns = np.ascontiguousarray(X[start : start + _BLOCK].T)
        waiting = [(0, np.arange(start, start + columns.shape[1]), columns)]
        while waiting:
            node, rows, subset = waiting.pop()
            if tree.is_leaf(node):
                reached[rows] = node
                continue
            left = goes_left(tree, node, subset.T)
            for child, goes in (
                (tree.children_left[node], left),
                (tree.children_right[node], ~left),
            ):
                chosen = np.flatnonzero(goes)
                if len(chosen):
                    # Rows that end in a leaf need no features.
                    inner = subset if tree.is_leaf(child) else subset[:, chosen]
                    waiting.append((int(child), rows[chosen], inner))
    return reached


def goes_left(
    tree: Tree, node: int, X: NDArray[np.float64], rows: NDArray[np.int64] | None = None
) -> NDArray[np.bool_]:
    """Return for each of some rows of a checked table whether it goes left at an inner node."""
    feature, threshold = int(tree.feature[node]), tree.threshold[node]
    surface = feature - tree.n_features
    if surface >= 0:
        return np.asarray(
            tree.surfaces.sums_of(surface, X if rows is None else X[rows]) <= threshold
        )
    column = X[:, feature] if rows is None else X[rows, feature]
    comparison = str(tree.comparison[node])
    if comparison == AT_MOST:
        left = column <= threshold
    elif comparison == EQUAL:
        left = column == threshold
    elif comparison == IN:
        left = np.isin(column, tree.level_set_at(node))
    else:
        raise InternalError(f"node {node} of a tree has the comparison {comparison!r}")
    return np.asarray(np.where(np.isnan(column), tree.missing_go_to_left[node], left))


def paths_csr(
    children_left: NDArray[np.int64],
    children_right: NDArray[np.int64],
    leaves: NDArray[np.int64],
) -> csr_matrix:
    """Return the indicator matrix of the nodes on the paths to the given leaves."""
    from scipy.sparse import csr_matrix

    depths = node_depths(children_left, children_right)
    passed = np.full((len(depths), int(depths.max()) + 1), NO_CHILD, dtype=np.int64)
    passed[0, 0] = 0
    for node in range(len(depths)):
        for child in (children_left[node], children_right[node]):
            if child != NO_CHILD:
                passed[child] = passed[node]
                passed[child, depths[child]] = child
    rows = passed[leaves]
    indices = rows[rows != NO_CHILD]
    starts = np.concatenate(([0], np.cumsum(depths[leaves] + 1)))
    ones = np.ones(len(indices), dtype=np.int64)
    return csr_matrix((ones, indices, starts), shape=(len(leaves), len(depths)))
