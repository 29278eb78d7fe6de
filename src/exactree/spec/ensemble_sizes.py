"""From "is there an ensemble within these sizes?" to least total size and least largest size.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023,
            full version, section 2.
Theorem     None: the two problems that the source states, Minimum Tree Ensemble Size (least S)
            and Minimax Tree Ensemble Size (least s), with the limits of this package.
Time        One question for every value up to the optimum.
Symbols     S total size of an ensemble, s size of its largest tree, l trees.
The idea    Both ask for the least value of one size within what is allowed of the other, from
            below: refusing small sizes costs little. Of the ensembles of least s one of least S is
            requested next, because the others may have nodes that they do not need.
Departures  None but those of witness_ensemble.py.
"""

from collections.abc import Callable
from dataclasses import dataclass

from exactree.problem import Problem
from exactree.spec.size_search import smallest
from exactree.spec.table import SpecTree, size
from exactree.spec.witness_effort import most_nodes

__all__ = [
    "Decide",
    "Sizes",
    "TreeTuple",
    "allowed_sizes",
    "least_largest_size",
    "least_total_size",
]

TreeTuple = tuple[SpecTree, ...]
Decide = Callable[["Sizes"], TreeTuple | None]


@dataclass(frozen=True)
class Sizes:
    """The sizes requested: at most S in all, at most s for every tree."""

    S: int
    s: int

    def room(self, trees: TreeTuple, i: int) -> bool:
        """Return whether tree i may get another node."""
        return sum(map(size, trees)) < self.S and size(trees[i]) < self.s


def allowed_sizes(problem: Problem) -> Sizes:
    """Return the sizes within which an ensemble is found, if one keeps the limits."""
    most, limits = most_nodes(problem), problem.limits
    S = problem.n_trees * most
    return Sizes(S if limits.max_total_size is None else min(S, limits.max_total_size), most)


def least_total_size(problem: Problem, decide: Decide) -> TreeTuple | None:
    """Minimum Tree Ensemble Size: the least S, then the least s if that is used for.

    A tree together with leaves whose classes are spread as evenly as possible, later classes
    first, votes as the tree does alone. So only `max_size` can call for a greater total size than
    that of one tree.

    Parameters
    ----------
    problem : Problem
        The limits on sizes.
    decide : callable
        Returns an ensemble within the sizes requested, or None.
    """
    allowed, limit = allowed_sizes(problem), problem.limits.max_size
    alone = limit is None or allowed.s < limit
    high = min(allowed.S, allowed.s) if alone else allowed.S
    found = smallest(lambda S: decide(Sizes(S, allowed.s)), 0, high)
    if found is not None and "largest_size" in problem.quantities:
        S, trees = found
        low = -(-S // problem.n_trees)
        found = smallest(lambda s: decide(Sizes(S, s)), low, max(map(size, trees)))
    return None if found is None else found[1]


def least_largest_size(problem: Problem, decide: Decide) -> TreeTuple | None:
    """Minimax Tree Ensemble Size: the least s, then the least S: no node is left without a use.

    Parameters
    ----------
    problem : Problem
        The limits on sizes.
    decide : callable
        Returns an ensemble within the sizes requested, or None.
    """
    allowed, n_trees = allowed_sizes(problem), problem.n_trees
    found = smallest(lambda s: decide(Sizes(min(allowed.S, n_trees * s), s)), 0, allowed.s)
    if found is not None:
        s, trees = found
        found = smallest(lambda S: decide(Sizes(S, s)), s, sum(map(size, trees)))
    return None if found is None else found[1]
