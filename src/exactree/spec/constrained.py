"""The definition under constraints: all trees are enumerated, and checked against the constraints.

A tree is a leaf, or a rule and two trees. All trees are listed. Trees that keep the limits and
satisfy every constraint are compared by cost; of trees of equal cost the smallest is kept. If a
rate is minimized, a leaf predicts each of the two classes in turn.

If trees must be monotone, a subset is split by every rule of the whole table that splits it. Two of
these rules may split the subset alike but differ in the space between its examples, where only one
of them may be monotone. Between two neighbouring values of the table the position of a threshold
does not matter: moving all thresholds of a tree to the midpoints creates no new pair of adjacent
leaves. Monotonicity is checked for every pair of points in the grid of all values of the table (and
of a code that it does not have), not for pairs of leaves.
"""

from collections.abc import Callable, Iterator, Set
from fractions import Fraction
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

from exactree.errors import MethodRefused
from exactree.objectives.errors import weight_by_class
from exactree.problem import Outcome, Problem, Status
from exactree.problem.confusion import keeps_rates
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.encoding.trees import with_thresholds
from exactree.problem.verification.recount import cost_of_found
from exactree.rules import AxisRule, Rule
from exactree.spec.definition import depth_below, max_depth
from exactree.spec.effort import subsets_to_visit
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
from exactree.trees import Tree

__all__ = [
    "MAX_POINTS", "MAX_TREES", "all_trees", "feasible_trees", "features_counted",
    "fitted_within_constraints", "keeps_budgets", "keeps_order", "leaves_counted", "order",
    "reason_to_refuse", "refuse_many", "single_trees", "solve",
]  # fmt: skip

Subset = NDArray[np.int64]

# Listing takes about a millisecond for a tree, so this is a minute or two; monotone trees are also
# evaluated at every point of the grid.
MAX_TREES = 100_000
MAX_POINTS = 10_000
_TOO_MANY = (
    "The definition lists all trees, which are too many under constraints for this table; lower "
    "max_depth, use fewer rows, or find one best tree by solve with implementation='native'."
)


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None for a problem with one tree, else the reason for a refusal."""
    return None if problem.n_trees == 1 else "it takes one tree only"


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum cost that satisfies all constraints, or the proof of infeasibility.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table.

    Raises
    ------
    MethodRefused
        If there are too many trees to list, or too many points to evaluate them.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    best = None
    for tree in feasible_trees(problem):
        rank = order(problem, tree)
        if best is None or rank < best[0]:
            best = (rank, tree)
    if best is None:
        return infeasible(problem)
    fitted = fitted_within_constraints(problem, best[1])
    cost = cost_of_found(problem, fitted)
    return Outcome(Status.OPTIMAL, cost, cost, fitted)


def feasible_trees(
    problem: Problem, check: Callable[[], None] = lambda: None
) -> Iterator[SpecTree]:
    """List the trees that keep the limits and satisfy every constraint.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table.
    check : callable
        Called before every tree; it may raise to end the work.

    Raises
    ------
    MethodRefused
        As for `solve`; if it takes listing to see that there are too many trees, after `MAX_TREES`.
    """
    for tree in single_trees(problem, check):
        if keeps_limits(problem, tree) and keeps_budgets(problem, features_counted(problem, tree)):
            yield tree


def single_trees(problem: Problem, check: Callable[[], None]) -> Iterator[SpecTree]:
    """List the trees that keep the limits and constraints of each tree of an ensemble."""
    refuse_many(problem)
    everything = np.arange(len(problem.dataset.X))
    for number, tree in enumerate(all_trees(problem, everything, max_depth(problem))):
        check()
        if number == MAX_TREES:
            raise MethodRefused(_TOO_MANY)
        if keeps_sizes(problem, tree) and keeps_order(problem, tree):
            yield tree


def refuse_many(problem: Problem) -> None:
    """Raise MethodRefused if an estimate says that there are too many trees, or too many points."""
    # The estimate is of subsets. Usually there are many more trees, which are counted as well.
    if subsets_to_visit(problem) > MAX_TREES or len(list(grid_points(problem))) > MAX_POINTS:
        raise MethodRefused(_TOO_MANY)


def fitted_within_constraints(problem: Problem, tree: SpecTree) -> Tree:
    """Return a fitted tree; if it must be monotone, with the thresholds of the whole table."""
    fitted = fitted_tree(problem, tree)
    if problem.feature_constraints.directions:
        return with_thresholds(fitted, [*thresholds(tree)])
    return fitted


def all_trees(problem: Problem, subset: Subset, depth_limit: int | None) -> Iterator[SpecTree]:
    """List every tree for a subset whose leaves hold enough rows and weight."""
    dataset = problem.dataset
    if not problem.may_be_leaf(subset):
        return
    # With a rate, or in an ensemble, the best class of a leaf depends on all other leaves.
    if problem.rate is not None or problem.n_trees > 1:
        yield from map(SpecLeaf, range(len(dataset.classes)))
    else:
        yield SpecLeaf(problem.predicted(weight_by_class(dataset, subset)))
    if depth_limit == 0:
        return
    for rule in rules(problem, subset):
        left = rule.holds(dataset.X[subset])
        if left.any() and not left.all():
            for left_tree in all_trees(problem, subset[left], depth_below(depth_limit)):
                for right_tree in all_trees(problem, subset[~left], depth_below(depth_limit)):
                    yield SpecNode(rule, left_tree, right_tree)


def rules(problem: Problem, subset: Subset) -> Iterator[Rule]:
    """List the rules to try for the root of a tree for a subset."""
    X = problem.dataset.X
    whole = np.arange(len(X)) if problem.feature_constraints.directions else subset
    return (rule for rule, _ in problem.rules.by_feature(X, whole))


def keeps_sizes(problem: Problem, tree: SpecTree) -> bool:
    """Return whether a tree keeps the limits on size and leaves of classes."""
    few_leaves = problem.keeps_leaf_limits(leaves_counted(problem, tree))
    return few_leaves and (problem.max_tree_size is None or size(tree) <= problem.max_tree_size)


def leaves_counted(problem: Problem, tree: SpecTree) -> list[int]:
    """Return the number of leaves that predict each class whose leaves are limited."""
    labels = [leaf.label for leaf in leaves(tree)]
    return [labels.count(label) for label in problem.counted_classes]


def keeps_limits(problem: Problem, tree: SpecTree) -> bool:
    """Return whether a tree keeps the limits on errors and rates."""
    limit = problem.max_error_weight
    few_errors = limit is None or errors(problem, tree) <= limit
    return few_errors and (problem.rate is None or keeps_rates(problem, *confusion(problem, tree)))


def order(problem: Problem, tree: SpecTree) -> tuple[object, ...]:
    """Return the exact quantities that a best tree minimizes: cost, then size, errors and depth."""
    wrong = errors(problem, tree)
    features = features_counted(problem, tree)
    price = problem.feature_constraints.price_of(features) * problem.price_unit
    cost = problem.exact_cost_of(wrong + price, [size(tree)], [depth(tree)])
    return (cost, size(tree), wrong, depth(tree))


def errors(problem: Problem, tree: SpecTree) -> int | Fraction:
    """Return the sum of the errors of the leaves of a tree, or its rate."""
    if problem.rate is not None:
        return problem.rate.errors(*confusion(problem, tree))
    return sum(problem.term.leaf(problem.dataset, subset) for subset in subsets(problem, tree))


def confusion(problem: Problem, tree: SpecTree) -> tuple[int, int]:
    """Return the weights of false positives and of false negatives of a tree."""
    positive, wrong = problem.positive, [0, 0]
    for leaf, subset in zip(leaves(tree), subsets(problem, tree), strict=True):
        is_positive = leaf.label == positive
        missed = weight_by_class(problem.dataset, subset)[1 - positive if is_positive else positive]
        wrong[0 if is_positive else 1] += missed
    return wrong[0], wrong[1]


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


def keeps_budgets(problem: Problem, features: Set[int]) -> bool:
    """Return whether all required features are used, and not too many."""
    feature_constraints = problem.feature_constraints
    limit = feature_constraints.max_features
    few = limit is None or len(features) <= limit
    return few and features >= {*feature_constraints.required}


def keeps_order(problem: Problem, tree: SpecTree) -> bool:
    """Return whether a tree is monotone, and uses features only below those that they require."""
    constraints = problem.feature_constraints
    below = all(stands_below(tree, *pair) for pair in constraints.only_below.items())
    return below and all(monotone(problem, tree, *pair) for pair in constraints.directions.items())


def features_counted(problem: Problem, tree: SpecTree) -> frozenset[int]:
    """Return the used features that have a price, are required or limited in number."""
    constraints, none = problem.feature_constraints, frozenset[int]()
    if constraints.max_features is None and not constraints.required and not constraints.prices:
        return none  # surfaces have no feature
    used = frozenset(features_used(tree))
    if constraints.max_features is not None:
        return used
    return used & {*constraints.required, *constraints.prices}


def features_used(tree: SpecTree) -> set[int]:
    """Return the features that a tree uses."""
    if isinstance(tree, SpecLeaf):
        return set()
    return {feature_of(tree.rule)} | features_used(tree.left) | features_used(tree.right)


def feature_of(rule: Rule) -> int:
    """Return the feature of a rule that is not a surface."""
    feature: int = rule.feature  # type: ignore[union-attr]
    return feature


def stands_below(tree: SpecTree, below: int, above: int) -> bool:
    """Return whether every node that uses `below` has an ancestor that uses `above`."""
    if isinstance(tree, SpecLeaf) or feature_of(tree.rule) == above != below:
        return True
    children = (tree.left, tree.right)
    return feature_of(tree.rule) != below and all(stands_below(c, below, above) for c in children)


def monotone(problem: Problem, tree: SpecTree, feature: int, direction: int) -> bool:
    """Return whether predictions never decrease (increase) with a feature, at all grid points."""
    values = [float(value) for value in np.unique(problem.dataset.X[:, feature])]
    for point in grid_points(problem):
        if point[feature] == values[0]:
            moved = [(*point[:feature], value, *point[feature + 1 :]) for value in values]
            leaf_values = [direction * leaf_value(problem, tree, other) for other in moved]
            if any(a > b for a, b in pairwise(leaf_values)):
                return False
    return True


def grid_points(problem: Problem) -> Iterator[FeatureRow]:
    """List the grid of all values of the table, with one more code for each category."""
    if not problem.feature_constraints.directions:
        return iter(())
    axes = [np.unique(column).tolist() for column in problem.dataset.X.T]
    for feature in problem.categories:
        axes[feature].append(axes[feature][-1] + 1)
    grid = 1.0
    for axis in axes:
        grid *= len(axis)
    if grid > MAX_POINTS:
        return iter([()] * (MAX_POINTS + 1))
    return product(*axes)


def leaf_value(problem: Problem, tree: SpecTree, point: FeatureRow) -> Fraction:
    """Return the value of the leaf that a point reaches: its vote in an ensemble.

    That of a single tree is computed from the rows in this leaf.
    """
    subset = np.arange(len(problem.dataset.X))
    while isinstance(tree, SpecNode):
        holds, left = tree.rule.holds(problem.dataset.X[subset]), goes_left(tree.rule, point)
        subset = subset[holds] if left else subset[~holds]
        tree = tree.left if left else tree.right
    return Fraction(tree.label) if problem.n_trees > 1 else problem.leaf_value(subset)


def thresholds(tree: SpecTree) -> Iterator[float]:
    """List the thresholds of a tree in preorder, 0 for leaves and splits by codes."""
    if isinstance(tree, SpecLeaf):
        yield 0.0
        return
    yield tree.rule.threshold if isinstance(tree.rule, AxisRule) else 0.0
    yield from thresholds(tree.left)
    yield from thresholds(tree.right)
