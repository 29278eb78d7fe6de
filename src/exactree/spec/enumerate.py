"""All optimal trees, or all trees within a slack of the minimum cost, once each, lazily.

Source      Komusiewicz et al., ICML 2023, section 6.3: compute all entries of the table, then list
            all trees of the entries of minimum cost.
Theorem     The paper has no bound on the time except for its tables and the length of the list. Two
            trees are the same if they have the same shape and corresponding nodes use the same
            feature and send the same rows of their subset left.
Time        One entry for each subset that up to `max_depth` rules can define, and the time for each
            listed tree; tables with too many are refused (`exactree.spec.effort`).
Symbols     T[subset, depth]: the numbers of all trees for a subset within a depth, that is, errors,
            size, depth, and the leaves of each class that `max_leaves_of` names.
The idea    The table has the numbers that trees of a subset can have, computed from those of the
            two children of every rule. Of the numbers for the whole table within the limits, those
            are selected whose cost exceeds the minimum by at most the slack. Their trees are found
            by going through the rules again: a tree has the selected numbers if the numbers of its
            children join to them.
Departures  1. The paper's table has an entry for every set of rows, this table only for sets that
               rules define.
            2. Splits by different features are different, even if they split a subset alike.
            3. Reducible trees are also listed if they cost no more.
            4. Ensembles: `exactree.spec.enumerate_ensembles`.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np

from exactree.problem import Problem
from exactree.problem.quantities import within_slack
from exactree.rules import Rule
from exactree.spec.definition import Numbers, depth_below, keeps_limits, max_depth, order
from exactree.spec.effort import refuse_large
from exactree.spec.trees import SpecLeaf, SpecNode, SpecTree

__all__ = ["optimal_trees", "splits"]

RowTuple = tuple[int, ...]


@dataclass(frozen=True)
class _TreeTable:
    """The problem, the entries of T, computed on demand, and the check that may end the work."""

    problem: Problem
    check: Callable[[], None]
    entries: dict[tuple[RowTuple, int | None], set[Numbers]] = field(default_factory=dict)


def unlimited() -> None:
    """Do nothing: the check of an enumeration without a limit."""


def optimal_trees(
    problem: Problem, slack: Sequence[Fraction] | None = None, check: Callable[[], None] = unlimited
) -> Iterator[SpecTree]:
    """Return every tree of minimum cost within the limits once, smaller trees first.

    Parameters
    ----------
    problem : Problem
        A problem with one tree and a small table.
    slack : sequence of Fraction, optional
        The allowed excess of each minimized quantity over its value in the minimum cost; trees are
        listed by cost, then by size.
    check : callable
        Called before every entry and every tree; it may raise to end the enumeration.

    Raises
    ------
    MethodRefused
        If the table is too large.
    """
    refuse_large(problem)
    return _optimal_trees(problem, slack or (Fraction(0),) * len(problem.quantities), check)


def _optimal_trees(
    problem: Problem, slack: Sequence[Fraction], check: Callable[[], None]
) -> Iterator[SpecTree]:
    T = _TreeTable(problem, check)
    all_rows, depth = tuple(range(len(problem.dataset.X))), max_depth(problem)
    allowed = [numbers for numbers in entry(T, all_rows, depth) if within(problem, numbers)]
    costs: dict[Numbers, Any] = {numbers: order(problem, numbers) for numbers in allowed}
    allowed.sort(key=lambda numbers: costs[numbers])
    for numbers in allowed:
        if within_slack(costs[numbers][0], costs[allowed[0]][0], slack):
            yield from trees(T, all_rows, depth, numbers)


def entry(T: _TreeTable, subset: RowTuple, depth: int | None) -> set[Numbers]:
    """Return T[subset, depth], the numbers of all trees for a subset."""
    if (subset, depth) not in T.entries:
        T.check()
        found: set[Numbers] = set()
        if T.problem.may_be_leaf(subset):
            found.add(leaf(T.problem, subset)[0])
            if depth != 0:
                for _, left, right in splits(T.problem, subset):
                    T.check()
                    for a in entry(T, left, depth_below(depth)):
                        T.check()
                        found |= {join(a, b) for b in entry(T, right, depth_below(depth))}
        T.entries[subset, depth] = found
    return T.entries[subset, depth]


def trees(
    T: _TreeTable, subset: RowTuple, depth: int | None, target: Numbers
) -> Iterator[SpecTree]:
    """Yield all trees for a subset with the given numbers."""
    T.check()
    numbers, tree = leaf(T.problem, subset)
    if numbers == target:
        yield tree
    if depth == 0:
        return
    for rule, left, right in splits(T.problem, subset):
        T.check()
        for a in entry(T, left, depth_below(depth)):
            for b in entry(T, right, depth_below(depth)):
                if join(a, b) == target:
                    for left_tree in trees(T, left, depth_below(depth), a):
                        for right_tree in trees(T, right, depth_below(depth), b):
                            yield SpecNode(rule, left_tree, right_tree)


def leaf(problem: Problem, subset: RowTuple) -> tuple[Numbers, SpecLeaf]:
    """Return the leaf for a subset, with its numbers."""
    totals = [0] * len(problem.dataset.classes)
    for row in subset:
        totals[int(problem.dataset.labels[row])] += int(problem.dataset.weights[row])
    label = problem.predicted(totals)
    limited = (int(label == other) for other in problem.counted_classes)
    errors = problem.term.leaf(problem.dataset, np.array(subset))
    return (errors, 0, 0, *limited), SpecLeaf(label)


def join(left: Numbers, right: Numbers) -> Numbers:
    """Return errors, size, depth and leaves of limited classes of a node from its children's."""
    leaves = (a + b for a, b in zip(left[3:], right[3:], strict=True))
    return (
        left[0] + right[0],
        left[1] + right[1] + 1,
        max(left[2], right[2]) + 1,
        *leaves,
    )


def within(problem: Problem, numbers: Numbers) -> bool:
    """Return whether a tree with these numbers keeps all limits, including `max_errors`."""
    few = problem.max_error_weight is None or numbers[0] <= problem.max_error_weight
    return few and keeps_limits(problem, numbers)


def splits(problem: Problem, subset: RowTuple) -> Iterator[tuple[Rule, RowTuple, RowTuple]]:
    """List every split of a subset by a feature, with the two children.

    Parameters
    ----------
    problem : Problem
        The table and the rules.
    subset : tuple of int
        Indices of rows.
    """
    numbers = np.array(subset)
    for rule, goes_left in problem.rules.by_feature(problem.dataset.X, numbers):
        yield rule, tuple(numbers[goes_left].tolist()), tuple(numbers[~goes_left].tolist())
