"""Refusals of the witness searches: unsupported limits, and tables that are too large.

The depth of a search tree is the size of the trees that it finds. From level to level the number of
search nodes is multiplied by about the number of refinements of a dirty example at the root. So the
estimate is a geometric sum, up to the size of a greedy tree or the limit on sizes, whichever is
less.
"""

from collections.abc import Iterator, Sequence
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from exactree.errors import MethodRefused
from exactree.problem import Problem
from exactree.spec.table import FeatureRow
from exactree.spec.witness_trees import TrainingData, more_than, training_data

__all__ = [
    "MAX_SEARCH_NODES",
    "estimated_search_nodes",
    "greedy_errors",
    "max_nodes",
    "refuse_large",
    "refused_limit",
    "thresholds_between",
]

# A search node takes 20 to 150 µs, so this is a minute or two.
MAX_SEARCH_NODES = 1_000_000

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
# The decrease of impurity by a rule, its feature, and the greatest value that goes left.
Gain = tuple[float, int, float]
# Number of rows of a large table from which the estimates are made.
_ROWS_SEEN = 128


def refused_limit(problem: Problem) -> str | None:
    """Return None if the searches support all limits of a problem, else the reason.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    limits = problem.limits
    if limits.max_depth is not None:
        return "it takes no max_depth"
    if problem.min_rows > 1:
        return "it takes no min_samples_leaf above one row"
    if limits.max_leaves_of:
        return "it takes no max_leaves_of"
    return None


def max_nodes(problem: Problem) -> int:
    """Return the maximum number of nodes of an irreducible tree within the limits.

    Parameters
    ----------
    problem : Problem
        Any problem.
    """
    # Every leaf holds an example, and equal examples share a leaf.
    nodes = len({tuple(row) for row in problem.dataset.X.tolist()}) - 1
    return nodes if problem.max_tree_size is None else min(nodes, problem.max_tree_size)


def refuse_large(problem: Problem, max_total_size: int) -> None:
    """Refuse a problem for which the search would take too long.

    Parameters
    ----------
    problem : Problem
        A problem that the search accepts.
    max_total_size : int
        Maximum number of nodes in all trees of a search node.

    Raises
    ------
    MethodRefused
        If the estimate is above `MAX_SEARCH_NODES`; the message has advice.
    """
    E = training_data(problem)
    for s, errors in enumerate(greedy_errors(E, range(len(E.X))[:_ROWS_SEEN])):
        visited = estimated_search_nodes(E, problem.n_trees, s)
        if visited > MAX_SEARCH_NODES:
            rows, columns = problem.dataset.X.shape
            raise MethodRefused(
                f"The witness search would visit about {visited:.0e} search nodes to see whether "
                f"size {s} suffices for a table of {rows:,} rows and {columns:,} columns, more "
                f"than {MAX_SEARCH_NODES:,}; lower max_size or max_total_size, use fewer "
                "rows, or use method='branch-and-bound'."
            )
        if errors <= E.t or s == max_total_size:
            return


def estimated_search_nodes(E: TrainingData, n_trees: int, s: int) -> float:
    """Estimate the number of search nodes with at most s nodes in all their trees.

    Parameters
    ----------
    E : TrainingData
        The table.
    n_trees : int
        Number of trees of the ensemble, 1 for a single tree.
    s : int
        The maximum size.
    """
    tried = len(list(more_than(E, range(len(E.X)))))
    growth = tried * thresholds_between(E.X, E.labels)
    starts = E.classes if E.t else 1
    if n_trees > 1:
        growth *= (n_trees + 1) / 2 * (E.classes - 1)
        starts = min(comb(E.classes + n_trees - 1, n_trees), 10**18)  # within the range of floats
    return float(starts) * sum(growth**level for level in range(s + 1))


def thresholds_between(X: Sequence[FeatureRow], labels: Sequence[int]) -> float:
    """Return the mean number of thresholds that separate two examples of different classes.

    Parameters
    ----------
    X : sequence of rows
        The table; all rows are ranked, the pairs are those of the first rows.
    labels : sequence of int
        The classes of the rows.
    """
    ranks = np.array([np.unique(column, return_inverse=True)[1] for column in zip(*X, strict=True)])
    by_class = [np.flatnonzero(np.array(labels[:_ROWS_SEEN]) == k) for k in sorted(set(labels))]
    between = pairs = 0
    for first, second in combinations(by_class, 2):
        pairs += len(first) * len(second)
        for rank in ranks:
            between += int(np.abs(rank[first][:, None] - rank[second]).sum())
    return between / max(pairs, 1)


def greedy_errors(E: TrainingData, subset: Sequence[int]) -> Iterator[int]:
    """Yield the errors of a greedy tree with 0, 1, 2, ... nodes, as long as it grows.

    Parameters
    ----------
    E : TrainingData
        The table.
    subset : sequence of int
        The examples of the tree.
    """
    X = np.array([E.X[e] for e in subset])
    # The weight of every example in the column of its class.
    classes = np.zeros((len(subset), E.classes), dtype=np.int64)
    classes[np.arange(len(subset)), [E.labels[e] for e in subset]] = [E.weights[e] for e in subset]
    subsets = [np.arange(len(subset))]
    gains: list[Gain | None] = [_best_gain(X, classes, subsets[0])]
    while True:
        totals = [classes[leaf].sum(axis=0) for leaf in subsets]
        yield sum(int(of_leaf.sum() - of_leaf.max()) for of_leaf in totals)
        candidates = [(gain, number) for number, gain in enumerate(gains) if gain is not None]
        if not candidates:
            return
        (_, f, low), number = max(candidates)
        left = X[subsets[number], f] <= low
        children = [subsets[number][left], subsets[number][~left]]
        subsets[number : number + 1] = children
        gains[number : number + 1] = [_best_gain(X, classes, child) for child in children]


def _best_gain(X: Floats, classes: Integers, subset: Integers) -> Gain | None:
    """Return the maximum decrease of Gini impurity in a subset, with its feature and low value."""
    totals = classes[subset].sum(axis=0)
    if np.count_nonzero(totals) < 2:
        return None
    best: Gain | None = None
    for f, column in enumerate(X[subset].T):
        order = np.argsort(column, kind="stable")
        values = column[order]
        ends = np.flatnonzero(values[1:] != values[:-1])  # their difference may overflow
        left = np.cumsum(classes[subset][order], axis=0)[ends]
        if len(ends):
            right = totals - left
            # The weight, the same for all rules, minus the sum of weight times impurity of a child.
            purity = _squares(left) / left.sum(axis=1) + _squares(right) / right.sum(axis=1)
            gain = float(purity.max() - _squares(totals[None])[0] / totals.sum())
            if best is None or gain > best[0]:
                best = (gain, f, float(values[ends[purity.argmax()]]))
    return best


def _squares(weights: Integers) -> Floats:
    """Return the sum of the squares in each row, in floats because integers would overflow."""
    squares: Floats = (weights.astype(float) ** 2).sum(axis=1)
    return squares
