"""Upper bounds on the minimum size and depth: those of greedy trees, or the limits."""

from collections import Counter
from collections.abc import Callable, Sequence

from exactree.problem import Problem
from exactree.spec.essential_nodes import largest_size
from exactree.spec.examples import Examples, divide, domain, node, uniform
from exactree.spec.table import SpecLeaf, SpecTree, depth, size

__all__ = ["greedy_trees", "max_levels", "max_nodes"]

SplitCost = Callable[[Examples, Examples], int]

# Greedy trees are built if one level takes at most this number of steps, about half a second.
# Trees deeper than this depth are given up: no method that uses greedy trees goes deeper.
GREEDY_STEPS = 2_000_000
GREEDY_DEPTH = 12


def greedy_trees(E: Examples, features: Sequence[int]) -> list[SpecTree]:
    """Return up to two greedy trees that classify E, as upper bounds on size and depth.

    Parameters
    ----------
    E : tuple of Example
        At least one example, without contradictions.
    features : sequence of int
        The features that may be used.
    """
    if len(E) * sum(len(domain(E, f)) for f in features) > GREEDY_STEPS:
        return []
    split_costs: list[SplitCost] = [
        lambda left, right: errors(left) + errors(right),
        lambda left, right: max(len(left), len(right)),
    ]
    trees = [greedy_tree(E, features, split_cost, GREEDY_DEPTH) for split_cost in split_costs]
    return [tree for tree in trees if tree is not None]


def greedy_tree(
    E: Examples, features: Sequence[int], split_cost: SplitCost, max_depth: int
) -> SpecTree | None:
    """Return a tree in which each rule minimizes the cost of its own split.

    Parameters
    ----------
    E : tuple of Example
        At least one example, without contradictions.
    features : sequence of int
        The features that may be used.
    split_cost : callable
        Returns the cost of a split from its two children.
    max_depth : int
        Maximum depth; None is returned if it does not suffice.
    """
    if uniform(E):
        return SpecLeaf(E[0].label)
    if max_depth == 0:
        return None
    rules = [(f, t) for f in features for t in domain(E, f)[:-1]]
    f, t = min(rules, key=lambda rule: split_cost(*divide(E, *rule)))
    left, right = (
        greedy_tree(child, features, split_cost, max_depth - 1) for child in divide(E, f, t)
    )
    return None if left is None or right is None else node(E, f, t, left, right)


def errors(E: Examples) -> int:
    """Return the number of examples that a leaf misclassifies."""
    return len(E) - max(Counter(e.label for e in E).values())


def max_nodes(problem: Problem, E: Examples, features: Sequence[int]) -> int:
    """Return an upper bound on the minimum number of nodes, or the size limit if it is smaller.

    Parameters
    ----------
    problem : Problem
        A problem that minimizes the size.
    E : tuple of Example
        Its examples.
    features : sequence of int
        The features that may be used.
    """
    # Every leaf of a smallest tree has an example. With limits on the leaves of classes the greedy
    # trees give no bound, because they may exceed these limits.
    bound = len(set(E)) - 1
    if limits := problem.leaf_limits:
        if len(problem.dataset.classes) == 2:
            bound = min(bound, largest_size(len(features), min(limits.values())))
    else:
        bound = min([bound, *map(size, greedy_trees(E, features))])
    return bound if problem.max_tree_size is None else min(bound, problem.max_tree_size)


def max_levels(problem: Problem, E: Examples) -> int:
    """Return an upper bound on the minimum depth, or the depth limit if it is smaller.

    Parameters
    ----------
    problem : Problem
        A problem that minimizes the depth.
    E : tuple of Example
        Its examples.
    """
    trees = greedy_trees(E, range(len(E[0].row)))
    bound = min([len(set(E)) - 1, *map(depth, trees)])
    limit = problem.limits.max_depth
    return bound if limit is None else min(bound, limit)
