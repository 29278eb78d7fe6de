"""Removal of unnecessary nodes, by collapsing them or replacing them by a subtree at no cost.

The algorithms of the papers find trees of size or depth at most s, which may have unnecessary
nodes, or sibling leaves of the same class. The package returns irreducible trees.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np

from exactree.problem import Problem
from exactree.problem.confusion import keeps_rates
from exactree.problem.quantities import Number, as_tuple
from exactree.spec.trees import (
    FeatureRow,
    SpecLeaf,
    SpecNode,
    SpecTree,
    depth,
    goes_left,
    label_of,
    leaves,
    size,
)

__all__ = ["irreducible", "with_predicted_labels"]

TreeList = list[SpecTree]


def irreducible(problem: Problem, X: Sequence[FeatureRow], trees: Sequence[SpecTree]) -> TreeList:
    """Return the trees without the nodes that neither the cost nor the limits need.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    X : sequence of rows
        The table.
    trees : sequence of SpecTree
        A best tree, or the trees of a best ensemble.
    """
    found = relabelled(problem, X, trees)
    while True:
        cost = cost_within_limits(problem, X, found)
        for fewer in with_one_node_removed(problem, found):
            candidate = relabelled(problem, X, fewer)
            candidate_cost = cost_within_limits(problem, X, candidate)
            if candidate_cost is not None and cost is not None and candidate_cost <= cost:
                found = candidate
                break
        else:
            return found


def with_one_node_removed(problem: Problem, trees: TreeList) -> Iterator[TreeList]:
    """List the trees with one node collapsed into a leaf or replaced by one of its subtrees."""
    # The leaves of a single tree are relabelled afterwards, so any class will do.
    classes = range(len(problem.dataset.classes) if problem.n_trees > 1 else 1)

    def fewer(tree: SpecTree) -> Iterator[SpecTree]:
        if isinstance(tree, SpecNode):
            yield from (SpecLeaf(label) for label in classes)
            yield tree.left
            yield tree.right
            yield from (SpecNode(tree.rule, left, tree.right) for left in fewer(tree.left))
            yield from (SpecNode(tree.rule, tree.left, right) for right in fewer(tree.right))

    for k, tree in enumerate(trees):
        for smaller in fewer(tree):
            yield [*trees[:k], smaller, *trees[k + 1 :]]


def relabelled(problem: Problem, X: Sequence[FeatureRow], trees: Sequence[SpecTree]) -> TreeList:
    """Return a single tree with leaves labelled by their subsets, an ensemble unchanged."""
    if problem.n_trees > 1:
        return list(trees)
    return [with_predicted_labels(problem, X, tree, range(len(X))) for tree in trees]


def with_predicted_labels(
    problem: Problem, X: Sequence[FeatureRow], tree: SpecTree, subset: Sequence[int]
) -> SpecTree:
    """Return a tree whose leaves predict the cheapest class of their subset, as fitted trees do."""
    if isinstance(tree, SpecLeaf):
        totals = [0] * len(problem.dataset.classes)
        for row in subset:
            totals[int(problem.dataset.labels[row])] += int(problem.dataset.weights[row])
        return SpecLeaf(problem.predicted(totals))
    left = [row for row in subset if goes_left(tree.rule, X[row])]
    right = [row for row in subset if not goes_left(tree.rule, X[row])]
    return SpecNode(
        tree.rule,
        with_predicted_labels(problem, X, tree.left, left),
        with_predicted_labels(problem, X, tree.right, right),
    )


def cost_within_limits(
    problem: Problem, X: Sequence[FeatureRow], trees: TreeList
) -> tuple[Number, ...] | None:
    """Return the cost of the trees, None if they break a limit that depends on predictions."""
    errors = errors_of(problem, X, trees)
    if problem.rate is None:
        if problem.max_error_weight is not None and errors > problem.max_error_weight:
            return None
    elif not keeps_rates(problem, *confusion_of_votes(problem, X, trees)):
        return None
    predicted = [Counter(leaf.label for leaf in leaves(tree)) for tree in trees]
    counted = problem.counted_classes
    if not problem.keeps_leaf_limits(*([leaves[c] for c in counted] for leaves in predicted)):
        return None
    sizes, depths = [size(tree) for tree in trees], [depth(tree) for tree in trees]
    return as_tuple(problem.exact_cost_of(errors, sizes, depths))


def errors_of(problem: Problem, X: Sequence[FeatureRow], trees: TreeList) -> int | Fraction:
    """Return the sum of the errors of a tree's leaves, or the errors of the trees' votes."""
    dataset, term = problem.dataset, problem.term
    if problem.n_trees == 1:
        subsets = leaf_subsets(X, trees[0], list(range(len(X))))
        return sum(term.leaf(dataset, np.array(subset, dtype=np.int64)) for subset in subsets)
    wrong = confusion_of_votes(problem, X, trees)
    return sum(wrong) if problem.rate is None else problem.rate.errors(*wrong)


def confusion_of_votes(
    problem: Problem, X: Sequence[FeatureRow], trees: TreeList
) -> tuple[int, int]:
    """Return the weight of negative and of positive rows that the votes misclassify."""
    dataset, wrong = problem.dataset, [0, 0]
    for row, label, weight in zip(
        X, dataset.labels.tolist(), dataset.weights.tolist(), strict=True
    ):
        votes = Counter(label_of(tree, row) for tree in trees)
        winner = min(votes, key=lambda other: (-votes[other], other))
        if winner != label:
            wrong[label == problem.positive] += weight
    return wrong[0], wrong[1]


def leaf_subsets(X: Sequence[FeatureRow], tree: SpecTree, subset: list[int]) -> Iterator[list[int]]:
    """List the rows of each leaf that has some."""
    if isinstance(tree, SpecNode):
        children: tuple[list[int], list[int]] = ([], [])
        for row in subset:
            children[0 if goes_left(tree.rule, X[row]) else 1].append(row)
        yield from leaf_subsets(X, tree.left, children[0])
        yield from leaf_subsets(X, tree.right, children[1])
    elif subset:
        yield subset
