"""The definition under constraints: every tree is listed, those that break one are left out.

A tree is a leaf, or a rule and two trees. All trees are listed, one after the other. Those that
keep the limits and obey every constraint are compared by their cost; of equal cost the smallest
is kept.

Where trees must be monotone, a part is divided by every rule that divides it of those that divide
the whole table. Two of them may divide the part alike but not the space between its examples,
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
from exactree.problem.gaps import with_thresholds
from exactree.problem.reasons import infeasible, infeasible_at_once
from exactree.problem.recount import cost_of_found
from exactree.rules import AxisRule, CategoryRule, Rule
from exactree.spec.definition import less, most_depth
from exactree.spec.effort import parts_to_visit
from exactree.spec.table import grown
from exactree.spec.trees import Leaf, Node, Row, SpecTree, depth, goes_left, leaves, size

__all__ = ["MOST_PLACES", "accepts", "all_trees", "obeys", "solve"]

Part = NDArray[np.int64]

# Listing takes about 0.1 ms for a tree, and every place of the grid is asked once for each.
MOST_TREES = 100_000
MOST_PLACES = 10_000


def accepts(problem: Problem) -> str | None:
    """Return None for a problem with one tree, else why not."""
    return None if problem.n_trees == 1 else "it takes one tree only"


def solve(problem: Problem) -> Outcome:
    """Return a tree of least cost that obeys all constraints, or the proof that there is none.

    Parameters
    ----------
    problem : Problem
        With one tree and a small table.

    Raises
    ------
    MethodRefused
        If there are too many trees to list, or too many places to ask them.
    """
    at_once = infeasible_at_once(problem)
    if at_once is not None:
        return at_once
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
    fitted = grown(problem, best[1])
    if problem.demands.directions:
        fitted = with_thresholds(fitted, [*thresholds(best[1])])
    cost = cost_of_found(problem, fitted)
    return Outcome(Status.OPTIMAL, cost, cost, fitted)


def all_trees(problem: Problem, part: Part, most: int | None) -> Iterator[SpecTree]:
    """List every tree for a part whose leaves hold enough rows and weight."""
    dataset = problem.dataset
    if len(part) < problem.min_rows or int(dataset.weights[part].sum()) < problem.least_weight:
        return
    totals = class_weights(dataset, part)
    yield Leaf(totals.index(max(totals)))
    if most == 0:
        return
    for rule in rules(problem, part):
        left = rule.holds(dataset.X[part])
        if left.any() and not left.all():
            for on_left in all_trees(problem, part[left], less(most)):
                for on_right in all_trees(problem, part[~left], less(most)):
                    yield Node(rule, on_left, on_right)


def rules(problem: Problem, part: Part) -> Iterator[Rule]:
    """List the rules that a part is divided by."""
    X = problem.dataset.X
    whole = np.arange(len(X)) if problem.demands.directions else part
    return (rule for rule, _ in problem.rules.by_feature(X, whole))


def keeps_limits(problem: Problem, tree: SpecTree) -> bool:
    """Tell whether a tree keeps the limits on size, depth, errors and leaves of classes."""
    labels = [leaf.label for leaf in leaves(tree)]
    few = all(labels.count(label) <= most for label, most in problem.leaf_limits.items())
    small = problem.most_size is None or size(tree) <= problem.most_size
    right = problem.most_errors is None or errors(problem, tree) <= problem.most_errors
    return few and small and right


def order(problem: Problem, tree: SpecTree) -> tuple[object, ...]:
    """Return what the best tree has least of: the cost, then size, errors and depth; exact."""
    wrong = errors(problem, tree)
    paid = problem.demands.price_of(asked(tree)) * problem.price_unit
    cost = problem.exact_cost_of(wrong + paid, [size(tree)], [depth(tree)])
    return (cost, size(tree), wrong, depth(tree))


def errors(problem: Problem, tree: SpecTree) -> int | Fraction:
    """Return the errors of a tree, added up over its leaves."""
    return sum(problem.term.leaf(problem.dataset, part) for part in parts(problem, tree))


def parts(problem: Problem, tree: SpecTree) -> Iterator[Part]:
    """List the rows of each leaf."""

    def below(tree: SpecTree, part: Part) -> Iterator[Part]:
        if isinstance(tree, Leaf):
            yield part
            return
        left = tree.rule.holds(problem.dataset.X[part])
        yield from below(tree.left, part[left])
        yield from below(tree.right, part[~left])

    return below(tree, np.arange(len(problem.dataset.X)))


def obeys(problem: Problem, tree: SpecTree) -> bool:
    """Tell whether a tree obeys the constraints."""
    demands = problem.demands
    features = asked(tree)
    return (
        features.issuperset(demands.required)
        and (demands.max_features is None or len(features) <= demands.max_features)
        and all(stands_below(tree, *pair) for pair in demands.only_below.items())
        and all(monotone(problem, tree, *pair) for pair in demands.directions.items())
    )


def asked(tree: SpecTree) -> set[int]:
    """Return the features that a tree asks."""
    if isinstance(tree, Leaf):
        return set()
    return {feature_of(tree.rule)} | asked(tree.left) | asked(tree.right)


def feature_of(rule: Rule) -> int:
    """Return the feature that a rule asks; no surface has just one."""
    feature: int = rule.feature  # type: ignore[union-attr]
    return feature


def stands_below(tree: SpecTree, below: int, above: int) -> bool:
    """Tell whether every node that asks the first feature has a node above that asks the second."""
    if isinstance(tree, Leaf) or feature_of(tree.rule) == above != below:
        return True
    sides = (tree.left, tree.right)
    return feature_of(tree.rule) != below and all(stands_below(s, below, above) for s in sides)


def monotone(problem: Problem, tree: SpecTree, feature: int, direction: int) -> bool:
    """Tell whether a tree never says less at a place than at one that differs in one feature."""
    values = [float(value) for value in np.unique(problem.dataset.X[:, feature])]
    for place in places(problem):
        if place[feature] == values[0]:
            moved = [(*place[:feature], value, *place[feature + 1 :]) for value in values]
            heard = [direction * said(problem, tree, at) for at in moved]
            if any(a > b for a, b in pairwise(heard)):
                return False
    return True


def places(problem: Problem) -> Iterator[Row]:
    """List the grid of all values of the table, and of a code of each category it does not have."""
    if not problem.demands.directions:
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


def said(problem: Problem, tree: SpecTree, place: Row) -> Fraction:
    """Return what the leaf says that a place reaches: the rows that go the same way decide."""
    part = np.arange(len(problem.dataset.X))
    while isinstance(tree, Node):
        holds, left = tree.rule.holds(problem.dataset.X[part]), goes_left(tree.rule, place)
        part = part[holds] if left else part[~holds]
        tree = tree.left if left else tree.right
    return problem.said(part)


def thresholds(tree: SpecTree) -> Iterator[float]:
    """List what the nodes of a tree compare with, in preorder, leaves too."""
    if isinstance(tree, Leaf):
        yield 0.0
        return
    assert isinstance(tree.rule, AxisRule | CategoryRule)
    yield tree.rule.threshold if isinstance(tree.rule, AxisRule) else float(tree.rule.code)
    yield from thresholds(tree.left)
    yield from thresholds(tree.right)
