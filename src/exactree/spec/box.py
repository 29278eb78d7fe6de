"""Smallest trees without errors by dynamic programming over boxes.

Source      Kobourov, Löffler, Montecchiani, Pilipczuk, Rutter, Seidel, Sorge, Wulms: The Influence
            of Dimensions on the Complexity of Computing Decision Trees, AAAI 2023, section 3.
Theorem     Theorem 3.1, for any number of classes.
Time        O(D_max^(2d) · d·n), which is O(n^(2d+1) · d).
Symbols     E the n examples, d features, D_max distinct values of a feature at most. S_i: the
            splits of feature i, one threshold between any two neighbouring values, and -∞ and ∞.
            box(u, v): the points between the splits u and v in every feature, v_i(t): v with its
            entry i set to t, volume: its grid points (all in `exactree.spec.boxes`). T[u, v]:
            minimum size of a tree for E ∩ box(u, v).
The idea    The subset of every node is the examples of a box. A box with examples of one class
            needs no cut. Any other box is cut at a split of some feature into two boxes, at a cost
            of 1 plus the sizes of their trees. Both have smaller volume, so the table is filled by
            volume.
Departures  1. The cut lies strictly inside the box, u_i < t < v_i; otherwise one child would be the
               box itself.
            2. An empty box costs 0, like a box with one class. (No smallest tree cuts off an empty
               box: the other child would need as many cuts as the whole box.)
            3. A box that mixes classes and has no split inside holds equal examples with different
               labels: the minimum over no cuts is infinite.
            4. An entry stores its cut, so that the tree can be read from the table.
"""

from dataclasses import dataclass
from math import inf, prod

import numpy as np

from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.rules import AxisRule
from exactree.spec.boxes import Box, boxes, children, examples_in, grid, ranks_of, volume
from exactree.spec.effort import refuse_large_table
from exactree.spec.table import SpecLeaf, SpecNode, SpecTree, answer

__all__ = [
    "BoxEntry",
    "BoxTable",
    "best_cut",
    "box_table",
    "reason_to_refuse",
    "solve",
    "tree_of",
]


@dataclass(frozen=True)
class BoxEntry:
    """An entry T[u, v]: the minimum size, infinite without a tree, and the root's cut (i, t)."""

    size: float
    cut: tuple[int, int] | None = None


BoxTable = dict[Box, BoxEntry]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return the reason why the method refuses a problem, None if it accepts the problem.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    limits = problem.limits
    if problem.n_trees != 1:
        return "it takes one tree only"
    if not {"errors", "size"}.issuperset(problem.quantities):
        return "its table holds sizes only"
    if problem.max_error_weight != 0:
        return "it finds trees without errors, so it needs max_errors=0"
    if limits.max_depth is not None:
        return "it takes no max_depth"
    if problem.min_rows > 1:
        return "it takes no min_samples_leaf"
    if limits.max_leaves_of:
        return "it takes no max_leaves_of"
    return None


def solve(problem: Problem) -> Outcome:
    """Return a smallest tree without errors.

    Parameters
    ----------
    problem : Problem
        A problem with few features or few values that the method accepts.

    Raises
    ------
    MethodRefused
        If the table would be too large.
    """
    if (outcome := infeasible_without_search(problem)) is not None:
        return outcome
    T = box_table(problem)
    S = grid(problem)
    everything = tuple(ends[0] for ends in S), tuple(ends[-1] for ends in S)
    s = problem.max_tree_size
    size = T[everything].size
    fits = size < inf and (s is None or size <= s)
    found = tree_of(problem, T, everything) if fits else None
    return answer(problem, found, stats={"entries": len(T)})


def box_table(problem: Problem) -> BoxTable:
    """Fill T for all boxes, from smaller to larger volume.

    Parameters
    ----------
    problem : Problem
        A problem with few features or few values.

    Raises
    ------
    MethodRefused
        If the table would be too large.
    """
    _refuse_large(problem)
    labels, ranks = problem.dataset.labels.tolist(), ranks_of(problem)
    T: BoxTable = {}
    for u, v in sorted(boxes(grid(problem)), key=volume):
        classes = {labels[example] for example in examples_in(ranks, (u, v))}
        T[u, v] = BoxEntry(0) if len(classes) <= 1 else best_cut(T, (u, v))
    return T


def best_cut(T: BoxTable, box: Box) -> BoxEntry:
    """Return the minimum of T[u, v_i(t)] + T[u_i(t), v] + 1 over all splits of all features."""
    best = BoxEntry(inf)
    for i, (low, high) in enumerate(zip(*box, strict=True)):
        for t in range(low + 1, high):
            left, right = children(box, i, t)
            size = T[left].size + T[right].size + 1
            if size < best.size:
                best = BoxEntry(size, (i, t))
    return best


def tree_of(problem: Problem, T: BoxTable, box: Box) -> SpecTree:
    """Read the tree for a box that holds examples from the cuts of the table.

    Parameters
    ----------
    problem : Problem
        The problem of the table.
    T : dict
        The table.
    box : tuple
        Its corners.
    """
    cut = T[box].cut
    if cut is None:
        inside = examples_in(ranks_of(problem), box)
        return SpecLeaf(int(problem.dataset.labels[inside[0]]))
    i, t = cut
    left, right = children(box, i, t)
    values = np.unique(problem.dataset.X[:, i]).tolist()
    rule = AxisRule(i, values[t - 1], values[t])
    return SpecNode(rule, tree_of(problem, T, left), tree_of(problem, T, right))


def _refuse_large(problem: Problem) -> None:
    values = [len(S) - 1 for S in grid(problem)]
    entries = prod(D * (D + 1) // 2 for D in values)
    steps = entries * (problem.dataset.X.size + sum(values))
    better = "method='witness' or method='threshold'"
    refuse_large_table("Theorem 3.1 of Kobourov et al. (AAAI 2023)", entries, steps, better)
