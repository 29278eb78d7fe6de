"""All optimal ensembles: every one of least cost once, lazily (Komusiewicz et al., section 6.3).

Source      Komusiewicz et al., ICML 2023, section 6.3, for the ensembles of Theorem 5.3.
Theorem     As for one tree (`exactree.spec.enumerate`); in ensembles two trees are the same only
            if their leaves predict the same classes, too, and two ensembles if they have the
            same trees in any order.
Time        About L^k / k! for L labelings and sizes that a single tree can have, and for each
            ensemble put out; tables for which that is long are refused.
Symbols     T[part, depth]: the labelings that a tree can give a part within a depth, each with
            the numbers of its trees: size, depth, and leaves of each class of `max_leaves_of`.
The idea    All choices of k pairs of a labeling and numbers are listed; those of least cost are
            wanted. For each pair its trees are found by going through the rules again.
Departures  1. Reducible trees are listed, too, where they cost no more.
            2. Every feature counts, also where two features divide a part in the same way.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement

from exactree.problem import Problem
from exactree.spec.definition import Numbers, less, most_depth
from exactree.spec.definition_ensemble import (
    Labeling,
    errors_of,
    join,
    keeps_limits_of_a_tree,
    order,
)
from exactree.spec.effort import refuse_large_ensemble
from exactree.spec.enumerate import Part, divisions
from exactree.spec.trees import Leaf, Node, SpecTree

__all__ = ["optimal_ensembles"]

# A labeling of a part, and the numbers of a tree that gives it.
Entry = tuple[Labeling, Numbers]


@dataclass(frozen=True)
class _Table:
    """The problem with the entries of T, filled when they are asked for; what ends the work."""

    problem: Problem
    check: Callable[[], object]
    entries: dict[tuple[Part, int | None], set[Entry]] = field(default_factory=dict)


def optimal_ensembles(
    problem: Problem, check: Callable[[], object] = lambda: None
) -> Iterator[list[SpecTree]]:
    """Return every ensemble of least cost within the limits once, smaller ones first.

    Parameters
    ----------
    problem : Problem
        With a very small table.
    check : callable
        Called for every division of a part and every choice of trees; what it raises ends the list.

    Raises
    ------
    MethodRefused
        If the table is too large.
    """
    refuse_large_ensemble(problem)
    return _optimal_ensembles(problem, check)


def _optimal_ensembles(problem: Problem, check: Callable[[], object]) -> Iterator[list[SpecTree]]:
    T = _Table(problem, check)
    everything, depth = tuple(range(len(problem.dataset.X))), most_depth(problem)
    for choice in best_choices(T, everything, depth):
        yield from ensembles(T, everything, depth, list(Counter(choice).items()))


def best_choices(T: _Table, part: Part, depth: int | None) -> list[tuple[Entry, ...]]:
    """Return the choices of k entries that keep the limits and have least cost."""
    problem = T.problem
    # Sorted, because the order of a set of texts would not be the same in every run.
    single = sorted(
        (e for e in entry(T, part, depth) if keeps_limits_of_a_tree(problem, e[1])),
        key=lambda e: (e[1], sorted(e[0])),
    )
    best: list[tuple[tuple[object, ...], tuple[Entry, ...]]] = []
    for choice in combinations_with_replacement(single, problem.n_trees):
        T.check()
        most = problem.limits.max_total_size
        errors = errors_of(problem, [labeling for labeling, _ in choice])
        few = problem.most_errors is None or errors <= problem.most_errors
        if few and (most is None or sum(numbers[0] for _, numbers in choice) <= most):
            rank = order(problem, [numbers for _, numbers in choice], errors)
            if best and rank[0] < best[0][0][0]:  # type: ignore[operator]
                best = []
            if not best or rank[0] == best[0][0][0]:
                best.append((rank, choice))
    return [choice for _, choice in sorted(best, key=lambda ranked: ranked[0])]


def entry(T: _Table, part: Part, depth: int | None) -> set[Entry]:
    """Return T[part, depth], the labelings of a part with the numbers of their trees."""
    if (part, depth) not in T.entries:
        found: set[Entry] = set()
        if len(part) >= T.problem.min_rows:
            found |= {leaf_entry for leaf_entry, _ in leaves(T.problem, part)}
            if depth != 0:
                for _, left, right in divisions(T.problem, part):
                    T.check()
                    for given, a in entry(T, left, less(depth)):
                        T.check()
                        for other, b in entry(T, right, less(depth)):
                            found.add((given | other, join(a, b)))
        T.entries[part, depth] = found
    return T.entries[part, depth]


def ensembles(
    T: _Table, part: Part, depth: int | None, wanted: Sequence[tuple[Entry, int]]
) -> Iterator[list[SpecTree]]:
    """Yield all ensembles with the wanted entries, each as often as its number says."""
    if not wanted:
        yield []
        return
    (first, times), *others = wanted
    for chosen in combinations_with_replacement(list(trees(T, part, depth, first)), times):
        for rest in ensembles(T, part, depth, others):
            yield [*chosen, *rest]


def trees(T: _Table, part: Part, depth: int | None, wanted: Entry) -> Iterator[SpecTree]:
    """Yield all trees for a part with the wanted labeling and numbers."""
    for leaf_entry, tree in leaves(T.problem, part):
        if leaf_entry == wanted:
            yield tree
    if depth == 0:
        return
    labeling, numbers = wanted
    for rule, left, right in divisions(T.problem, part):
        T.check()
        given = frozenset(pair for pair in labeling if pair[0] in left)
        for a in entry(T, left, less(depth)):
            for b in entry(T, right, less(depth)):
                if a[0] == given and b[0] == labeling - given and join(a[1], b[1]) == numbers:
                    for left_tree in trees(T, left, less(depth), a):
                        for right_tree in trees(T, right, less(depth), b):
                            yield Node(rule, left_tree, right_tree)


def leaves(problem: Problem, part: Part) -> Iterator[tuple[Entry, Leaf]]:
    """List the leaves of all classes for a part."""
    for label in range(len(problem.dataset.classes)):
        limited = (int(label == other) for other in problem.leaf_limits)
        yield (frozenset((row, label) for row in part), (0, 0, *limited)), Leaf(label)
