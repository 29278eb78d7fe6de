"""Smallest trees by witness-tree search.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, sections 4, 6.1 and 6.2.
Theorem     Corollaries 4.3 (no errors), 6.2 (any number of classes) and 6.7 (t errors).
Time        At most (δ·D·s)^s search nodes for "is there a tree of size at most s without errors?",
            however many classes; with t errors at most c·((t + 1)·2δ·D·s)^s.
Symbols     n examples E, c classes, s the maximum size, t the allowed weight of errors; D largest
            number of values of a feature, δ largest number of features in which two examples of
            different classes differ. Other terms as in witness_trees.py.
The idea    Start with a leaf and a witness. A dirty example e that is correct in the end has to
            leave its leaf, and by Lemma 4.2 it may leave next: some one-step refinement that
            introduces e with e's own class leads to the solution, if one exists. Try them all
            until the tree makes at most t errors or has s nodes.
Departures  1. The source has the algorithm for ensembles only; this is its form for one tree, with
               correct witnesses when t = 0: the only start is a leaf of the witness's own class.
               With errors a start of another class needs a witness of weight at most t.
            2. With errors, one of several dirty examples that weigh more than t together is correct
               in the end; each of them is tried (6.2).
            3. Trees that are too large are not built, instead of built and rejected.
            4. The search yields every tree that it visits; the first is the solution. If it goes
               on, it yields every tree of minimum size at least once (6.3).

A search node is a call of `refine_tree`: a start, or a one-step refinement of size at most s.
`stats["search_nodes"]` counts them for all sizes, `stats["search_nodes_by_size"]` for each size.
For sizes without a tree all nodes are visited; for the first size with a tree, those up to the
first tree. The order is: starts by class; dirty examples in table order; new nodes from the root
downwards; features, then thresholds, in ascending order. The witness of the start is the first
example.
"""

from collections import Counter
from collections.abc import Iterator

from exactree.errors import MethodRefused
from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.spec.minimum_sizes import smallest
from exactree.spec.table import SpecTree, answer, size
from exactree.spec.witness_effort import max_nodes, refuse_large, refused_limit
from exactree.spec.witness_trees import (
    TrainingData,
    WitnessLeaf,
    dirty,
    more_than,
    one_step_refinements,
    training_data,
)

__all__ = ["initial_trees", "reason_to_refuse", "refine_tree", "solve", "trees_within"]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None if the method accepts a problem, else the reason."""
    if problem.n_trees != 1:
        return "it takes one tree only"
    if problem.quantities != ("size",):
        return "it minimizes the size only"
    return refused_limit(problem)


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum size with at most `max_errors` errors.

    Parameters
    ----------
    problem : Problem
        A problem that minimizes the size of one tree.

    Returns
    -------
    Outcome
        `OPTIMAL`, or `INFEASIBLE` with the reason; `stats` as described at the top of this file.

    Raises
    ------
    MethodRefused
        If the problem is not accepted, or the search would take too long.
    """
    if reason := reason_to_refuse(problem):
        raise MethodRefused(f"The witness method refuses this problem: {reason}.")
    if (outcome := infeasible_without_search(problem)) is not None:
        return outcome
    high = max_nodes(problem)
    refuse_large(problem, max_total_size=high)
    E = training_data(problem)
    visited: Counter[int] = Counter()

    def decide(s: int) -> SpecTree | None:
        return next(trees_within(E, s, visited), None)

    found: tuple[int, SpecTree] | None = smallest(decide, 0, high)
    stats = {"search_nodes": visited.total(), "search_nodes_by_size": dict(visited)}
    return answer(problem, None if found is None else found[1], stats=stats)


def trees_within(E: TrainingData, s: int, visited: Counter[int]) -> Iterator[SpecTree]:
    """Yield trees of size at most s with at most t errors: at least one if any exists."""
    for start in initial_trees(E):
        yield from refine_tree(E, start, s, visited)


def initial_trees(E: TrainingData) -> Iterator[WitnessLeaf]:
    """Yield the starts: leaves whose witness is the first example, correct or an allowed error."""
    for label in range(E.classes):
        if label == E.labels[0] or E.weights[0] <= E.t:
            yield WitnessLeaf(label, witness=0)


def refine_tree(
    E: TrainingData, tree: SpecTree, s: int, visited: Counter[int]
) -> Iterator[SpecTree]:
    """Algorithm 1 for one tree: yield refinements of size at most s with at most t errors.

    Parameters
    ----------
    E : TrainingData
        The table, with the allowed errors.
    tree : SpecTree
        A witness tree of size at most s.
    s : int
        The maximum size.
    visited : Counter
        Counter of the calls, by s.
    """
    visited[s] += 1
    wrong = dirty(E, [tree])
    if E.weight(wrong) <= E.t:
        yield tree
    elif size(tree) < s:
        for e in more_than(E, wrong):
            for refined in one_step_refinements(E, tree, WitnessLeaf(E.labels[e], witness=e)):
                yield from refine_tree(E, refined, s, visited)
