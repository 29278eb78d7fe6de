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

from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import combinations_with_replacement

import numpy as np

from exactree.problem import Outcome, Problem
from exactree.problem.confusion import keeps_rates
from exactree.problem.display.infeasibility import infeasible, infeasible_without_search
from exactree.spec.definition import Numbers, Subset, depth_below, max_depth, nondominated
from exactree.spec.effort import refuse_large_ensemble
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

__all__ = ["reason_to_refuse", "solve"]

# The class of each row of a subset: pairs of a row and a class index.
RowLabeling = frozenset[tuple[int, int]]
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
        total_size = sum(numbers[0] for _, numbers, _ in choice)
        limit = problem.limits.max_total_size
        if limit is None or total_size <= limit:
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
    if len(subset) < problem.min_rows:
        return {}
    found: TreesByLabeling = {}
    for label in range(len(problem.dataset.classes)):
        labeling = frozenset((row, label) for row in subset.tolist())
        limited = [int(label == other) for other in problem.leaf_limits]
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


def errors_of(problem: Problem, of_trees: Sequence[RowLabeling]) -> int | Fraction:
    """Return the weight of the rows whose label does not win the vote, or the rate."""
    wrong = confusion_of_votes(problem, of_trees)
    return sum(wrong) if problem.rate is None else problem.rate.errors(*wrong)


def allowed(problem: Problem, of_trees: Sequence[RowLabeling]) -> bool:
    """Return whether labelings keep the limits on errors, on precision and on recall."""
    wrong = confusion_of_votes(problem, of_trees)
    if problem.rate is not None:
        return keeps_rates(problem, *wrong)
    return problem.max_error_weight is None or sum(wrong) <= problem.max_error_weight


def confusion_of_votes(problem: Problem, of_trees: Sequence[RowLabeling]) -> tuple[int, int]:
    """Return the misclassified weight of negative and of positive rows."""
    votes = Counter(pair for labeling in of_trees for pair in labeling)
    classes = range(len(problem.dataset.classes))
    wrong = [0, 0]
    for row, label in enumerate(problem.dataset.labels.tolist()):
        winner = max(classes, key=lambda other, row=row: (votes[row, other], -other))  # type: ignore[misc]
        if winner != label:
            wrong[label == problem.positive] += int(problem.dataset.weights[row])
    return wrong[0], wrong[1]


def keeps_limits_of_a_tree(problem: Problem, numbers: Numbers) -> bool:
    """Return whether the size of one tree and its leaves of limited classes are allowed."""
    size, _, *leaves = numbers
    few = all(n <= limit for n, limit in zip(leaves, problem.leaf_limits.values(), strict=True))
    return few and (problem.max_tree_size is None or size <= problem.max_tree_size)


def order(problem: Problem, trees: Sequence[Numbers], errors: int | Fraction) -> tuple[object, ...]:
    """Return the quantities that a best ensemble minimizes: cost, total size, errors and depth."""
    sizes = [numbers[0] for numbers in trees]
    depths = [numbers[1] for numbers in trees]
    return (problem.cost_of(errors, sizes, depths), sum(sizes), errors, sum(depths))
