"""Reduction of a tree until no node can be removed without raising the cost.

A tree joined from two optimal children may be reducible: one child alone, as a tree for all
examples, may not cost more.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.problem import Cost, Problem
from exactree.problem.quantities import as_tuple
from exactree.trees.arrays import ArrayNode

__all__ = ["irreducible"]

# None for a leaf, or a feature, the largest value that goes left, and the two children.
Nested = tuple[int, float, Any, Any] | None


def irreducible(problem: Problem, nodes: Sequence[ArrayNode]) -> list[ArrayNode]:
    """Replace nodes by a leaf or by one of their children as long as the cost does not increase.

    Parameters
    ----------
    problem : Problem
        A regression problem in columns.
    nodes : sequence of tuple
        Nodes as for `exactree.trees.arrays.grow`, of a tree within the limits.

    Returns
    -------
    list of tuple
        The nodes of the reduced tree.
    """
    tree = _nested(nodes, 0)
    while (smaller := _smaller(problem, tree)) is not None:
        (tree,) = smaller
    rows = np.arange(len(problem.dataset.X))
    return _listed(problem.dataset.X, tree, rows, 0)


def _nested(nodes: Sequence[ArrayNode], at: int) -> Nested:
    feature, low, _, left, right = nodes[at]
    if feature < 0:
        return None
    return (feature, low, _nested(nodes, left), _nested(nodes, right))


def _smaller(problem: Problem, tree: Nested) -> tuple[Nested] | None:
    """Return a smaller tree that does not cost more, or None if there is none.

    The tree is returned in a tuple of length one, because a leaf is None.
    """
    tree_cost = _cost(problem, tree)
    assert tree_cost is not None
    for smaller in _variants(tree):
        cost = _cost(problem, smaller)
        if cost is not None and as_tuple(cost) <= as_tuple(tree_cost):
            return (smaller,)
    return None


def _variants(tree: Nested) -> Iterator[Nested]:
    """List the trees in which one node is replaced by a leaf, or by one of its children."""
    if tree is None:
        return
    feature, low, left, right = tree
    yield from (None, left, right)
    yield from ((feature, low, smaller, right) for smaller in _variants(left))
    yield from ((feature, low, left, smaller) for smaller in _variants(right))


def _cost(problem: Problem, tree: Nested) -> Cost | None:
    """Return the exact cost of a tree; None if a leaf has too few rows."""
    dataset = problem.dataset
    subsets = list(_leaves(dataset.X, tree, np.arange(len(dataset.X))))
    if any(len(subset) < problem.min_rows for subset in subsets):
        return None
    errors = sum(problem.term.leaf(dataset, subset) for subset in subsets)
    return problem.exact_cost_of(errors, [len(subsets) - 1], [_depth(tree)])


def _leaves(
    X: NDArray[np.float64], tree: Nested, subset: NDArray[np.int64]
) -> Iterator[NDArray[np.int64]]:
    if tree is None:
        yield subset
        return
    feature, low, left, right = tree
    goes_left = X[subset, feature] <= low
    yield from _leaves(X, left, subset[goes_left])
    yield from _leaves(X, right, subset[~goes_left])


def _depth(tree: Nested) -> int:
    return 0 if tree is None else 1 + max(_depth(tree[2]), _depth(tree[3]))


def _listed(
    X: NDArray[np.float64], tree: Nested, subset: NDArray[np.int64], at: int
) -> list[ArrayNode]:
    """Return the nodes of a tree for a subset, with indices that start at `at`."""
    if tree is None:
        return [(-1, 0.0, 0.0, -1, -1)]
    feature, low, left, right = tree
    column = X[subset, feature]
    goes_left = column <= low
    lefts = _listed(X, left, subset[goes_left], at + 1)
    second = at + 1 + len(lefts)
    rights = _listed(X, right, subset[~goes_left], second)
    # The neighbouring values of this subset, which may differ from those of the original node.
    rule = (feature, float(column[goes_left].max()), float(column[~goes_left].min()))
    return [(*rule, at + 1, second), *lefts, *rights]
