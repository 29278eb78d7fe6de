"""The definition: the minimum cost over all trees within the limits, by enumeration.

Source      The problem itself; every other method is tested against the definition. Ensembles of
            several trees: `exactree.spec.definition_ensemble`; rates of errors of two classes,
            which are not sums over leaves: `exactree.spec.definition_rates`.
Theorem     None is used, except that every measure of a tree is joined from those of its children.
Time        About (2 d n)^depth for n rows and d features; tables beyond a few dozen rows are
            refused (`exactree.spec.effort`).
Symbols     None.
The idea    A tree is a leaf, or a rule and two trees. So the trees for a subset are its leaf, and
            for every rule that splits the subset every tree for one child with every tree for the
            other. The answer is a tree of minimum cost among those for the whole table that keep
            the limits.
Departures  1. A tree is measured by several numbers at once: errors of the minimized kind (such as
               misclassified weight, log-loss or squared error), size, depth, and its leaves of each
               class that `max_leaves_of` names. A tree for a subset is dropped if another tree for
               the subset dominates its numbers: a dominated child can be replaced by the other tree
               without increasing any number of the whole tree, and limits and costs are monotone in
               all numbers. It would not suffice to keep one best tree for each subset. If errors
               and then size are minimized, the best tree can need a larger child with fewer errors,
               or a child with more errors, if the limit allows them. If depth and then size are
               minimized, a child may be deeper than necessary if its sibling is as deep.
            2. Of trees of equal cost the smaller is kept, so that no node of the answer can be
               collapsed or replaced by one of its subtrees without raising the cost or breaking a
               limit.
            3. Of the rules that split a subset in the same way only one is tried.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Depth, LeavesOf, Objective, Size
from exactree.objectives.errors import weight_by_class
from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.spec import definition_rates
from exactree.spec.effort import refuse_large
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

__all__ = ["reason_to_refuse", "solve"]

Subset = NDArray[np.int64]
# Errors, size, depth, then the leaves of every class that max_leaves_of names. All are integers,
# except that errors other than misclassified weight may be fractions.
Numbers = tuple[Any, ...]
Front = dict[Numbers, SpecTree]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None for a problem with one tree, else the reason for a refusal."""
    return None if problem.n_trees == 1 else "it takes one tree only"


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum cost within the limits, or the proof of infeasibility.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table.

    Returns
    -------
    Outcome
        `OPTIMAL` with a smallest tree of minimum cost (of a rate: one with fewest errors among
        those of minimum cost), or `INFEASIBLE` with the reason.

    Raises
    ------
    MethodRefused
        If the table is too large to enumerate all trees.
    """
    if problem.rate is not None:
        return definition_rates.solve(problem)
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    refuse_large(problem)
    trees = all_trees(problem)
    if not trees:
        return infeasible(problem)
    min_errors = min(numbers[0] for numbers in trees)
    if problem.max_error_weight is not None:
        if min_errors > problem.max_error_weight:
            return infeasible(problem, min_errors)
        trees = {n: tree for n, tree in trees.items() if n[0] <= problem.max_error_weight}
    return answer(problem, trees[min(trees, key=lambda numbers: order(problem, numbers))])


def all_trees(problem: Problem) -> Front:
    """Return the nondominated trees for the table that keep all limits except `max_errors`."""
    all_rows = np.arange(len(problem.dataset.X))
    return {
        numbers: tree
        for numbers, tree in front(problem, all_rows, max_depth(problem)).items()
        if keeps_limits(problem, numbers)
    }


def front(problem: Problem, subset: Subset, depth: int | None) -> Front:
    """Return the nondominated trees for a subset and their numbers; none if no leaf is allowed.

    Parameters
    ----------
    problem : Problem
        The table and the rules.
    subset : ndarray of int64
        Rows of the table.
    depth : int or None
        Maximum number of nodes on a path; None for no limit.
    """
    if len(subset) < problem.min_rows:
        return {}
    measures: list[Objective[Any]] = [
        problem.term,
        Size(),
        Depth(),
        *(LeavesOf(label, problem.predicted) for label in problem.counted_classes),
    ]
    totals = weight_by_class(problem.dataset, subset)
    numbers = tuple(measure.leaf(problem.dataset, subset) for measure in measures)
    found: Front = {numbers: SpecLeaf(problem.predicted(totals))}
    if depth == 0:
        return found
    for rule in problem.rules.distinct(problem.dataset.X, subset):
        holds = rule.holds(problem.dataset.X[subset])
        left_trees = front(problem, subset[holds], depth_below(depth))
        right_trees = front(problem, subset[~holds], depth_below(depth))
        for left_numbers, left in left_trees.items():
            for right_numbers, right in right_trees.items():
                both = zip(measures, left_numbers, right_numbers, strict=True)
                numbers = tuple(measure.join(a, b) for measure, a, b in both)
                found.setdefault(numbers, SpecNode(rule, left, right))
    return nondominated(found)


def nondominated(found: Front) -> Front:
    """Return the trees whose numbers are not dominated by those of another tree."""
    kept: Front = {}
    for numbers in sorted(found):  # a dominating tree comes first
        if not any(all(a <= b for a, b in zip(other, numbers, strict=True)) for other in kept):
            kept[numbers] = found[numbers]
    return kept


def keeps_limits(problem: Problem, numbers: Numbers) -> bool:
    """Return whether a tree's size and its leaves of each limited class are allowed."""
    _, size, _, *leaves = numbers
    few = problem.keeps_leaf_limits(leaves)
    return few and (problem.max_tree_size is None or size <= problem.max_tree_size)


def order(problem: Problem, numbers: Numbers) -> tuple[object, ...]:
    """Return the exact quantities that a best tree minimizes: cost, then size, errors and depth."""
    errors, size, depth, *_ = numbers
    return (problem.exact_cost_of(errors, [size], [depth]), size, errors, depth)


def max_depth(problem: Problem) -> int | None:
    """Return an upper bound on the depth of trees within the limits: size bounds depth."""
    bounds = (problem.limits.max_depth, problem.max_tree_size)
    return min((bound for bound in bounds if bound is not None), default=None)


def depth_below(depth: int | None) -> int | None:
    """Return the maximum depth below a node."""
    return None if depth is None else depth - 1
