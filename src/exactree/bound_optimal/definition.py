"""The definition: the tree of minimum risk bound by enumeration of all trees.

The minimum errors of each shape are computed for every subset of the examples and number of leaves:
the tree is a leaf, or has any rule that splits the subset, with any shapes for its two children.
"""

from collections.abc import Iterator

from exactree.bound_optimal.prices import RiskPrices
from exactree.problem import Limits, Outcome, Problem, Status
from exactree.problem.quantities import Number
from exactree.spec.effort import refuse_large
from exactree.spec.enumerate import RowTuple, splits
from exactree.spec.enumerate import leaf as leaf_for
from exactree.spec.table import fitted_tree
from exactree.spec.trees import SpecNode, SpecTree
from exactree.theory import TreeShape

__all__ = ["by_definition", "min_errors_by_shape"]

LEAF = TreeShape()
BestByShape = dict[TreeShape, tuple[int, SpecTree]]


def by_definition(
    problem: Problem, max_leaves: int, prices: RiskPrices
) -> tuple[float, TreeShape, Outcome]:
    """Return the minimum risk bound of all trees, with the shape and the outcome of its tree.

    Parameters
    ----------
    problem : Problem
        A problem with a small table.
    max_leaves : int
        Maximum number of leaves.
    prices : RiskPrices
        The risk bound.

    Raises
    ------
    MethodRefused
        If the table is too large.
    """
    refuse_large(problem.within(Limits(max_depth=max_leaves - 1)))
    everything = tuple(range(len(problem.dataset.X)))
    found = min_errors_by_shape(problem, everything, max_leaves)
    shape = min(found, key=lambda shape: prices.bound(shape, found[shape][0]))
    errors, tree = found[shape]
    cost: Number = errors
    return (
        prices.bound(shape, errors),
        shape,
        Outcome(Status.OPTIMAL, cost, cost, fitted_tree(problem, tree)),
    )


def min_errors_by_shape(problem: Problem, subset: RowTuple, max_leaves: int) -> BestByShape:
    """Return the minimum errors of each shape on a subset, with a tree that attains them.

    Parameters
    ----------
    problem : Problem
        The table and the rules.
    subset : tuple of int
        Row indices of the subset.
    max_leaves : int
        Maximum number of leaves.
    """
    numbers, tree = leaf_for(problem, subset)
    best: BestByShape = {LEAF: (numbers[0], tree)}
    for shape, errors, joined in _joined(problem, subset, max_leaves):
        if shape not in best or errors < best[shape][0]:
            best[shape] = (errors, joined)
    return best


def _joined(
    problem: Problem, subset: RowTuple, max_leaves: int
) -> Iterator[tuple[TreeShape, int, SpecTree]]:
    """Yield the trees whose root splits the subset, with the best subtrees of all shapes."""
    if max_leaves == 1:
        return
    for rule, left, right in splits(problem, subset):
        rights = min_errors_by_shape(problem, right, max_leaves - 1)
        for a, (a_errors, a_tree) in min_errors_by_shape(problem, left, max_leaves - 1).items():
            for b, (b_errors, b_tree) in rights.items():
                if a.leaves + b.leaves <= max_leaves:
                    yield TreeShape(a, b), a_errors + b_errors, SpecNode(rule, a_tree, b_tree)
