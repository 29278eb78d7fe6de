"""Good trees of surfaces, built from linear models and improved by a local search.

Nothing here is proved. A subset is split by the surface of minimum Gini impurity among the least
squares fits for each class, after a local search over their weights: in order, each weight is set
to the value of minimum impurity while the other weights are fixed (OC1 of Murthy, Kasif and
Salzberg). Other families of the problem contribute their thresholds and given rules.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.engine.oblique.rule_list import tree_of
from exactree.engine.oblique.split_search import (
    best_threshold,
    class_weights,
    impurity,
    locally_improved,
    rule_along,
)
from exactree.problem import Problem
from exactree.problem.quantities import as_tuple
from exactree.problem.reduction import Reduction
from exactree.problem.verification.recount import keeps_limits
from exactree.rules import (
    Column,
    Hypersurfaces,
    SurfaceColumn,
    families_of,
)
from exactree.rules.surface import Surfaces
from exactree.stopping import interrupted
from exactree.trees import Tree
from exactree.trees.routing import NO_CHILD

__all__ = ["Split", "linear_tree", "one_leaf"]

Split = tuple[Column | SurfaceColumn, NDArray[np.bool_]]


@dataclass
class _GrowingNode:
    """A node of a growing tree: its rows, its depth, and its best split."""

    subset: NDArray[np.int64]
    depth: int
    split: Split | None
    gain: float
    children: tuple["_GrowingNode", "_GrowingNode"] | None = None


def one_leaf(problem: Problem) -> Tree | None:
    """Return the tree of a single leaf, if it meets the limits.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    """
    tree = tree_of(problem, [None], [(-1, -1)])
    return tree if keeps_limits(problem, tree) else None


def linear_tree(problem: Problem, has_time: Callable[[], bool]) -> Tree | None:
    """Return a good tree within the limits, None if none was found.

    Repeatedly the leaf is split where this reduces the impurity most. Of all trees on the way the
    cheapest is returned.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    has_time : callable
        Returns whether there is time for another node.
    """
    root = _node(problem, np.arange(len(problem.dataset.X)), 0, has_time)
    best, lowest = _preorder(root), _cost(problem, root)
    for _ in range(problem.max_leaves - 1):
        leaf_to_split = max(_splittable_leaves(root), key=lambda node: node.gain, default=None)
        if leaf_to_split is None:
            break
        assert leaf_to_split.split is not None
        subset, depth = leaf_to_split.subset, leaf_to_split.depth + 1
        left = leaf_to_split.split[1][subset]
        left_node = _node(problem, subset[left], depth, has_time)
        right_node = _node(problem, subset[~left], depth, has_time)
        leaf_to_split.children = left_node, right_node
        cost = _cost(problem, root)
        if cost < lowest:
            best, lowest = _preorder(root), cost
        if problem.quantities[0] != "errors" and not lowest[0]:
            break  # the first tree within the limit on errors; larger trees are not better
    for nodes, children in (_without_superfluous_nodes(problem, *best), best):
        tree = tree_of(problem, nodes, children)
        # A leaf with more rows may predict a class whose number of leaves is at its limit.
        if keeps_limits(problem, tree):
            return tree
    return one_leaf(problem)


def _without_superfluous_nodes(
    problem: Problem, nodes: list[Split | None], children: list[tuple[int, int]]
) -> tuple[list[Split | None], list[tuple[int, int]]]:
    """Return a tree without the nodes that a leaf or a subtree can replace at no cost.

    Nodes are chosen by their impurity, so both children of a node may predict the same class.
    """
    if not problem.plain_errors or problem.constrained:
        return nodes, children
    left, right = (np.array(side, dtype=np.int64) for side in zip(*children, strict=True))

    def goes_left(node: int, subset: NDArray[np.int64]) -> NDArray[np.bool_]:
        split = nodes[node]
        assert split is not None
        return split[1][subset]

    def leaf(subset: NDArray[np.int64]) -> int:
        return _errors(problem, subset)

    rows = np.arange(len(problem.dataset.X))
    reduction = Reduction(left, right, goes_left, leaf, problem.term.laws, 0, interrupted)
    root = reduction.run(0, rows)
    limit = problem.max_error_weight
    if "errors" not in problem.quantities and limit is not None:
        reduction.spare = max(limit - reduction.cost[root], 0)
        root = reduction.run(root, rows)
    kept: list[Split | None] = []
    children_of_kept: list[tuple[int, int]] = []

    def write(node: int) -> int:
        index = len(kept)
        is_leaf = left[node] == NO_CHILD
        kept.append(None if is_leaf else nodes[node])
        children_of_kept.append((NO_CHILD, NO_CHILD))
        if not is_leaf:
            children_of_kept[index] = (write(int(left[node])), write(int(right[node])))
        return index

    write(root)
    return kept, children_of_kept


def _cost(problem: Problem, root: _GrowingNode) -> tuple[Any, ...]:
    """Return the key by which trees are compared: errors beyond the limit, then the cost."""
    leaves = list(_leaves(root))
    errors = sum(_errors(problem, leaf.subset) for leaf in leaves)
    limit = problem.max_error_weight
    beyond = 0 if limit is None else max(errors - limit, 0)
    depth = max(leaf.depth for leaf in leaves)
    return (beyond, *as_tuple(problem.cost_of(errors, [len(leaves) - 1], [depth])))


def _errors(problem: Problem, subset: NDArray[np.int64]) -> int:
    dataset = problem.dataset
    totals = [
        int(dataset.weights[subset][dataset.labels[subset] == label].sum())
        for label in range(len(dataset.classes))
    ]
    return sum(totals) - max(totals)


def _leaves(node: _GrowingNode) -> Iterator[_GrowingNode]:
    if node.children is None:
        yield node
    else:
        yield from _leaves(node.children[0])
        yield from _leaves(node.children[1])


def _splittable_leaves(root: _GrowingNode) -> Iterator[_GrowingNode]:
    """List the leaves that can be split."""
    return (leaf for leaf in _leaves(root) if leaf.split is not None)


def _preorder(root: _GrowingNode) -> tuple[list[Split | None], list[tuple[int, int]]]:
    """Return the nodes of a tree in preorder, and the positions of their children."""
    nodes: list[Split | None] = []
    children: list[tuple[int, int]] = []

    def write(node: _GrowingNode) -> int:
        index = len(nodes)
        nodes.append(None if node.children is None else node.split)
        children.append((-1, -1))
        if node.children is not None:
            children[index] = (write(node.children[0]), write(node.children[1]))
        return index

    write(root)
    return nodes, children


def _node(
    problem: Problem, subset: NDArray[np.int64], depth: int, has_time: Callable[[], bool]
) -> _GrowingNode:
    """Return a leaf with its best split, if there is time to search for one."""
    max_depth = problem.limits.max_depth
    totals = class_weights(problem, subset)
    own_impurity = float(impurity(totals.sum(axis=0), totals.sum(axis=0)[None])[0])
    at_max_depth = max_depth is not None and depth >= max_depth
    best, lowest = None, own_impurity
    if not at_max_depth and own_impurity > 0 and has_time():
        for column, left in _candidates(problem, subset):
            cost = float(impurity(totals.sum(axis=0), totals[left[subset]].sum(axis=0)[None])[0])
            rows = int(left[subset].sum())
            enough = min(rows, len(subset) - rows) >= problem.min_rows
            if enough and cost < lowest:
                best, lowest = (column, left), cost
    return _GrowingNode(subset, depth, best, own_impurity - lowest)


def _candidates(problem: Problem, subset: NDArray[np.int64]) -> Iterator[Split]:
    """List good splits of a subset, with the rows of the whole table that they send left."""
    classes = class_weights(problem, subset)
    for family in families_of(problem.rules):
        if isinstance(family, Hypersurfaces):
            yield from _surfaces(problem, family, subset, classes)
            continue
        for column in family.columns(problem.dataset.X):
            values = column.values(problem.dataset.X)
            threshold = best_threshold(values[subset], classes)
            if threshold is not None:
                yield column, values <= threshold


def _surfaces(
    problem: Problem,
    family: Hypersurfaces,
    subset: NDArray[np.int64],
    classes: NDArray[np.float64],
) -> Iterator[Split]:
    """List a surface for each class against the others, improved by the local search."""
    X = problem.dataset.X
    monomials = family.monomials(X.shape[1])
    units = tuple(tuple(row) for row in np.eye(len(monomials)).tolist())
    P = Surfaces(monomials, units).values(X[subset])
    middle, spread = P.mean(axis=0), P.std(axis=0)
    spread[spread == 0] = 1
    terms = np.column_stack([(P - middle) / spread, np.ones(len(subset))])
    weights = np.sqrt(classes.sum(axis=1))
    present = np.flatnonzero(classes.any(axis=0))
    for label in present[: 1 if len(present) == 2 else None].tolist():
        against = np.where(classes[:, label] > 0, -1.0, 1.0)
        start = np.linalg.lstsq(terms * weights[:, None], against * weights, rcond=None)[0]
        direction = locally_improved(terms, classes, start)[:-1] / spread
        rule = rule_along(monomials, direction, X[subset], classes)
        if rule is not None:
            yield SurfaceColumn(rule), rule.holds(X)
