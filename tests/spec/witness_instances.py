"""Random instances for witness searches, with feasible sizes computed independently.

`min_errors` and `ensemble_exists` use no witnesses. The former splits subsets and distributes the
nodes between the two children; the latter lists the labelings of all trees up to a size and adds
the votes of all ensembles.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from exactree import Limits, Problem
from exactree.spec.table import SpecLeaf, SpecTree
from exactree.testing import random_weights

Row = tuple[float, ...]


def random_problem(
    rng: np.random.Generator,
    minimize: str,
    n_trees: int,
    max_rows: int,
    *,
    classes: int | None = None,
    **limits: int,
) -> Problem:
    """Return a problem with features of 2, 3 or 5 values, 2 to 4 classes, and max_errors 0 to 2."""
    rows, features = int(rng.integers(3, max_rows + 1)), int(rng.integers(1, 4))
    X = rng.integers(0, rng.choice([2, 2, 3, 5]), (rows, features)).astype(float)
    y = rng.integers(0, classes or rng.integers(2, 5), rows)
    weights = random_weights(rng, rows)
    limits = {"max_errors": int(rng.choice([0, 0, 1, 2])), **limits}
    return Problem(X, y, weights, minimize=minimize, n_trees=n_trees, limits=Limits(**limits))


def plain_tree_of(
    X: Sequence[Row], tree: SpecTree, of_leaf: Callable[[Any], Any] | None = None
) -> Any:
    """Return a value that is equal for equal trees: features, left subsets, and the children's.

    `of_leaf` adds a value for each leaf.
    """

    def plain(tree: SpecTree, subset: frozenset[int]) -> Any:
        if isinstance(tree, SpecLeaf):
            return None if of_leaf is None else of_leaf(tree)
        feature, low = tree.rule.feature, tree.rule.low
        left = frozenset(e for e in subset if X[e][feature] <= low)
        return (feature, left, plain(tree.left, left), plain(tree.right, subset - left))

    return plain(tree, frozenset(range(len(X))))


def left_subsets(X: Sequence[Row], subset: frozenset[int]) -> set[frozenset[int]]:
    """Return the left children of all rules that split a subset."""
    lefts = {
        frozenset(r for r in subset if X[r][f] <= X[row][f])
        for f, row in product(range(len(X[0])), subset)
    }
    return lefts - {subset}


def max_values_and_delta(problem: Problem) -> tuple[int, int]:
    """Return D, the maximum number of values of a feature, and δ of a table."""
    X, y = problem.dataset.X, problem.dataset.labels
    D = max(len(np.unique(column)) for column in X.T)
    pairs = [(a, b) for a, b in product(range(len(X)), repeat=2) if y[a] != y[b]]
    return D, max((int((X[a] != X[b]).sum()) for a, b in pairs), default=0)


def min_errors(problem: Problem) -> Callable[[int], int]:
    """Return a function from a maximum size to the fewest errors of a tree, in integer weights."""
    X, data = problem.dataset.X.tolist(), problem.dataset

    @cache
    def best(subset: frozenset[int], size: int) -> int:
        totals: Counter[int] = Counter()
        for row in subset:
            totals[int(data.labels[row])] += int(data.weights[row])
        errors = totals.total() - max(totals.values())
        if size and errors:
            for left in left_subsets(X, subset):
                for below in range(size):
                    both = best(left, below) + best(subset - left, size - 1 - below)
                    errors = min(errors, both)
        return errors

    return lambda size: best(frozenset(range(len(X))), size)


def labelings(problem: Problem, max_size: int) -> list[np.ndarray]:
    """Return for each size the labelings whose smallest tree has it, as rows of class indices."""
    X, classes = problem.dataset.X.tolist(), len(problem.dataset.classes)

    @cache
    def listed(subset: frozenset[int], size: int) -> set[tuple[int, ...]]:
        rows = sorted(subset)
        if size == 0:
            return {(label,) * len(rows) for label in range(classes)}
        found = set(listed(subset, size - 1))
        for left in left_subsets(X, subset):
            order = np.argsort(sorted(left) + sorted(subset - left)).tolist()
            for below in range(size):
                both = product(listed(left, below), listed(subset - left, size - 1 - below))
                found |= {tuple((a + b)[i] for i in order) for a, b in both}
        return found

    everything = frozenset(range(len(X)))
    needed = [listed(everything, 0)]
    needed += [
        listed(everything, size) - listed(everything, size - 1) for size in range(1, max_size + 1)
    ]
    return [np.array(sorted(some), dtype=np.int8).reshape(-1, len(X)) for some in needed]


def ensemble_exists(problem: Problem, total: int, largest: int) -> bool:
    """Return whether an ensemble within these sizes keeps the limit on errors."""
    data, classes = problem.dataset, len(problem.dataset.classes)
    largest = min(largest, total)
    by_size = labelings(problem, largest)
    votes = [(some[:, :, None] == np.arange(classes)).astype(np.int8) for some in by_size]
    for sizes in combinations_with_replacement(range(largest + 1), problem.n_trees):
        if sum(sizes) > total:
            continue
        summed = votes[sizes[0]]
        for size in sizes[1:]:
            summed = np.unique(summed, axis=0) if len(summed) > 1 else summed
            added = summed[:, None] + votes[size][None]
            summed = added.reshape(-1, *summed.shape[1:])
        if not len(summed):
            continue
        # Of equal numbers argmax returns the first: ties to the earlier class.
        wrong = summed.argmax(axis=2) != data.labels
        if (wrong @ data.weights <= problem.max_error_weight).any():
            return True
    return False
