"""The definition under constraints: every tree is listed, those that break one are left out.

A tree is a leaf, or a rule and two trees. All trees are listed, one after the other. Those that
keep the limits and satisfy every constraint are compared by their cost; of equal cost the smallest
is kept.

Where trees must be monotone, a part is divided by every rule that splits it of those that divide
the whole table. Two of them may split the subset alike but not the space between its examples,
where monotone trees and others can differ. In that space it does not matter where between two
neighbouring values of the table a threshold lies: if all of a tree's thresholds are moved to the
middle between those, no two leaves meet that did not meet before. That a tree is monotone is
asked of every pair of places in the grid of all values of the table (and of a code that it does
not have), not of its leaves.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from exactree.errors import MethodRefused
from exactree.objectives.errors import class_weights
from exactree.problem import Outcome, Problem, Status
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.encoding.trees import with_thresholds
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import AxisRule, CategoryRule, Rule
from exactree.spec.definition import less, most_depth
from exactree.spec.effort import parts_to_visit
from exactree.spec.table import fitted_tree
from exactree.spec.trees import (
    FeatureRow,
    SpecLeaf,
    SpecNode,
    SpecTree,
    depth,
    goes_left,
    leaves,
    size,
)

__all__ = ["MOST_PLACES", "accepts", "all_trees", "obeys", "solve"]

Subset = NDArray[np.int64]

# Listing takes about 0.1 ms for a tree, and every place of the grid is asked once for each.
MOST_TREES = 100_000
MOST_PLACES = 10_000


def accepts(problem: Problem) -> str | None:
    """Return None for a problem with one tree, else why not."""
    return None if problem.n_trees == 1 else "it takes one tree only"


def solve(problem: Problem) -> Outcome:
    """Return a tree of least cost that satisfies all constraints, or the proof that there is none.

    Parameters
    ----------
    problem : Problem
        With one tree and a small table.

    Raises
    ------
    MethodRefused
        If there are too many trees to list, or too many places to ask them.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    if parts_to_visit(problem) > MOST_TREES or len(list(places(problem))) > MOST_PLACES:
        raise MethodRefused(
            "The definition lists all trees, which are too many under constraints for this table; "
            "lower max_depth, give it fewer rows, or use implementation='native'."
        )
    everything = np.arange(len(problem.dataset.X))
    best = None
    for tree in all_trees(problem, everything, most_depth(problem)):
        if keeps_limits(problem, tree) and obeys(problem, tree):
            rank = order(problem, tree)
            if best is None or rank < best[0]:
                best = (rank, tree)
    if best is None:
        return infeasible(problem)
    fitted = fitted_tree(problem, best[1])
    if problem.feature_constraints.directions:
        fitted = with_thresholds(fitted, [*thresholds(best[1])])
    cost = cost_of_found(problem, fitted)
    return Outcome(Status.OPTIMAL, cost, cost, fitted)


def all_trees(problem: Problem, subset: Subset, most: int | None) -> Iterator[SpecTree]:
    """List every tree for a subset whose leaves hold enough rows and weight."""
    dataset = problem.dataset
    if len(subset) < problem.min_rows or int(dataset.weights[subset].sum()) < problem.least_weight:
        return
    totals = class_weights(dataset, subset)
    yield SpecLeaf(totals.index(max(totals)))
    if most == 0:
        return
    for rule in rules(problem, subset):
        left = rule.holds(dataset.X[subset])
        if left.any() and not left.all():
            for on_left in all_trees(problem, subset[left], less(most)):
                for on_right in all_trees(problem, subset[~left], less(most)):
                    yield SpecNode(rule, on_left, on_right)


def rules(problem: Problem, subset: Subset) -> Iterator[Rule]:
    """List the rules that a part is divided by."""
    X = problem.dataset.X
    whole = np.arange(len(X)) if problem.feature_constraints.directions else subset
    return (rule for rule, _ in problem.rules.by_feature(X, whole))


def keeps_limits(problem: Problem, tree: SpecTree) -> bool:
    """Return whether a tree keeps the limits on size, depth, errors and leaves of classes."""
    labels = [leaf.label for leaf in leaves(tree)]
    few = all(labels.count(label) <= most for label, most in problem.leaf_limits.items())
    small = problem.most_size is None or size(tree) <= problem.most_size
    right = problem.most_errors is None or errors(problem, tree) <= problem.most_errors
    return few and small and right


def order(problem: Problem, tree: SpecTree) -> tuple[object, ...]:
    """Return what the best tree has least of: the cost, then size, errors and depth; exact."""
    wrong = errors(problem, tree)
    paid = problem.feature_constraints.price_of(features_used(tree)) * problem.price_unit
    cost = problem.exact_cost_of(wrong + paid, [size(tree)], [depth(tree)])
    return (cost, size(tree), wrong, depth(tree))


def errors(problem: Problem, tree: SpecTree) -> int | Fraction:
    """Return the errors of a tree, added up over its leaves."""
    return sum(problem.term.leaf(problem.dataset, subset) for subset in subsets(problem, tree))


def subsets(problem: Problem, tree: SpecTree) -> Iterator[Subset]:
    """List the rows of each leaf."""

    def below(tree: SpecTree, subset: Subset) -> Iterator[Subset]:
        if isinstance(tree, SpecLeaf):
            yield subset
            return
        left = tree.rule.holds(problem.dataset.X[subset])
        yield from below(tree.left, subset[left])
        yield from below(tree.right, subset[~left])

    return below(tree, np.arange(len(problem.dataset.X)))


def obeys(problem: Problem, tree: SpecTree) -> bool:
    """Return whether a tree satisfies the constraints."""
    feature_constraints = problem.feature_constraints
    features = features_used(tree)
    return (
        features.issuperset(feature_constraints.required)
        and (
            feature_constraints.max_features is None
            or len(features) <= feature_constraints.max_features
        )
        and all(stands_below(tree, *pair) for pair in feature_constraints.only_below.items())
        and all(monotone(problem, tree, *pair) for pair in feature_constraints.directions.items())
    )


def features_used(tree: SpecTree) -> set[int]:
    """Return the features that a tree uses."""
    if isinstance(tree, SpecLeaf):
        return set()
    return {feature_of(tree.rule)} | features_used(tree.left) | features_used(tree.right)


def feature_of(rule: Rule) -> int:
    """Return the feature that a rule asks; no surface has just one."""
    feature: int = rule.feature  # type: ignore[union-attr]
    return feature


def stands_below(tree: SpecTree, below: int, above: int) -> bool:
    """Return whether every node that uses `below` has an ancestor that uses `above`."""
    if isinstance(tree, SpecLeaf) or feature_of(tree.rule) == above != below:
        return True
    sides = (tree.left, tree.right)
    return feature_of(tree.rule) != below and all(stands_below(s, below, above) for s in sides)


def monotone(problem: Problem, tree: SpecTree, feature: int, direction: int) -> bool:
    """Return whether a tree never says less at a place than at one that differs in one feature."""
    values = [float(value) for value in np.unique(problem.dataset.X[:, feature])]
    for place in places(problem):
        if place[feature] == values[0]:
            moved = [(*place[:feature], value, *place[feature + 1 :]) for value in values]
            leaf_values = [direction * leaf_value(problem, tree, at) for at in moved]
            if any(a > b for a, b in pairwise(leaf_values)):
                return False
    return True


def places(problem: Problem) -> Iterator[FeatureRow]:
    """List the grid of all values of the table, and of a code of each category it does not have."""
    if not problem.feature_constraints.directions:
        return iter(())
    axes = [np.unique(column).tolist() for column in problem.dataset.X.T]
    for feature in problem.categories:
        axes[feature].append(axes[feature][-1] + 1)
    grid = 1.0
    for axis in axes:
        grid *= len(axis)
    if grid > MOST_PLACES:
        return iter([()] * (MOST_PLACES + 1))
    return product(*axes)


def leaf_value(problem: Problem, tree: SpecTree, place: FeatureRow) -> Fraction:
    """Return what the leaf says that a place reaches: the rows that go the same way decide."""
    subset = np.arange(len(problem.dataset.X))
    while isinstance(tree, SpecNode):
        holds, left = tree.rule.holds(problem.dataset.X[subset]), goes_left(tree.rule, place)
        subset = subset[holds] if left else subset[~holds]
        tree = tree.left if left else tree.right
    return problem.leaf_value(subset)


def thresholds(tree: SpecTree) -> Iterator[float]:
    """List what the nodes of a tree compare with, in preorder, leaves too."""
    if isinstance(tree, SpecLeaf):
        yield 0.0
        return
    assert isinstance(tree.rule, AxisRule | CategoryRule)
    yield tree.rule.threshold if isinstance(tree.rule, AxisRule) else float(tree.rule.code)
    yield from thresholds(tree.left)
    yield from thresholds(tree.right)
