"""The definition: the least cost over all trees within the limits, by enumeration.

Source      The statement of the problem itself; every other method is tested against this one.
            Ensembles of several trees: `exactree.spec.definition_ensemble`; rates of errors of two
            classes, which are no sums over leaves: `exactree.spec.definition_rates`.
Theorem     None is used, except that every measure of a tree is joined from those of its children.
Time        About (2 d n)^depth for n rows and d features; tables beyond a few dozen rows
            are refused (`exactree.spec.effort`).
Symbols     None.
The idea    A tree is a leaf, or a rule and two trees. So the trees for a subset are its leaf, and
            for every rule that splits the subset every tree for one child with every tree for the
            other. Of all trees for the table that keep the limits the one of least cost is best.
Departures  1. A tree is measured by several numbers at once: errors (misclassified weight, or the
               squared or absolute error of a regression), size, depth, and its leaves of each
               class that `max_leaves_of` names. Of a subset's trees only those are kept whose
               numbers no other tree beats or equals in all of them: a child that is no better in
               any number can be replaced by the other without raising any number of the whole,
               and limits and costs only ask for small numbers. One number would not do. Least
               errors and, among those, least size: the best tree can need a larger side, if that
               makes fewer errors, or more errors, if the limit allows them. Least depth and then
               least size: a child may be deeper than it must, if the other is.
            2. Of trees of equal cost the smaller is kept, so that no node of the answer can be
               collapsed or replaced by one of its subtrees without raising the cost or breaking
               a limit.
            3. Of the rules that split a subset in the same way only one is tried.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.objectives import Depth, LeavesOf, Objective, Size
from exactree.objectives.errors import class_weights
from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.spec import definition_rates
from exactree.spec.effort import refuse_large
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

__all__ = ["accepts", "solve"]

Subset = NDArray[np.int64]
# Errors, size, depth, then the leaves of every class that max_leaves_of names: integers, but for
# the errors of a regression, which are fractions.
Numbers = tuple[Any, ...]
Front = dict[Numbers, SpecTree]


def accepts(problem: Problem) -> str | None:
    """Return None for a problem with one tree, else why not."""
    return None if problem.n_trees == 1 else "it takes one tree only"


def solve(problem: Problem) -> Outcome:
    """Return a tree of least cost within the limits, or the proof that there is none.

    Parameters
    ----------
    problem : Problem
        With one tree and a small table.

    Returns
    -------
    Outcome
        `OPTIMAL` with a smallest tree of least cost, or `INFEASIBLE` with the reason.

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
    least_errors = min(numbers[0] for numbers in trees)
    if problem.most_errors is not None:
        if least_errors > problem.most_errors:
            return infeasible(problem, least_errors)
        trees = {n: tree for n, tree in trees.items() if n[0] <= problem.most_errors}
    return answer(problem, trees[min(trees, key=lambda numbers: order(problem, numbers))])


def all_trees(problem: Problem) -> Front:
    """Return the best trees for the table that keep all limits but `max_errors`."""
    everything = np.arange(len(problem.dataset.X))
    return {
        numbers: tree
        for numbers, tree in front(problem, everything, most_depth(problem)).items()
        if keeps_limits(problem, numbers)
    }


def front(problem: Problem, subset: Subset, depth: int | None) -> Front:
    """Return the best trees for a subset and their numbers; none if it is too small for a leaf.

    Parameters
    ----------
    problem : Problem
        The table and the rules.
    subset : ndarray of int64
        Rows of the table.
    depth : int or None
        Nodes allowed on a path; None for no limit.
    """
    if len(subset) < problem.min_rows:
        return {}
    measures: list[Objective[Any]] = [
        problem.term,
        Size(),
        Depth(),
        *(LeavesOf(label) for label in problem.leaf_limits),
    ]
    totals = class_weights(problem.dataset, subset)
    numbers = tuple(measure.leaf(problem.dataset, subset) for measure in measures)
    found: Front = {numbers: SpecLeaf(totals.index(max(totals)))}
    if depth == 0:
        return found
    for rule in problem.rules.distinct(problem.dataset.X, subset):
        holds = rule.holds(problem.dataset.X[subset])
        left_trees = front(problem, subset[holds], less(depth))
        right_trees = front(problem, subset[~holds], less(depth))
        for left_numbers, left in left_trees.items():
            for right_numbers, right in right_trees.items():
                both = zip(measures, left_numbers, right_numbers, strict=True)
                numbers = tuple(measure.join(a, b) for measure, a, b in both)
                found.setdefault(numbers, SpecNode(rule, left, right))
    return not_beaten(found)


def not_beaten(found: Front) -> Front:
    """Return the trees that no other one beats or equals in every number."""
    kept: Front = {}
    for numbers in sorted(found):  # what beats a tree comes before it
        if not any(all(a <= b for a, b in zip(other, numbers, strict=True)) for other in kept):
            kept[numbers] = found[numbers]
    return kept


def keeps_limits(problem: Problem, numbers: Numbers) -> bool:
    """Return whether a tree's size and its leaves of each limited class are allowed."""
    _, size, _, *leaves = numbers
    few = all(n <= most for n, most in zip(leaves, problem.leaf_limits.values(), strict=True))
    return few and (problem.most_size is None or size <= problem.most_size)


def order(problem: Problem, numbers: Numbers) -> tuple[object, ...]:
    """Return what the best tree has least of: the cost, then size, errors and depth; exact."""
    errors, size, depth, *_ = numbers
    return (problem.exact_cost_of(errors, [size], [depth]), size, errors, depth)


def most_depth(problem: Problem) -> int | None:
    """Return the depth that no tree within the limits exceeds; its size is no smaller."""
    stated = (problem.limits.max_depth, problem.most_size)
    return min((most for most in stated if most is not None), default=None)


def less(depth: int | None) -> int | None:
    """Return the depth allowed below a node."""
    return None if depth is None else depth - 1
