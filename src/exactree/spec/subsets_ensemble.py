"""Smallest ensembles by dynamic programming over the votes for the examples.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, sections 5.1, 6.1 and 6.2.
Theorem     Theorem 5.3 (two classes) and 6.5 (any number of classes): no errors. Proposition 6.9:
            up to t errors.
Time        Two classes: O((⌊l/2⌋ + 2)^n · 2^n · l·n), after O(3^n · D·d·n) for Lemma 5.1. With
            more, C(l + c - 1, c - 1)^n vectors, c^n labelings, and (c + 1)^n for Lemma 6.3.
Symbols     n examples, d features, c classes, D maximum number of distinct values of a feature, l
            trees, t allowed errors. r: the votes for every example so far (`exactree.spec.votes`).
            Q[r, k]: minimum total size of k trees with these votes. A: the examples that a tree
            classifies correctly. s: largest size of a tree.
The idea    The table of Lemma 5.1 gives the minimum size of a tree for every labeling, so for every
            A. Starting from no trees and no votes, trees are added in all ways: from every vector r
            and every A to r + A. The answer is the entry of the vector in which every example has
            the votes that it needs; with t errors it is the minimum over the vectors in which at
            most t examples lack votes.
Departures  1. Errors are weights of examples, and t is a weight.
            2. With three or more classes the vectors count the votes for every class.
            3. The minimum largest size is found in the same table, filled for every s with trees of
               size at most s. The same holds for largest and total size in lexicographic order,
               for minimum errors within sizes, and for leaf penalties. Of ensembles of equal cost
               one of minimum total size is chosen.
            4. A single leaf is a tree, so the total size may be below l. Leaves keep the class of
               the table.
"""

from dataclasses import dataclass

from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.problem.quantities import Number, as_tuple
from exactree.spec.effort import MAX_ENTRIES, refuse_large_table
from exactree.spec.labelings import Labeling, LabelingTable, tree_of
from exactree.spec.subsets import all_labelings
from exactree.spec.table import answer
from exactree.spec.votes import Count, Votes

__all__ = ["VotesEntry", "VotesTable", "best_ensemble", "reason_to_refuse", "solve", "votes_table"]


@dataclass(frozen=True)
class VotesEntry:
    """An entry Q[r, k]: the minimum total size, and the labelings of the k trees."""

    total: int
    trees: tuple[Labeling, ...] = ()


VotesTable = dict[Votes, VotesEntry]
SizeByLabeling = dict[Labeling, int]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return the reason why the method refuses a problem, None if it accepts the problem.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    limits = problem.limits
    if problem.n_trees < 2:
        return "it takes two or more trees"
    if not {"errors", "total_size", "largest_size"}.issuperset(problem.quantities):
        return "its table holds sizes and errors only"
    if limits.max_depth is not None:
        return "it takes no max_depth"
    if problem.min_rows > 1:
        return "it takes no min_samples_leaf"
    if limits.max_leaves_of:
        return "it takes no max_leaves_of"
    return None


def solve(problem: Problem) -> Outcome:
    """Return an ensemble of minimum cost.

    Parameters
    ----------
    problem : Problem
        A problem with a small table that the method accepts.

    Raises
    ------
    MethodRefused
        If a table would be too large.
    """
    if (outcome := infeasible_without_search(problem)) is not None:
        return outcome
    _refuse_large(problem)
    Q = all_labelings(problem)
    sizes = tree_sizes(problem, Q)
    found = best_ensemble(problem, sizes)
    trees = None if found is None else [tree_of(Q, R) for R in found]
    return answer(problem, trees, stats={"entries": len(Q), "labelings": len(sizes)})


def best_ensemble(problem: Problem, sizes: SizeByLabeling) -> tuple[Labeling, ...] | None:
    """Return the labelings of the trees of a best ensemble, None if nothing meets the limits.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    sizes : dict
        The minimum size of a tree for every labeling of all examples that has a tree.
    """
    count = Count(problem)
    t, max_total = problem.max_error_weight, problem.limits.max_total_size
    found: list[tuple[tuple[Number, ...], int, tuple[Labeling, ...]]] = []
    for s in largest_sizes(problem, sizes):
        small = {R: size for R, size in sizes.items() if size <= s}
        for r, entry in votes_table(count, small).items():
            errors = count.wrong_weight(r)
            if (t is None or errors <= t) and (max_total is None or entry.total <= max_total):
                # The table has no depths, and none is minimized.
                of_trees = [sizes[R] for R in entry.trees]
                cost = problem.cost_of(errors, of_trees, [0] * len(of_trees))
                found.append((as_tuple(cost), entry.total, entry.trees))
    return min(found, key=lambda entry: entry[:2])[2] if found else None


def votes_table(count: Count, sizes: SizeByLabeling) -> VotesTable:
    """Fill Q[r, 0], ..., Q[r, l] forwards and return the last of them.

    Parameters
    ----------
    count : Count
        The rule of counting votes.
    sizes : dict
        The size of a tree for every allowed labeling of all examples.
    """
    trees = [(R, size, count.votes_of(R)) for R, size in sizes.items()]
    Q = {(0,) * len(count.needed): VotesEntry(0)}
    for _ in range(count.problem.n_trees):
        further: VotesTable = {}
        for r, entry in Q.items():
            for R, size, votes in trees:
                reached, total = count.with_votes(r, votes), entry.total + size
                if reached not in further or total < further[reached].total:
                    further[reached] = VotesEntry(total, (*entry.trees, R))
        Q = further
    return Q


def tree_sizes(problem: Problem, Q: LabelingTable) -> SizeByLabeling:
    """Return the minimum size of a tree for every labeling of all examples that has a tree."""
    rows = len(problem.dataset.X)
    complete = ((R, Q[R].size) for R in Q if sum(map(int.bit_count, R)) == rows)
    return {R: int(size) for R, size in complete if size < rows}


def largest_sizes(problem: Problem, sizes: SizeByLabeling) -> list[int]:
    """Return the values of s to try: all if the largest size is minimized, else the last."""
    s = problem.max_tree_size
    allowed = sorted({size for size in sizes.values() if s is None or size <= s})
    return allowed if "largest_size" in problem.quantities else allowed[-1:]


def _refuse_large(problem: Problem) -> None:
    count = Count(problem)
    labelings = len(problem.dataset.classes) ** len(problem.dataset.X)
    entries = count.vectors(problem.n_trees)  # more trees have at least as many vectors
    # Every vector of fewer trees is joined with every labeling; `n_trees` may be in the millions.
    fewer = range(problem.n_trees if entries <= MAX_ENTRIES else 0)
    steps = sum(map(count.vectors, fewer)) * labelings
    table = "Theorem 6.5 of Komusiewicz et al. (ICML 2023)"
    refuse_large_table(table, entries, steps, "method='witness'")
