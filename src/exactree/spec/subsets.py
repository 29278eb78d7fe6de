"""Smallest trees by dynamic programming over labelled sets of examples.

Source      Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree Ensembles, ICML 2023, full
            version, sections 5.1, 6.1 and 6.2.
Theorem     Theorem 5.2 (two classes) and 6.4 (any number of classes): no errors. Corollary 6.8: up
            to t errors.
Time        O(2^n · D·d·n) without errors, O((c + 1)^n · D·d·n) with errors.
Symbols     n examples E, d features, c classes, D maximum number of distinct values of a feature, t
            allowed errors. Q[R_1, ..., R_c]: minimum size of a tree that gives exactly the examples
            R_j the class j (Lemmas 5.1 and 6.3, `exactree.spec.labelings`).
The idea    A tree without errors labels no example wrongly, nor does any of its subtrees; so only
            entries with R_j within the class j are needed, and the answer is Q at the classes
            themselves. With t errors all entries are needed, and the answer is the minimum Q[R]
            over the labelings R of all examples that are wrong about at most t of them.
Departures  1. Errors are weights of examples, and t is a weight.
            2. Each labeling of all examples has a minimum size in the table and a weight of errors.
               So the table also gives minimum errors within a size, the minimum with a leaf
               penalty, and both quantities in either order. Of trees of equal cost a smallest is
               chosen.
            3. The leaves of the returned tree predict the heaviest class of their subset. That
               never has more errors than the label of the leaf in the table.
"""

from exactree.problem import Outcome, Problem
from exactree.problem.display.infeasibility import infeasible_without_search
from exactree.problem.quantities import Number, as_tuple
from exactree.spec.effort import refuse_large_table
from exactree.spec.labelings import (
    Labeling,
    LabelingTable,
    cuts,
    examples_of,
    labelings_table,
    tree_of,
)
from exactree.spec.table import answer

__all__ = [
    "all_labelings",
    "best_labeling",
    "own_labelings",
    "reason_to_refuse",
    "solve",
    "wrong_weight",
]


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
        return "its table holds sizes and errors only"
    if limits.max_depth is not None:
        return "it takes no max_depth"
    if problem.min_rows > 1:
        return "it takes no min_samples_leaf"
    if limits.max_leaves_of:
        return "it takes no max_leaves_of"
    return None


def solve(problem: Problem) -> Outcome:
    """Return a tree of minimum cost, by Theorem 5.2 or 6.4 without errors, else by Corollary 6.8.

    Parameters
    ----------
    problem : Problem
        A problem with a small table that the method accepts.

    Raises
    ------
    MethodRefused
        If the table would be too large.
    """
    if (outcome := infeasible_without_search(problem)) is not None:
        return outcome
    Q = own_labelings(problem) if problem.max_error_weight == 0 else all_labelings(problem)
    R = best_labeling(problem, Q)
    return answer(problem, None if R is None else tree_of(Q, R), stats={"entries": len(Q)})


def own_labelings(problem: Problem) -> LabelingTable:
    """Return the table of Theorems 5.2 and 6.4: every example has its own class or none.

    Parameters
    ----------
    problem : Problem
        A problem with a small table.

    Raises
    ------
    MethodRefused
        If the table would be too large.
    """
    rows = len(problem.dataset.X)
    _refuse_large(problem, "Theorem 6.4", 2**rows)
    return labelings_table(problem, [[label] for label in problem.dataset.labels.tolist()])


def all_labelings(problem: Problem) -> LabelingTable:
    """Return the table of Lemmas 5.1 and 6.3: every example has any class or none.

    Parameters
    ----------
    problem : Problem
        A problem with a small table.

    Raises
    ------
    MethodRefused
        If the table would be too large.
    """
    rows, classes = len(problem.dataset.X), len(problem.dataset.classes)
    _refuse_large(problem, "Lemma 6.3", (classes + 1) ** rows)
    return labelings_table(problem, [range(classes)] * rows)


def best_labeling(problem: Problem, Q: LabelingTable) -> Labeling | None:
    """Return the labeling of Corollary 6.8: of all examples, of minimum cost, at most t errors.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    Q : dict
        The table of `own_labelings` or `all_labelings`.
    """
    rows = len(problem.dataset.X)
    t, s = problem.max_error_weight, problem.max_tree_size
    max_size = rows - 1 if s is None else min(s, rows - 1)
    complete = [R for R in Q if sum(map(int.bit_count, R)) == rows and Q[R].size <= max_size]
    errors = {R: wrong_weight(problem, R) for R in complete}

    def cost(R: Labeling) -> tuple[tuple[Number, ...], float]:
        size = int(Q[R].size)
        # The table has no depths, and none is minimized.
        return as_tuple(problem.cost_of(errors[R], [size], [0])), size

    return min((R for R in complete if t is None or errors[R] <= t), key=cost, default=None)


def wrong_weight(problem: Problem, R: Labeling) -> int:
    """Return the weight of the examples that a labeling gives a wrong class.

    Parameters
    ----------
    problem : Problem
        The examples.
    R : tuple of int
        The labeling.
    """
    labels, weights = problem.dataset.labels.tolist(), problem.dataset.weights.tolist()
    return sum(weights[example] for example, label in examples_of(R) if label != labels[example])


def _refuse_large(problem: Problem, theorem: str, entries: int) -> None:
    """Refuse a problem whose table has too many entries, or takes too many steps to fill."""
    better = "method='branch-and-bound'" if "errors" in problem.quantities else "method='witness'"
    table = f"{theorem} of Komusiewicz et al. (ICML 2023)"
    refuse_large_table(table, entries, entries, better)
    refuse_large_table(table, entries, entries * len(cuts(problem)), better)
