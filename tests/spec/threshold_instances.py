"""Random tables for threshold search and support sets, with optima computed independently.

`measures_of_trees` uses no thresholds, shapes or support sets: it lists, for every subset, the
measures of all trees without errors whose splits have non-empty children.
"""

from functools import cache
from itertools import combinations, product

import numpy as np

from exactree import Problem
from exactree.spec.examples import Example, Examples

# Size, depth, and number of leaves of each class.
Measures = tuple[int, ...]


def random_table(rng: np.random.Generator, rows: int, features: int) -> tuple[np.ndarray, ...]:
    """Return features of 2, 3 or 5 values and 2 to 4 classes, with few contradictions."""
    n, d = int(rng.integers(1, rows + 1)), int(rng.integers(1, features + 1))
    X = rng.integers(0, rng.choice([2, 2, 3, 5], d), (n, d))
    y = rng.integers(0, rng.integers(2, 5), n)
    if rng.random() < 0.9:
        X, first = np.unique(X, axis=0, return_index=True)
        y = y[first]
        X, y = X[order := rng.permutation(len(X))], y[order]
    return X, y


def random_examples(rng: np.random.Generator, rows: int, features: int) -> Examples:
    """Return a random table without contradictions, as examples."""
    while True:
        X, y = random_table(rng, rows, features)
        E = examples_of(X, y)
        if len({e.row for e in E}) == len(set(E)):
            return E


def examples_of(X: np.ndarray, y: np.ndarray) -> Examples:
    """Return a table as examples."""
    rows = np.asarray(X, dtype=float).tolist()
    return tuple(Example(tuple(row), int(label)) for row, label in zip(rows, y, strict=True))


def problem_of(E: Examples, **parameters: object) -> Problem:
    """Return a problem with the examples as its table."""
    return Problem([e.row for e in E], [e.label for e in E], **parameters)  # type: ignore[arg-type]


def measures_of_trees(E: Examples, features: tuple[int, ...] | None = None) -> set[Measures]:
    """Return the measures of all trees that classify E and may use the features.

    Parameters
    ----------
    E : tuple of Example
        A few examples.
    features : tuple of int, optional
        By default all.

    Returns
    -------
    set of tuple
        Size, depth, and number of leaves of each class, of the trees that no other dominates.
    """
    used = range(len(E[0].row)) if features is None else features
    classes = range(max(e.label for e in E) + 1)

    @cache
    def trees(subset: frozenset[int]) -> frozenset[Measures]:
        labels = {E[k].label for k in subset}
        found: set[Measures] = set()
        if len(labels) == 1:
            found.add((0, 0, *(int(c in labels) for c in classes)))
        lefts = {
            frozenset(k for k in subset if E[k].row[f] <= E[j].row[f])
            for f, j in product(used, subset)
        }
        for left in lefts - {subset} if len(labels) > 1 else ():
            for a, b in product(trees(left), trees(subset - left)):
                leaves = (x + y for x, y in zip(a[2:], b[2:], strict=True))
                found.add((a[0] + b[0] + 1, max(a[1], b[1]) + 1, *leaves))
        return frozenset(n for n in found if not any(dominates(m, n) for m in found))

    return set(trees(frozenset(range(len(E)))))


def dominates(a: Measures, b: Measures) -> bool:
    """Return whether a differs from b and is nowhere greater."""
    return a != b and all(x <= y for x, y in zip(a, b, strict=True))


def min_size(E: Examples, features: tuple[int, ...] | None = None) -> int | None:
    """Return the minimum size of a tree without errors, None if there is none."""
    return min((n[0] for n in measures_of_trees(E, features)), default=None)


def min_depth(E: Examples, features: tuple[int, ...] | None = None) -> int | None:
    """Return the minimum depth of a tree without errors, None if there is none."""
    return min((n[1] for n in measures_of_trees(E, features)), default=None)


def all_subsets(features: int) -> list[frozenset[int]]:
    """Return all sets of features."""
    return [frozenset(S) for k in range(features + 1) for S in combinations(range(features), k)]
