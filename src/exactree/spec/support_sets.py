"""A tree of minimum size or depth by support sets (002, Theorem 8: Algorithms 3 and 4).

Source      002: notes on Ordyniak & Szeider, "Parameterized complexity of small decision tree
            learning", AAAI 2021.
Theorem     Theorem 8 (Algorithms 3 and 4, minDT and minDTS).
Time        (D_max^s 2 delta_max)^s times the time of Theorem 4.
Symbols     E examples, S support set, s nodes allowed (for depth: on a path), B the best tree so
            far, T a tree, R0 the branching set of S.
The idea    The features of a tree are a support set, so they contain a minimal support set S. Their
            other features intersect the branching set of S (Lemmas 11 to 14): try to add each of
            its features. For every S that is visited, Theorem 4 finds a best tree that uses exactly
            S.
Departures  1. For depth s, up to 2^s - 1 features are allowed instead of s.
            2. Once a tree is known, only better trees are searched for.
            3. A tree of minimum depth may have nodes that a subtree can replace; as in every
               specification, they are removed in the end (`irreducible.py`).
"""

from collections import Counter
from collections.abc import Callable

from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.spec.branching_sets import branching_set
from exactree.spec.examples import Examples, as_examples
from exactree.spec.find_thresholds import shallowest_with, smallest_with
from exactree.spec.greedy_trees import max_levels, max_nodes
from exactree.spec.minimal_support_sets import minimal_support_sets
from exactree.spec.minimum_sizes import smallest
from exactree.spec.table import SpecTree, answer, depth, size
from exactree.spec.threshold_effort import refuse_large_sets

__all__ = [
    "best_with",
    "max_features",
    "min_dt",
    "min_dts",
    "quantity",
    "reason_to_refuse",
    "solve",
]

# The measure of each quantity that can be minimized.
MEASURES: dict[str, Callable[[SpecTree], int]] = {"size": size, "depth": depth}


def min_dt(
    E: Examples, s: int, minimize: str = "size", visited: Counter[str] | None = None
) -> SpecTree | None:
    """Return a best tree of size (depth) at most s, None if there is none (Algorithm 3).

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    s : int
        Maximum number of nodes, in total or on a path.
    minimize : str
        "size" or "depth".
    visited : Counter, optional
        Counter of the visited sets of features.
    """
    visited = Counter() if visited is None else visited
    B: SpecTree | None = None
    for S in minimal_support_sets(E, max_features(s, minimize)):
        visited["support_sets"] += 1
        limit = s if B is None else MEASURES[minimize](B) - 1
        T = min_dts(E, S, limit, minimize, visited)
        B = B if T is None else T
    return B


def min_dts(
    E: Examples,
    S: frozenset[int],
    s: int,
    minimize: str = "size",
    visited: Counter[str] | None = None,
) -> SpecTree | None:
    """Return a best tree of size (depth) at most s that uses at least S (Algorithm 4).

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    S : frozenset of int
        A support set.
    s : int
        Maximum number of nodes, in total or on a path.
    minimize : str
        "size" or "depth".
    visited : Counter, optional
        Counter of the visited sets of features.

    Returns
    -------
    SpecTree or None
        None if there is no such tree. Unnecessary nodes are left out, and possibly features of S
        with them.
    """
    if len(S) > max_features(s, minimize):
        return None
    visited = Counter() if visited is None else visited
    B = best_with(E, S, s, minimize)
    if len(S) < max_features(s, minimize):
        for f in sorted(branching_set(E, S)):
            visited["larger_sets"] += 1
            limit = s if B is None else MEASURES[minimize](B) - 1
            T = min_dts(E, S | {f}, limit, minimize, visited)
            B = B if T is None else T
    return B


def best_with(E: Examples, S: frozenset[int], s: int, minimize: str) -> SpecTree | None:
    """Return a best tree of size (depth) at most s that uses exactly S (Theorem 4)."""
    return smallest_with(E, S, s) if minimize == "size" else shallowest_with(E, S, s)


def max_features(s: int, minimize: str) -> int:
    """Return the maximum number of features of a tree of size (depth) s; -1 for negative s."""
    return s if minimize == "size" else (1 << s) - 1 if s >= 0 else -1


def reason_to_refuse(problem: Problem) -> str | None:
    """Return the reason why the method refuses a problem, None if it accepts the problem.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    limits, minimize = problem.limits, quantity(problem)
    if problem.n_trees != 1:
        return "it takes one tree only"
    if not {"errors", minimize}.issuperset(problem.quantities):
        return "it minimizes the size or the depth, not both"
    if problem.max_error_weight != 0:
        return "it finds trees without errors, so it needs max_errors=0"
    if minimize == "size" and limits.max_depth is not None:
        return "it takes no max_depth unless it minimizes the depth"
    if minimize == "depth" and problem.max_tree_size is not None:
        return "it takes no max_size when it minimizes the depth"
    if minimize == "depth" and problem.leaf_penalty > 0:
        return "it takes no leaf_penalty when it minimizes the depth"
    if problem.min_rows > 1:
        return "it takes no min_samples_leaf"
    if limits.max_leaves_of:
        return "it takes no max_leaves_of"
    return None


def quantity(problem: Problem) -> str:
    """Return the quantity that is minimized over trees without errors: "size" or "depth"."""
    return "depth" if "depth" in problem.quantities else "size"


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum size or depth without errors.

    Parameters
    ----------
    problem : Problem
        A problem that the method accepts, possibly with the limit max_size or max_depth.

    Raises
    ------
    MethodRefused
        If the search would take too long.
    """
    if infeasible := infeasible_without_search(problem):
        return infeasible
    E, minimize = as_examples(problem), quantity(problem)
    features = range(problem.dataset.X.shape[1])
    by_size = minimize == "size"
    high = max_nodes(problem, E, features) if by_size else max_levels(problem, E)
    refuse_large_sets(E, high, minimize)
    visited = Counter(support_sets=0, larger_sets=0)
    # The time of Algorithm 3 grows fast with s: s = 0, 1, 2, ... are tried rather than only `high`.
    best: tuple[int, SpecTree] | None = smallest(lambda s: min_dt(E, s, minimize, visited), 0, high)
    return answer(problem, None if best is None else best[1], stats=visited)
