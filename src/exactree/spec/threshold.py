"""A tree of minimum size by binary search for the thresholds (000, Algorithms 1 and 2).

Source      000: Kobourov et al., "The influence of dimensions on the complexity of computing
            decision trees", AAAI 2023.
Theorem     3.2 (Algorithms 1 and 2), Corollary 3.3 (only given features), 3.6 (few leaves of a
            class).
Time        O((s^3 d)^s n^(1 + o(1))) for n examples, d features and trees of size at most s.
Symbols     E examples, s maximum number of nodes, D the features that may be used, i one of them, j
            maximum number of nodes on the left, t threshold, R maximum number of leaves per class,
            sdt the smallest decision tree so far, dt a decision tree, l and r its subtrees.
The idea    If the left subset of a node has a tree of size j, so has each of its subsets, and a
            smaller left subset only makes the right subset larger. So for each feature and each j
            the largest threshold that admits a tree of size j on the left is best, and binary
            search finds it.
Departures  1. A leaf is returned whenever E is uniform. In the source this is tested only for s =
               0, which pads the trees to exactly s nodes and leads to empty sets of examples.
            2. A threshold with an empty child is not a rule and is skipped. No threshold of a tree
               of minimum size has an empty child, nor has the one that Algorithm 2 finds for it.
            3. Algorithm 2 returns `BELOW` if not even the smallest value admits a tree of size j.
            4. Each class may have its own R; a class without R has no limit. R is an argument of
               both algorithms: for each j, each division of R between the two children is tried.
               (Theorem 3.6 only bounds the size, see `exactree.spec.essential_nodes`.)
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product

from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.spec.examples import (
    BELOW,
    Examples,
    as_examples,
    divide,
    domain,
    node,
    uniform,
)
from exactree.spec.greedy_trees import max_nodes
from exactree.spec.minimum_sizes import smallest
from exactree.spec.table import SpecLeaf, SpecTree, answer, size
from exactree.spec.threshold_effort import refuse_large_search

__all__ = ["binary_search", "reason_to_refuse", "smallest_decision_tree", "solve"]

MaxLeaves = Mapping[int, int]


def smallest_decision_tree(
    E: Examples,
    s: int,
    D: Sequence[int],
    R: MaxLeaves | None = None,
    visited: Counter[str] | None = None,
) -> SpecTree | None:
    """Return a smallest tree of size at most s that classifies E, None if there is none.

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    s : int
        Maximum number of nodes.
    D : sequence of int
        Features that may be used (Corollary 3.3); all features in Theorem 3.2.
    R : mapping of int to int, optional
        Maximum number of leaves of a class, by the index of the class.
    visited : Counter, optional
        Counter of the calls of Algorithm 1 for several classes, and of Algorithm 2.
    """
    R = R or {}
    visited = Counter() if visited is None else visited
    if uniform(E):
        return SpecLeaf(E[0].label) if R.get(E[0].label, 1) > 0 else None
    visited["calls"] += 1
    sdt: SpecTree | None = None
    for i in D:
        for j in range(s):
            for left_R, right_R in children_limits(R, j):
                t = binary_search(E, i, j, D, left_R, visited)
                left, right = divide(E, i, t)
                if not left or not right:
                    continue
                r = smallest_decision_tree(right, s - j - 1, D, right_R, visited)
                l = smallest_decision_tree(left, j, D, left_R, visited)  # noqa: E741
                if l is None or r is None:
                    continue
                dt = node(E, i, t, l, r)
                if sdt is None or size(dt) < size(sdt):
                    sdt = dt
    return sdt


def binary_search(
    E: Examples, i: int, j: int, D: Sequence[int], R: MaxLeaves, visited: Counter[str] | None = None
) -> float:
    """Return the largest value t for which E[i <= t] has a tree of size at most j, or `BELOW`.

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    i : int
        The feature.
    j : int
        Maximum number of nodes on the left.
    D, R, visited
        As in `smallest_decision_tree`.
    """
    visited = Counter() if visited is None else visited
    visited["bisections"] += 1
    values = domain(E, i)
    L, H = 0, len(values) - 1
    while L <= H:
        m = (L + H) // 2
        left, _ = divide(E, i, values[m])
        if smallest_decision_tree(left, j, D, R, visited) is not None:
            L = m + 1
        else:
            H = m - 1
    # Every index up to H admits a tree, and no index above H does.
    return values[H] if H >= 0 else BELOW


def children_limits(R: MaxLeaves, j: int) -> Iterator[tuple[MaxLeaves, MaxLeaves]]:
    """List the divisions of R between a left child of at most j nodes and a right child."""
    for limits in product(*(range(min(limit, j + 1) + 1) for limit in R.values())):
        left_R = dict(zip(R, limits, strict=True))
        yield left_R, {label: R[label] - left_R[label] for label in R}


def reason_to_refuse(problem: Problem) -> str | None:
    """Return the reason why the method refuses a problem, None if it accepts the problem.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    if problem.n_trees != 1:
        return "it takes one tree only"
    if not {"errors", "size"}.issuperset(problem.quantities):
        return "it minimizes the size only"
    if problem.max_error_weight != 0:
        return "it finds trees without errors, so it needs max_errors=0"
    if problem.limits.max_depth is not None:
        return "it takes no max_depth"
    if problem.min_rows > 1:
        return "it takes no min_samples_leaf"
    return None


def solve(problem: Problem) -> Outcome:
    """Return a smallest tree without errors.

    Parameters
    ----------
    problem : Problem
        A problem that the method accepts, with thresholds only, possibly with the limits
        max_size and max_leaves_of; D is the set of features that splits may use.

    Raises
    ------
    MethodRefused
        If the search would take too long.
    """
    if infeasible := infeasible_without_search(problem):
        return infeasible
    D = [f for column in problem.rules.columns(problem.dataset.X) for f in column.features]
    E, R = as_examples(problem), problem.leaf_limits
    high = max_nodes(problem, E, D)
    refuse_large_search(E, high, D, R)
    visited = Counter(calls=0, bisections=0)
    # The time of Algorithm 1 grows fast with s: s = 0, 1, 2, ... are tried rather than only `high`.
    found: tuple[int, SpecTree] | None = smallest(
        lambda s: smallest_decision_tree(E, s, D, R, visited), 0, high
    )
    return answer(problem, None if found is None else found[1], stats=visited)
