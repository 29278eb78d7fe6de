"""A size and a depth that surely suffice: those of trees made greedily, or of the limits."""

from collections import Counter
from collections.abc import Callable, Sequence

from exactree.problem import Problem
from exactree.spec.essential_nodes import largest_size
from exactree.spec.examples import Examples, divide, domain, node, uniform
from exactree.spec.table import SpecLeaf, SpecTree, depth, size

__all__ = ["greedy_trees", "most_levels", "most_nodes"]

SplitCost = Callable[[Examples, Examples], int]

# Greedy trees are made where a level takes no more than about half a second, and up to this depth:
# no method that asks for them reaches deeper.
GREEDY_STEPS = 2_000_000
GREEDY_DEPTH = 12


def greedy_trees(E: Examples, features: Sequence[int]) -> list[SpecTree]:
    """Return up to two trees that classify E, made greedily: a best one is no larger, nor deeper.

    Parameters
    ----------
    E : tuple of Example
        At least one example, no two equal ones with different labels.
    features : sequence of int
        The features that may be used.
    """
    if len(E) * sum(len(domain(E, f)) for f in features) > GREEDY_STEPS:
        return []
    prices: list[SplitCost] = [
        lambda left, right: errors(left) + errors(right),
        lambda left, right: max(len(left), len(right)),
    ]
    trees = [greedy_tree(E, features, price, GREEDY_DEPTH) for price in prices]
    return [tree for tree in trees if tree is not None]


def greedy_tree(
    E: Examples, features: Sequence[int], price: SplitCost, most: int
) -> SpecTree | None:
    """Return a tree that divides every part where the price of the two children is least.

    Parameters
    ----------
    E : tuple of Example
        At least one example, no two equal ones with different labels.
    features : sequence of int
        The features that may be used.
    price : callable
        Takes the children of a rule.
    most : int
        The depth from which on to give up and return None.
    """
    if uniform(E):
        return SpecLeaf(E[0].label)
    if most == 0:
        return None
    rules = [(f, t) for f in features for t in domain(E, f)[:-1]]
    f, t = min(rules, key=lambda rule: price(*divide(E, *rule)))
    left, right = (greedy_tree(side, features, price, most - 1) for side in divide(E, f, t))
    return None if left is None or right is None else node(E, f, t, left, right)


def errors(E: Examples) -> int:
    """Return how many examples a leaf misclassifies."""
    return len(E) - max(Counter(e.label for e in E).values())


def most_nodes(problem: Problem, E: Examples, features: Sequence[int]) -> int:
    """Return a number of nodes that suffices, or that the limits allow if that is less.

    Parameters
    ----------
    problem : Problem
        To minimize the size.
    E : tuple of Example
        Its examples.
    features : sequence of int
        The features that may be used.
    """
    # Every leaf holds an example. A greedy tree may have more leaves of a class than allowed.
    enough = len(set(E)) - 1
    if limits := problem.leaf_limits:
        if len(problem.dataset.classes) == 2:
            enough = min(enough, largest_size(len(features), min(limits.values())))
    else:
        enough = min([enough, *map(size, greedy_trees(E, features))])
    return enough if problem.most_size is None else min(enough, problem.most_size)


def most_levels(problem: Problem, E: Examples) -> int:
    """Return a depth that suffices, or that the limits allow if that is less.

    Parameters
    ----------
    problem : Problem
        To minimize the depth.
    E : tuple of Example
        Its examples.
    """
    trees = greedy_trees(E, range(len(E[0].row)))
    enough = min([len(set(E)) - 1, *map(depth, trees)])
    most = problem.limits.max_depth
    return enough if most is None else min(enough, most)
