"""Smallest ensembles by witness-tree search: minimum total size, or minimum largest size.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, section 4 with Algorithm 1, sections 6.1 and 6.2.
Theorem     4.1 (two classes), Propositions 6.1 (any number of classes) and 6.6 (t errors).
Time        For two classes and each start at most ((t + 1)·(S + l)·2δ·D)^S search nodes for "is
            there an ensemble of total size at most S?", ((t + 1)·l·s·2δ·D)^(l·s) for largest size
            s; for c classes c - 1 times as many below each node. Starts: multisets of l classes.
Symbols     l trees, S total size, s size of the largest tree, c classes, t the allowed weight of
            errors, D and δ as in witness.py. Other terms as in witness_trees.py.
The idea    Every tree starts as a leaf, all with the same witness. If the solution classifies a
            dirty example e correctly, one of the trees that now misclassify e gives it another
            class in the solution, and by Lemma 4.2 it may do so next: try every such tree, every
            class that it may give e, and every one-step refinement that introduces e.
Departures  1. With three or more classes and two or more trees a wrong vote may have to become
               another wrong vote. The source (6.1) gives the new leaf e's own class, which misses
               solutions; here every class except the present class is tried.
            2. Of the starts whose label vectors are permutations of each other only one is tried. A
               start that misclassifies the witness is tried only if the witness weighs at most t,
               because refinements never change the votes for a witness.
            3. An ensemble may keep some starts as single leaves: they are never refined. The source
               guesses the number of single leaves beforehand.
            4. With errors, each of several dirty examples that weigh more than t together is tried
               (6.2). Ensembles that are too large are not built.
            5. Total size and largest size may both be limited, and both be minimized, in either
               order (minimum_sizes.py).
            6. Of the ensembles of minimum largest size one of minimum total size is searched for
               afterwards, because the others may have unnecessary nodes.

A search node is a call of `refine_ensemble`: a start, or a one-step refinement of one tree within
the sizes. `stats["search_nodes"]` counts them all, `stats["search_nodes_by_size"]` for each pair
(S, s). For sizes without an ensemble all search nodes are visited; otherwise the last search node
is the first ensemble. Order: starts by label vector, ascending; dirty examples in table order;
trees; classes of the new leaf; then as in witness.py.
"""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations_with_replacement

from exactree.errors import MethodRefused
from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.spec.minimum_sizes import (
    Sizes,
    TreeTuple,
    allowed_sizes,
    min_largest_size,
    min_total_size,
)
from exactree.spec.table import answer, label_of
from exactree.spec.witness_effort import refuse_large, refused_limit
from exactree.spec.witness_trees import (
    TrainingData,
    WitnessLeaf,
    dirty,
    majority,
    more_than,
    one_step_refinements,
    training_data,
)

__all__ = [
    "ensembles_within",
    "initial_ensembles",
    "new_classes",
    "reason_to_refuse",
    "refine_ensemble",
    "solve",
]


def reason_to_refuse(problem: Problem) -> str | None:
    """Return None if the method accepts a problem, else the reason."""
    if problem.n_trees == 1:
        return "it takes ensembles only"
    if not {"total_size", "largest_size"}.issuperset(problem.quantities):
        return "it minimizes the total size and the largest size only"
    return refused_limit(problem)


def solve(problem: Problem) -> Outcome:
    """Return an ensemble of minimum total or largest size with at most `max_errors` errors.

    Parameters
    ----------
    problem : Problem
        A problem that minimizes "total_size", "largest_size" or both for two or more trees.

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
    refuse_large(problem, max_total_size=allowed_sizes(problem).S)
    E = training_data(problem)
    visited: Counter[Sizes] = Counter()

    def decide(sizes: Sizes) -> TreeTuple | None:
        return next(ensembles_within(E, problem.n_trees, sizes, visited), None)

    minimum = min_total_size if problem.quantities[0] == "total_size" else min_largest_size
    trees = minimum(problem, decide)
    stats = {
        "search_nodes": visited.total(),
        "search_nodes_by_size": {(sizes.S, sizes.s): nodes for sizes, nodes in visited.items()},
    }
    return answer(problem, trees, stats=stats)


def ensembles_within(
    E: TrainingData, n_trees: int, sizes: Sizes, visited: Counter[Sizes]
) -> Iterator[TreeTuple]:
    """Yield ensembles of l trees within the sizes with at most t errors: at least one if any."""
    for start in initial_ensembles(E, n_trees):
        yield from refine_ensemble(E, start, sizes, visited)


def initial_ensembles(E: TrainingData, n_trees: int) -> Iterator[TreeTuple]:
    """Yield the starts: leaves whose witness is the first example, correct or an allowed error."""
    for classes in combinations_with_replacement(range(E.classes), n_trees):
        trees = tuple(WitnessLeaf(label, witness=0) for label in classes)
        if majority(E, trees, 0) == E.labels[0] or E.weights[0] <= E.t:
            yield trees


def refine_ensemble(
    E: TrainingData, trees: TreeTuple, sizes: Sizes, visited: Counter[Sizes]
) -> Iterator[TreeTuple]:
    """Algorithm 1: yield refinements within the sizes with at most t errors.

    Parameters
    ----------
    E : TrainingData
        The table, with the allowed errors.
    trees : tuple of SpecTree
        Witness trees within the sizes.
    sizes : Sizes
        The maximum sizes.
    visited : Counter
        Counter of the calls, by sizes.
    """
    visited[sizes] += 1
    wrong = dirty(E, trees)
    if E.weight(wrong) <= E.t:
        yield trees
        return
    for e in more_than(E, wrong):
        for i, tree in enumerate(trees):
            present = label_of(tree, E.X[e])
            if present != E.labels[e] and sizes.allows_another_node(trees, i):
                for label in new_classes(E, present, E.labels[e]):
                    for refined in one_step_refinements(E, tree, WitnessLeaf(label, witness=e)):
                        refinement = (*trees[:i], refined, *trees[i + 1 :])
                        yield from refine_ensemble(E, refinement, sizes, visited)


def new_classes(E: TrainingData, present: int, own: int) -> Iterator[int]:
    """Yield the classes to try for the new leaf: all except the present class (departure 1).

    Parameters
    ----------
    E : TrainingData
        The table.
    present : int
        The class that the tree assigns to the dirty example.
    own : int
        The example's label, the only class that the source tries.
    """
    return (label for label in range(E.classes) if label != present)
