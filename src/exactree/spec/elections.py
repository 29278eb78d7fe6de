"""Trees that vote: errors, limits and rank of an ensemble of trees of known labelings and numbers.

The definition, the lists and the fronts of ensembles compare the same choices of trees, also under
constraints.
"""

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from exactree.problem import Problem
from exactree.problem.confusion import keeps_rates
from exactree.spec.definition import Numbers

__all__ = [
    "RowLabeling",
    "allowed",
    "errors_of",
    "keeps_limits_of_a_tree",
    "keeps_limits_together",
    "order",
]

# The class of each row of a subset: pairs of a row and a class index.
RowLabeling = frozenset[tuple[int, int]]


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
    few = problem.keeps_leaf_limits(leaves)
    return few and (problem.max_tree_size is None or size <= problem.max_tree_size)


def keeps_limits_together(problem: Problem, trees: Sequence[Numbers]) -> bool:
    """Return whether the total size of trees and their leaves of limited classes are allowed."""
    limit = problem.limits.max_total_size
    small = limit is None or sum(size for size, *_ in trees) <= limit
    return small and problem.keeps_leaf_limits(*(leaves for _, _, *leaves in trees))


def order(problem: Problem, trees: Sequence[Numbers], errors: int | Fraction) -> tuple[object, ...]:
    """Return the quantities that a best ensemble minimizes: cost, total size, errors and depth."""
    sizes = [numbers[0] for numbers in trees]
    depths = [numbers[1] for numbers in trees]
    return (problem.cost_of(errors, sizes, depths), sum(sizes), errors, sum(depths))
