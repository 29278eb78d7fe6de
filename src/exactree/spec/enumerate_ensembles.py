"""All optimal ensembles, or all within a slack of the minimum cost, once each, lazily.

Source      Komusiewicz et al., ICML 2023, section 6.3, for the ensembles of Theorem 5.3.
Theorem     As for one tree (`exactree.spec.enumerate`). In ensembles two trees are the same only if
            their leaves also predict the same classes, and two ensembles are the same if they have
            the same trees in any order.
Time        About L^k / k! for L labelings and sizes that a single tree can have, and the time for
            each listed ensemble; tables with too many are refused.
Symbols     T[subset, depth]: the labelings that a tree can give a subset within a depth, each with
            the numbers of its trees: size, depth, and leaves of each class of `max_leaves_of`.
The idea    All choices of k pairs of a labeling and numbers are listed; those are selected whose
            cost exceeds the minimum by at most the slack. For each pair its trees are found by
            going through the rules again.
Departures  1. Reducible trees are also listed if they cost no more.
            2. Splits by different features are different, even if they split a subset alike.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

from exactree.problem import Problem
from exactree.problem.quantities import as_tuple, within_slack
from exactree.spec import elections
from exactree.spec.definition import Numbers, depth_below, max_depth
from exactree.spec.definition_ensemble import join
from exactree.spec.effort import refuse_large_ensemble
from exactree.spec.elections import RowLabeling
from exactree.spec.enumerate import RowTuple, splits, unlimited
from exactree.spec.trees import SpecLeaf, SpecNode, SpecTree

__all__ = ["optimal_ensembles"]

# A labeling of a subset, and the numbers of a tree that gives it.
LabeledNumbers = tuple[RowLabeling, Numbers]


@dataclass(frozen=True)
class _EnsembleTable:
    """The problem, the entries of T, computed on demand, and the check that may end the work."""

    problem: Problem
    check: Callable[[], None]
    entries: dict[tuple[RowTuple, int | None], set[LabeledNumbers]] = field(default_factory=dict)


def optimal_ensembles(
    problem: Problem, slack: Sequence[Fraction] | None = None, check: Callable[[], None] = unlimited
) -> Iterator[list[SpecTree]]:
    """Return every ensemble of minimum cost within the limits once, smaller ensembles first.

    Parameters
    ----------
    problem : Problem
        A problem with a very small table.
    slack, check
        As in `exactree.spec.enumerate.optimal_trees`.

    Raises
    ------
    MethodRefused
        If the table is too large.
    """
    refuse_large_ensemble(problem)
    return _optimal_ensembles(problem, slack or (Fraction(0),) * len(problem.quantities), check)


def _optimal_ensembles(
    problem: Problem, slack: Sequence[Fraction], check: Callable[[], None]
) -> Iterator[list[SpecTree]]:
    T = _EnsembleTable(problem, check)
    all_rows, depth = tuple(range(len(problem.dataset.X))), max_depth(problem)
    for choice in best_choices(T, all_rows, depth, slack):
        yield from ensembles(T, all_rows, depth, list(Counter(choice).items()))


def best_choices(
    T: _EnsembleTable, subset: RowTuple, depth: int | None, slack: Sequence[Fraction]
) -> list[tuple[LabeledNumbers, ...]]:
    """Return the choices of k entries that keep the limits and are within the slack."""
    problem = T.problem
    # Sorted, because the order of a set is not the same in every run.
    single = sorted(
        (e for e in entry(T, subset, depth) if elections.keeps_limits_of_a_tree(problem, e[1])),
        key=lambda e: (e[1], sorted(e[0])),
    )
    # When the minimum cost decreases, its first quantity does not increase, but another may. So
    # only choices beyond the slack of the first quantity can be dropped immediately.
    ranked: list[tuple[tuple[Any, ...], tuple[LabeledNumbers, ...]]] = []
    best: Any = None
    for choice in combinations_with_replacement(single, problem.n_trees):
        T.check()
        numbers_of_trees = [numbers for _, numbers in choice]
        errors = elections.errors_of(problem, [labeling for labeling, _ in choice])
        few = problem.max_error_weight is None or errors <= problem.max_error_weight
        if few and elections.keeps_limits_together(problem, numbers_of_trees):
            rank: tuple[Any, ...] = elections.order(problem, numbers_of_trees, errors)
            if best is None or rank[0] < best:
                best = rank[0]
                ranked = [entry for entry in ranked if _first_within(entry[0][0], best, slack)]
            if _first_within(rank[0], best, slack):
                ranked.append((rank, choice))
    ranked.sort(key=lambda entry: entry[0])
    return [choice for rank, choice in ranked if within_slack(rank[0], best, slack)]


def _first_within(cost: Any, best: Any, slack: Sequence[Fraction]) -> bool:
    """Return whether the first quantity is within its slack of the best cost so far."""
    return bool(as_tuple(cost)[0] <= as_tuple(best)[0] + slack[0])


def entry(T: _EnsembleTable, subset: RowTuple, depth: int | None) -> set[LabeledNumbers]:
    """Return T[subset, depth], the labelings of a subset with the numbers of their trees."""
    if (subset, depth) not in T.entries:
        T.check()
        found: set[LabeledNumbers] = set()
        if T.problem.may_be_leaf(subset):
            found |= {leaf_entry for leaf_entry, _ in leaves(T.problem, subset)}
            if depth != 0:
                for _, left, right in splits(T.problem, subset):
                    T.check()
                    for left_labeling, a in entry(T, left, depth_below(depth)):
                        T.check()
                        for right_labeling, b in entry(T, right, depth_below(depth)):
                            found.add((left_labeling | right_labeling, join(a, b)))
        T.entries[subset, depth] = found
    return T.entries[subset, depth]


def ensembles(
    T: _EnsembleTable,
    subset: RowTuple,
    depth: int | None,
    target: Sequence[tuple[LabeledNumbers, int]],
) -> Iterator[list[SpecTree]]:
    """Yield all ensembles with the given entries, each with its multiplicity."""
    if not target:
        yield []
        return
    (first, times), *others = target
    for chosen in combinations_with_replacement(list(trees(T, subset, depth, first)), times):
        for rest in ensembles(T, subset, depth, others):
            yield [*chosen, *rest]


def trees(
    T: _EnsembleTable, subset: RowTuple, depth: int | None, target: LabeledNumbers
) -> Iterator[SpecTree]:
    """Yield all trees for a subset with the given labeling and numbers."""
    T.check()
    for leaf_entry, tree in leaves(T.problem, subset):
        if leaf_entry == target:
            yield tree
    if depth == 0:
        return
    labeling, numbers = target
    for rule, left, right in splits(T.problem, subset):
        T.check()
        left_labeling = frozenset(pair for pair in labeling if pair[0] in left)
        labelings = (left_labeling, labeling - left_labeling)
        for a in entry(T, left, depth_below(depth)):
            for b in entry(T, right, depth_below(depth)):
                if (a[0], b[0]) == labelings and join(a[1], b[1]) == numbers:
                    for left_tree in trees(T, left, depth_below(depth), a):
                        for right_tree in trees(T, right, depth_below(depth), b):
                            yield SpecNode(rule, left_tree, right_tree)


def leaves(problem: Problem, subset: RowTuple) -> Iterator[tuple[LabeledNumbers, SpecLeaf]]:
    """List the leaves of all classes for a subset."""
    for label in range(len(problem.dataset.classes)):
        limited = (int(label == other) for other in problem.counted_classes)
        yield (frozenset((row, label) for row in subset), (0, 0, *limited)), SpecLeaf(label)
