"""The definition for ensembles: the minimum cost over all ensembles of k trees, by enumeration.

Source      The problem itself; every other method is tested against the definition. A single tree:
            `exactree.spec.definition`.
Theorem     None is used, except that the measures of a tree are joined from those of its children.
Time        About L^k / k! for L labelings that a single tree can give the table, at most c^n for n
            rows and c classes; tables beyond about eight rows are refused (`exactree.spec.effort`).
Symbols     None.
The idea    For the votes it only matters which class each tree gives to each row: its labeling. A
            leaf gives any one class to all rows of its subset; the labeling of a rule and two trees
            is the union of the labelings that the trees give to the two children. All labelings of
            single trees are listed, then all choices of k of them, with repetitions.
Departures  1. Of the trees with the same labeling only those are kept whose size, depth and leaves
               of each class that `max_leaves_of` names are not dominated: replacing a tree by
               another with the same labeling changes no vote.
            2. Of ensembles of equal cost one of minimum total size is kept, so that no node of the
               answer can be collapsed or replaced by one of its subtrees without raising the cost
               or breaking a limit.
            3. Of the rules that split a subset in the same way only one is tried.
"""

from collections.abc import Iterator
from itertools import combinations_with_replacement

import numpy as np

from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.spec.definition import Numbers, Subset, depth_below, max_depth, nondominated
from exactree.spec.effort import refuse_large_ensemble
from exactree.spec.elections import (
    RowLabeling,
    allowed,
    errors_of,
    keeps_limits_of_a_tree,
    keeps_limits_together,
    order,
)
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

__all__ = ["reason_to_refuse", "solve"]

# Trees by labeling, then by size, depth and the leaves of every class max_leaves_of names.
TreesByLabeling = dict[RowLabeling, dict[Numbers, SpecTree]]
ChosenTrees = tuple[tuple[RowLabeling, Numbers, SpecTree], ...]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None: ensembles of any number of trees are accepted."""
    return None


def solve(problem: Problem) -> Outcome:
    """Return an ensemble of minimum cost within the limits, or the proof of infeasibility.

    Parameters
    ----------
    problem : Problem
        A problem with a very small table.

    Returns
    -------
    Outcome
        `OPTIMAL` with an ensemble of minimum total size among those of minimum cost, or
        `INFEASIBLE` with the reason.

    Raises
    ------
    MethodRefused
        If the table is too large to enumerate all ensembles.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    refuse_large_ensemble(problem)
    chosen, min_errors = None, None
    for choice in ensembles(problem):
        errors = errors_of(problem, [labeling for labeling, _, _ in choice])
        if isinstance(errors, int):  # the minimum of a rate says nothing about the limits
            min_errors = errors if min_errors is None else min(errors, min_errors)
        if allowed(problem, [labeling for labeling, _, _ in choice]):
            rank = order(problem, [numbers for _, numbers, _ in choice], errors)
            if chosen is None or rank < chosen[0]:
                chosen = (rank, choice)
    if chosen is None:
        return infeasible(problem, min_errors)
    return answer(problem, [tree for _, _, tree in chosen[1]])


def ensembles(problem: Problem) -> Iterator[ChosenTrees]:
    """List the choices of k labelled trees that keep all limits on sizes, depths and leaves."""
    all_rows = np.arange(len(problem.dataset.X))
    single = [
        (labeling, numbers, tree)
        for labeling, trees in labelings(problem, all_rows, max_depth(problem)).items()
        for numbers, tree in trees.items()
        if keeps_limits_of_a_tree(problem, numbers)
    ]
    for choice in combinations_with_replacement(single, problem.n_trees):
        if keeps_limits_together(problem, [numbers for _, numbers, _ in choice]):
            yield choice


def labelings(problem: Problem, subset: Subset, depth: int | None) -> TreesByLabeling:
    """Return all labelings of a subset by one tree, each with its nondominated trees.

    Parameters
    ----------
    problem : Problem
        The table and the rules.
    subset : ndarray of int64
        Rows of the table.
    depth : int or None
        Maximum number of nodes on a path; None for no limit.
    """
    if not problem.may_be_leaf(subset):
        return {}
    found: TreesByLabeling = {}
    for label in range(len(problem.dataset.classes)):
        labeling = frozenset((row, label) for row in subset.tolist())
        limited = [int(label == other) for other in problem.counted_classes]
        found[labeling] = {(0, 0, *limited): SpecLeaf(label)}
    if depth == 0:
        return found
    for rule in problem.rules.distinct(problem.dataset.X, subset):
        holds = rule.holds(problem.dataset.X[subset])
        left_labelings = labelings(problem, subset[holds], depth_below(depth))
        right_labelings = labelings(problem, subset[~holds], depth_below(depth))
        for left_labeling, left_trees in left_labelings.items():
            for right_labeling, right_trees in right_labelings.items():
                joined = found.setdefault(left_labeling | right_labeling, {})
                for a, left in left_trees.items():
                    for b, right in right_trees.items():
                        joined.setdefault(join(a, b), SpecNode(rule, left, right))
    return {labeling: nondominated(trees) for labeling, trees in found.items()}


def join(left: Numbers, right: Numbers) -> Numbers:
    """Return size, depth and leaves of limited classes of a node from those of its children."""
    leaves = (a + b for a, b in zip(left[2:], right[2:], strict=True))
    return (left[0] + right[0] + 1, max(left[1], right[1]) + 1, *leaves)
