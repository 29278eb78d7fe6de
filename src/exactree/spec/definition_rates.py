"""The definition for rates of two classes: the minimum rate over all trees, by enumeration.

A tree is a leaf that predicts either class, or a rule and two trees. The answer is a tree of
minimum rate among those that keep the limits. The enumeration takes the time of the definition
times the number of pairs of false positives and false negatives.

A tree is measured by four numbers: the weights of false positives and of false negatives, size
and depth. A tree for a subset is dropped if another tree for the subset dominates its numbers: the
numbers of a tree are non-decreasing in the numbers of its children, rates and costs are
non-decreasing in these numbers, and limits bound them from above. Of trees of equal cost one of
minimum errors is kept, and of these the smallest. So no node can be removed without more false
positives or more false negatives. Of the rules that split a subset in the same way only one is
tried.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives.errors import weight_by_class
from exactree.problem import Outcome, Problem, Status
from exactree.problem.confusion import keeps_rates
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.problem.verification.recount import cost_of_found
from exactree.spec.effort import refuse_large
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, fitted_tree

__all__ = ["nondominated_pairs", "ranked", "solve"]

Subset = NDArray[np.int64]
# False positives, false negatives, size, depth.
RateNumbers = tuple[int, int, int, int]
RateFront = dict[RateNumbers, SpecTree]


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum rate within the limits, or the proof of infeasibility.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table that minimizes a rate.
    """
    trees = ranked(problem)
    if not trees:
        return infeasible(problem)
    tree = fitted_tree(problem, min(trees, key=lambda entry: entry[0])[1])
    tree_cost = cost_of_found(problem, tree)
    return Outcome(Status.OPTIMAL, tree_cost, tree_cost, tree)


def ranked(problem: Problem) -> list[tuple[tuple[Any, ...], SpecTree]]:
    """Return the nondominated trees that keep all limits, each with the key of its rank.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table that minimizes a rate.
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


def nondominated_pairs(problem: Problem) -> dict[tuple[int, int], SpecTree]:
    """Return all nondominated pairs of false positives and false negatives.

    Parameters
    ----------
    problem : Problem
        A problem with one tree, two classes and a small table.

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
    """Return the nondominated trees for the table that keep all limits."""
    if infeasible_without_search(problem) is not None:
        return {}
    refuse_large(problem)
    bounds = (problem.limits.max_depth, problem.max_tree_size)
    depth = min((bound for bound in bounds if bound is not None), default=None)
    found = front(problem, np.arange(len(problem.dataset.X)), depth)
    return {
        numbers: tree
        for numbers, tree in found.items()
        if keeps_rates(problem, *numbers[:2])
        and (problem.max_tree_size is None or numbers[2] <= problem.max_tree_size)
    }


def front(problem: Problem, subset: Subset, depth: int | None) -> RateFront:
    """Return the nondominated trees for a subset and their numbers; none if no leaf is allowed."""
    if len(subset) < problem.min_rows:
        return {}
    weights, positive = weight_by_class(problem.dataset, subset), problem.positive
    found: RateFront = {
        (0, weights[positive], 0, 0): SpecLeaf(1 - positive),
        (weights[1 - positive], 0, 0, 0): SpecLeaf(positive),
    }
    if depth == 0:
        return nondominated(found)
    child_depth = None if depth is None else depth - 1
    for rule in problem.rules.distinct(problem.dataset.X, subset):
        holds = rule.holds(problem.dataset.X[subset])
        right_trees = front(problem, subset[~holds], child_depth)
        for a, left in front(problem, subset[holds], child_depth).items():
            for b, right in right_trees.items():
                numbers = (a[0] + b[0], a[1] + b[1], a[2] + b[2] + 1, max(a[3], b[3]) + 1)
                found.setdefault(numbers, SpecNode(rule, left, right))
    return nondominated(found)


def nondominated(found: RateFront) -> RateFront:
    """Return the trees whose numbers are not dominated by those of another tree."""
    kept: RateFront = {}
    for numbers in sorted(found):  # a dominating tree comes first
        if not any(all(a <= b for a, b in zip(other, numbers, strict=True)) for other in kept):
            kept[numbers] = found[numbers]
    return kept
