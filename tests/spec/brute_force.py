"""Small random tables, and all trees and ensembles for them, without dynamic programming.

Nothing here adds the sizes of two children: trees are listed as the sets of their leaves, and all
quantities are measured on these sets.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np

from exactree import Limits, Problem
from exactree.testing import random_weights

Leaves = frozenset[frozenset[int]]


def all_leaves(X: np.ndarray) -> set[Leaves]:
    """Return the set of leaves of every tree whose splits have non-empty children."""

    def trees(subset: frozenset[int]) -> set[Leaves]:
        found = {frozenset({subset})}
        for feature, row in product(range(X.shape[1]), subset):
            left = frozenset(r for r in subset if X[r, feature] <= X[row, feature])
            if left < subset:
                found |= {a | b for a, b in product(trees(left), trees(subset - left))}
        return found

    return trees(frozenset(range(len(X))))


def min_sizes(X: np.ndarray, classes: int) -> dict[tuple[int, ...], int]:
    """Return the minimum size of a tree for each labeling of the rows that some tree predicts."""
    sizes: dict[tuple[int, ...], int] = {}
    for leaves in all_leaves(X):
        for leaf_classes in product(range(classes), repeat=len(leaves)):
            label = {row: c for leaf, c in zip(leaves, leaf_classes, strict=True) for row in leaf}
            labeling = tuple(label[row] for row in range(len(X)))
            size = len(leaves) - 1
            sizes[labeling] = min(size, sizes.get(labeling, size))
    return sizes


def all_costs(problem: Problem) -> set[tuple[Fraction, ...]]:
    """Return the costs of all trees or ensembles within the limits, as tuples."""
    data, limits = problem.dataset, problem.limits
    sizes = min_sizes(data.X, len(data.classes))
    chosen = np.array(list(combinations_with_replacement(range(len(sizes)), problem.n_trees)))
    tree_sizes = np.array(list(sizes.values()))[chosen]
    total, largest = tree_sizes.sum(axis=1), tree_sizes.max(axis=1)
    errors = (elected(np.array(list(sizes))[chosen]) != data.labels) @ data.weights
    within = np.ones(len(chosen), dtype=bool)
    for limit, quantity in ((limits.max_size, largest), (limits.max_total_size, total)):
        within &= limit is None or quantity <= limit
    if problem.max_errors is not None:
        within &= errors <= int(problem.max_errors * data.weight_scale)
    price = problem.leaf_penalty * data.total_weight
    costs = set()
    for e, t, s in set(zip(*(q[within].tolist() for q in (errors, total, largest)), strict=True)):
        measured = {"errors": (e + price * (t + problem.n_trees)) / data.weight_scale}
        measured |= {"size": t, "total_size": t, "largest_size": s}
        costs.add(tuple(Fraction(measured[name]) for name in problem.quantities))
    return costs


def elected(labels: np.ndarray) -> np.ndarray:
    """Return the class with most votes for each ensemble and row, ties to the earlier class."""
    classes = np.arange(labels.max() + 1)
    votes = (labels[:, :, :, None] == classes).sum(axis=1)
    return votes.argmax(axis=2)


@contextmanager
def seed_in_message(seed: int) -> Iterator[None]:
    """Add the seed to the message of a check that fails."""
    try:
        yield
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}") from error


def random_table(rng: np.random.Generator, rows: int, classes: int) -> tuple[np.ndarray, Any, Any]:
    """Return features of 2, 3 or 4 values, labels, and weights or None."""
    values, features = int(rng.choice([2, 2, 3, 4])), int(rng.integers(1, 4))
    X = rng.integers(0, values, (rows, features)).astype(float)
    y = rng.integers(0, classes, rows)
    y[: min(rows, classes)] = np.arange(classes)[:rows]
    return X, y, random_weights(rng, rows)


def random_limits(rng: np.random.Generator, trees: int) -> Limits:
    """Return limits on errors and sizes, each often absent."""
    return Limits(
        max_errors=[None, 0, 1, 2][rng.integers(4)],
        max_size=int(rng.integers(0, 4)) if rng.random() < 0.2 else None,
        max_total_size=int(rng.integers(0, 5)) if trees > 1 and rng.random() < 0.2 else None,
    )
