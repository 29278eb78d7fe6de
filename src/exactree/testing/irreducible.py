"""The law that no node of a solution can be removed within the limits at no cost.

The check works on the arrays of fitted trees, so that it shares no code with the specifications.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.errors import weight_by_class
from exactree.problem import Problem
from exactree.problem.confusion import keeps_rates
from exactree.problem.quantities import Number, as_tuple
from exactree.rules import SurfaceRule
from exactree.trees import Tree

__all__ = ["check_irreducible"]

Subset = NDArray[np.int64]
# A tree as nested tuples: the class index of a leaf, or the rule of a node and its two subtrees.
NestedTree = Any


def check_irreducible(problem: Problem, found: Tree | Sequence[Tree]) -> None:
    """Check that collapsing a node, or replacing it by one of its subtrees, always raises the cost.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    found : Tree or sequence of Tree
        The tree, or the trees of the ensemble.

    Raises
    ------
    AssertionError
        If such a smaller solution meets the limits and costs no more.
    """
    trees = [found] if isinstance(found, Tree) else list(found)
    nested_trees = [_nested(tree, 0, {}) for tree in trees]
    cost = _cost_within_limits(problem, nested_trees)
    if cost is None:
        raise AssertionError("the solution itself breaks a limit")
    for k, tree in enumerate(trees):
        for node, replacement, action in _replacements(problem, tree):
            smaller = _cost_within_limits(
                problem,
                [*nested_trees[:k], _nested(tree, 0, {node: replacement}), *nested_trees[k + 1 :]],
            )
            if smaller is not None and _not_more_expensive(problem, smaller, cost):
                where = f"node {node}" + (f" of tree {k}" if len(trees) > 1 else "")
                raise AssertionError(f"{where} can be {action}: cost {smaller} <= {cost}")


def _replacements(problem: Problem, tree: Tree) -> Iterator[tuple[int, NestedTree, str]]:
    """Yield every node with each subtree that may replace it, and the name of the replacement."""
    # The leaves of a single tree predict their majority, whatever class is given here.
    classes = range(tree.n_classes if _labels_are_free(problem) else 1)
    for node in np.flatnonzero(tree.children_left >= 0).tolist():
        for label in classes:
            yield node, label, "collapsed"
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        for child in (left, right):
            yield node, _nested(tree, child, {}), f"replaced by its subtree {child}"


def _nested(tree: Tree, node: int, replacements: dict[int, NestedTree]) -> NestedTree:
    """Return a subtree as nested tuples, with some nodes replaced."""
    if node in replacements:
        return replacements[node]
    if tree.children_left[node] < 0:
        return int(tree.prediction[node])
    left = _nested(tree, int(tree.children_left[node]), replacements)
    right = _nested(tree, int(tree.children_right[node]), replacements)
    surface = int(tree.feature[node]) - tree.n_features
    if surface >= 0:
        return (tree.surfaces.rule(surface, float(tree.threshold[node])), left, right)
    node_rule = (
        int(tree.feature[node]),
        str(tree.comparison[node]),
        tree.level_set_at(node) or float(tree.threshold[node]),
        bool(tree.missing_go_to_left[node]),
    )
    return (node_rule, left, right)


def _cost_within_limits(
    problem: Problem, nested_trees: Sequence[NestedTree]
) -> tuple[Number, ...] | None:
    """Return the cost of a solution, counted anew; None if it breaks a limit.

    With a rate as objective, the false positives and false negatives follow the cost.
    """
    data, limits = problem.dataset, problem.limits
    votes = np.zeros((len(data.X), len(data.classes)), dtype=np.int64)
    for nested in nested_trees:
        leaves = list(_leaves(problem, nested, np.arange(len(data.X))))
        for subset, label in leaves:
            votes[subset, label] += 1
        per_class = Counter(label for _, label in leaves)
        if any(per_class[label] > limit for label, limit in problem.leaf_limits.items()):
            return None
        if any(len(subset) < problem.min_rows for subset, _ in leaves):
            return None
    wrong = votes.argmax(axis=1) != data.labels
    errors: int | Fraction = int(data.weights[wrong].sum())
    error_pair: list[int] = []  # false positives and false negatives
    if problem.rate is not None:
        predicted, true = votes.argmax(axis=1) == problem.positive, data.labels == problem.positive
        wrong_rows = (predicted & ~true, ~predicted & true)
        error_pair = [int(data.weights[rows].sum()) for rows in wrong_rows]
        if not keeps_rates(problem, *error_pair):
            return None
        errors = problem.rate.errors(*error_pair)
    elif not problem.plain_errors:
        subsets = [
            subset for subset, _ in _leaves(problem, nested_trees[0], np.arange(len(data.X)))
        ]
        errors = sum(problem.term.leaf(data, subset) for subset in subsets)
    limit = problem.max_errors
    if limit is not None and Fraction(errors, data.weight_scale) > limit:
        return None
    sizes, depths = (
        [_size(nested) for nested in nested_trees],
        [_depth(nested) for nested in nested_trees],
    )
    broken = (
        (limits.max_depth is not None and max(depths) > limits.max_depth)
        or (limits.max_size is not None and max(sizes) > limits.max_size)
        or (limits.max_total_size is not None and sum(sizes) > limits.max_total_size)
    )
    if broken:
        return None
    return (*as_tuple(problem.exact_cost_of(errors, sizes, depths)), *error_pair)


def _leaves(problem: Problem, nested: NestedTree, subset: Subset) -> Iterator[tuple[Subset, int]]:
    """List the leaves of a tree: their rows and their predicted class."""
    if not isinstance(nested, tuple):
        if not _labels_are_free(problem):
            nested = problem.predicted(weight_by_class(problem.dataset, subset))
        yield subset, nested
        return
    rule, left, right = nested
    if isinstance(rule, SurfaceRule):
        goes_left = rule.holds(problem.dataset.X[subset])
    else:
        feature, comparison, threshold, missing_left = rule
        column = problem.dataset.X[subset, feature]
        if comparison == "in":
            goes_left = np.isin(column, threshold)
        else:
            goes_left = column == threshold if comparison == "==" else column <= threshold
        goes_left[np.isnan(column)] = missing_left
    yield from _leaves(problem, left, subset[goes_left])
    yield from _leaves(problem, right, subset[~goes_left])


def _not_more_expensive(
    problem: Problem, smaller: tuple[Number, ...], cost: tuple[Number, ...]
) -> bool:
    """Return whether a cost is not greater; with a rate, neither kind of error may be greater."""
    if problem.rate is not None:
        return all(a <= b for a, b in zip(smaller, cost, strict=True))
    return smaller <= cost


def _labels_are_free(problem: Problem) -> bool:
    """Return whether a leaf may predict another class than the cheapest."""
    return problem.n_trees > 1 or problem.rate is not None


def _size(nested: NestedTree) -> int:
    return _size(nested[1]) + _size(nested[2]) + 1 if isinstance(nested, tuple) else 0


def _depth(nested: NestedTree) -> int:
    return max(_depth(nested[1]), _depth(nested[2])) + 1 if isinstance(nested, tuple) else 0
