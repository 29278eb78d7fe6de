"""The definition for rates of two classes: the least rate over all trees, by enumeration.

A tree is a leaf that predicts either class, or a rule and two trees. Of all trees that keep the
limits the one of least rate is best. It takes the time of the definition, times the number of
pairs of false positives and false negatives.

A tree is measured by four numbers: the weights of false positives and of false negatives, size
and depth. Of a subset's trees only those are kept whose numbers no other tree beats or equals in
all of them: all four are joined in a way that grows with those of the children, and so do rates and
costs, and limits ask for small ones. Of trees of equal cost one of least errors is kept, and of
these the smallest. So no node can be spared without more false positives or more false
negatives. Of the rules that split a subset in the same way only one is tried.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.errors import class_weights
from exactree.problem import Outcome, Problem, Status
from exactree.problem.confusion import keeps_rates
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.verification.recount import cost_of_found
from exactree.spec.effort import refuse_large
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, fitted_tree

__all__ = ["best_pairs", "ranked", "solve"]

Subset = NDArray[np.int64]
# False positives, false negatives, size, depth.
RateNumbers = tuple[int, int, int, int]
RateFront = dict[RateNumbers, SpecTree]


def solve(problem: Problem) -> Outcome:
    """Return a tree of least rate within the limits, or the proof that there is none.

    Parameters
    ----------
    problem : Problem
        With one tree and a small table, that minimizes a rate.
    """
    trees = ranked(problem)
    if not trees:
        return infeasible(problem)
    tree = fitted_tree(problem, min(trees, key=lambda one: one[0])[1])
    tree_cost = cost_of_found(problem, tree)
    return Outcome(Status.OPTIMAL, tree_cost, tree_cost, tree)


def ranked(problem: Problem) -> list[tuple[tuple[Any, ...], SpecTree]]:
    """Return the best trees that keep all limits, with their costs and what decides between equals.

    Parameters
    ----------
    problem : Problem
        With one tree and a small table, that minimizes a rate.
    """
    rate = problem.rate
    assert rate is not None
    found = []
    for numbers, tree in all_trees(problem).items():
        false_positives, false_negatives, size, depth = numbers
        errors = rate.errors(false_positives, false_negatives)
        wrong = false_positives + false_negatives
        cost = problem.exact_cost_of(errors, [size], [depth])
        found.append(((cost, wrong, size, numbers), tree))
    return found


def best_pairs(problem: Problem) -> dict[tuple[int, int], SpecTree]:
    """Return all pairs of false positives and negatives that no tree beats or equals in both.

    Parameters
    ----------
    problem : Problem
        With one tree, two classes and a small table.

    Returns
    -------
    dict
        By increasing false positives, a smallest tree for each pair.
    """
    best: dict[tuple[int, int], SpecTree] = {}
    trees = all_trees(problem)
    for numbers in sorted(trees):
        if not any(fn <= numbers[1] for _, fn in best):
            best[numbers[:2]] = trees[numbers]
    return best


def all_trees(problem: Problem) -> RateFront:
    """Return the best trees for the table that keep all limits."""
    if infeasible_without_search(problem) is not None:
        return {}
    refuse_large(problem)
    stated = (problem.limits.max_depth, problem.most_size)
    depth = min((most for most in stated if most is not None), default=None)
    found = front(problem, np.arange(len(problem.dataset.X)), depth)
    return {
        numbers: tree
        for numbers, tree in found.items()
        if keeps_rates(problem, *numbers[:2])
        and (problem.most_size is None or numbers[2] <= problem.most_size)
    }


def front(problem: Problem, subset: Subset, depth: int | None) -> RateFront:
    """Return the best trees for a subset and their numbers; none if it is too small for a leaf."""
    if len(subset) < problem.min_rows:
        return {}
    weights, positive = class_weights(problem.dataset, subset), problem.positive
    found: RateFront = {
        (0, weights[positive], 0, 0): SpecLeaf(1 - positive),
        (weights[1 - positive], 0, 0, 0): SpecLeaf(positive),
    }
    if depth == 0:
        return not_beaten(found)
    less = None if depth is None else depth - 1
    for rule in problem.rules.distinct(problem.dataset.X, subset):
        holds = rule.holds(problem.dataset.X[subset])
        right_trees = front(problem, subset[~holds], less)
        for a, left in front(problem, subset[holds], less).items():
            for b, right in right_trees.items():
                numbers = (a[0] + b[0], a[1] + b[1], a[2] + b[2] + 1, max(a[3], b[3]) + 1)
                found.setdefault(numbers, SpecNode(rule, left, right))
    return not_beaten(found)


def not_beaten(found: RateFront) -> RateFront:
    """Return the trees that no other one beats or equals in every number."""
    kept: RateFront = {}
    for numbers in sorted(found):  # what beats a tree comes before it
        if not any(all(a <= b for a, b in zip(other, numbers, strict=True)) for other in kept):
            kept[numbers] = found[numbers]
    return kept
