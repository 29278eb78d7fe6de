"""Minimum size of a tree or an ensemble, from decision problems for given sizes.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, section 2.
Theorem     None: the two problems of the source, Minimum Tree Ensemble Size (minimum S) and Minimax
            Tree Ensemble Size (minimum s), with the limits of this package. `smallest` also serves
            the specifications of single trees.
Time        One decision problem for every value up to the optimum.
Symbols     S total size of an ensemble, s size of its largest tree, l trees.
The idea    Both minimize one size within the limit on the other, from below, because small sizes
            are refuted quickly. Of the ensembles of minimum s one of minimum S is searched for
            next, because the others may have unnecessary nodes.
Departures  None besides those of witness_ensemble.py.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, TypeVar

from exactree.problem import Problem
from exactree.spec.table import SpecTree, size
from exactree.spec.witness_effort import max_nodes

__all__ = [
    "Decide",
    "Sizes",
    "TreeTuple",
    "allowed_sizes",
    "min_largest_size",
    "min_total_size",
    "smallest",
]

AnswerT = TypeVar("AnswerT")
TreeTuple = tuple[SpecTree, ...]
Decide = Callable[["Sizes"], TreeTuple | None]


@dataclass(frozen=True)
class Sizes:
    """Limits on sizes: at most S nodes in total, at most s in every tree."""

    S: int
    s: int

    def allows_another_node(self, trees: TreeTuple, i: int) -> bool:
        """Return whether tree i may get another node."""
        return sum(map(size, trees)) < self.S and size(trees[i]) < self.s


def allowed_sizes(problem: Problem) -> Sizes:
    """Return sizes that suffice for an ensemble, if any ensemble keeps the limits."""
    s, limits = max_nodes(problem), problem.limits
    S = problem.n_trees * s
    return Sizes(S if limits.max_total_size is None else min(S, limits.max_total_size), s)


def smallest(
    decide: Callable[[int], AnswerT | None],
    low: int,
    high: int,
    strategy: Literal["up", "down", "bisect"] = "up",
) -> tuple[int, AnswerT] | None:
    """Return the smallest s for which a decision procedure finds a solution, and the solution.

    Parameters
    ----------
    decide : callable
        Returns a solution of size at most s, or None if there is none. A solution for s is also a
        solution for every larger s.
    low, high : int
        The sizes that are tried: from `low` to `high`, both included.
    strategy : {"up", "down", "bisect"}
        "up" tries low, low + 1, ... and suits procedures whose time grows fast with s; "down" tries
        high, high - 1, ... until there is no solution; "bisect" tries `high`, then halves the
        range.

    Returns
    -------
    tuple of int and solution, or None
        None if there is no solution at `high`.
    """
    if strategy == "up":
        for s in range(low, high + 1):
            solution = decide(s)
            if solution is not None:
                return s, solution
        return None
    found: tuple[int, AnswerT] | None = None
    while low <= high:
        s = high if strategy == "down" or found is None else (low + high) // 2
        solution = decide(s)
        if solution is not None:
            found, high = (s, solution), s - 1
        elif strategy == "down" or found is None:
            break
        else:
            low = s + 1
    return found


def min_total_size(problem: Problem, decide: Decide) -> TreeTuple | None:
    """Minimum Tree Ensemble Size: the minimum S, then the minimum s if it is minimized as well.

    A tree together with single leaves, whose classes are distributed as evenly as possible with
    later classes first, votes like the tree alone. So only `max_size` can require a greater total
    size than that of a single tree.

    Parameters
    ----------
    problem : Problem
        The limits on sizes.
    decide : callable
        Returns an ensemble within given sizes, or None.
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


def min_largest_size(problem: Problem, decide: Decide) -> TreeTuple | None:
    """Minimax Tree Ensemble Size: the minimum s, then the minimum S, without unnecessary nodes.

    Parameters
    ----------
    problem : Problem
        The limits on sizes.
    decide : callable
        Returns an ensemble within given sizes, or None.
    """
    allowed, n_trees = allowed_sizes(problem), problem.n_trees
    found = smallest(lambda s: decide(Sizes(min(allowed.S, n_trees * s), s)), 0, allowed.s)
    if found is not None:
        s, trees = found
        found = smallest(lambda S: decide(Sizes(S, s)), s, sum(map(size, trees)))
    return None if found is None else found[1]
