"""Minimum size and depth of trees without errors, found without the package's solvers.

A subset is an integer whose bits are rows; so is the set of rows that a rule sends left. The lower
bound on the size: every pair of examples of different classes needs a node that separates them, and
two pairs need different nodes if no rule separates both of them.
"""

from functools import cache
from itertools import combinations

import numpy as np

from exactree.data.dataset import Dataset
from exactree.trees import Tree, grow


class ExhaustiveSearch:
    """Minimum size and depth of trees without errors for one table, and trees of minimum size."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X, y = np.asarray(X), np.asarray(y)
        self.all_rows = (1 << len(y)) - 1
        self.classes = [bits(y == label) for label in np.unique(y)]
        self.rules = [
            (bits(self.X[:, f] <= low), f)
            for f in range(self.X.shape[1])
            for low in np.unique(self.X[:, f])[:-1]
        ]
        self.left_sets = sorted({left for left, _ in self.rules})
        unlike = [(a, b) for a, b in combinations(range(len(y)), 2) if y[a] != y[b]]
        pairs = [(1 << a | 1 << b, self.separating_rules(a, b)) for a, b in unlike]
        self.pairs = sorted(pairs, key=lambda pair: pair[1].bit_count())
        self.size = cache(self._size)
        self.fits_depth = cache(self._fits_depth)
        self.lower_bound = cache(self._lower_bound)

    def separating_rules(self, a: int, b: int) -> int:
        """Return the rules, as bits, that separate two rows."""
        return bits([(left >> a ^ left >> b) & 1 for left in self.left_sets])

    def is_pure(self, subset: int) -> bool:
        return any(subset & ~members == 0 for members in self.classes)

    def _lower_bound(self, subset: int) -> int:
        """Return a number of pairs in a subset no two of which are separated by the same rule."""
        used = count = 0
        for pair, rules in self.pairs:
            if pair & ~subset == 0 and not rules & used:
                used |= rules
                count += 1
        return count

    def splits(self, subset: int):
        """List the different splits of a subset; mirror images are one split."""
        seen = set()
        for left_set in self.left_sets:
            left = subset & left_set
            right = subset & ~left_set
            if left and right and left not in seen and right not in seen:
                seen.add(left)
                yield left, right

    def _size(self, subset: int, max_size: int) -> int | None:
        """Return the minimum size of a tree for a subset, None if it is more than `max_size`."""
        if self.is_pure(subset):
            return 0
        if max_size < self.lower_bound(subset):
            return None
        found = None
        for left, right in self.splits(subset):
            max_left = max_size - 1 - self.lower_bound(right)
            if max_left < self.lower_bound(left):
                continue
            left_size = self.size(left, max_left)
            if left_size is None:
                continue
            right_size = self.size(right, max_size - 1 - left_size)
            if right_size is not None:
                found = left_size + right_size + 1
                max_size = found - 1
        return found

    def min_size(self) -> int:
        max_size = self.lower_bound(self.all_rows)
        while (found := self.size(self.all_rows, max_size)) is None:
            max_size += 1
        return found

    def _fits_depth(self, subset: int, depth: int) -> bool:
        """Return whether a tree of at most this depth has no errors on a subset."""
        if self.is_pure(subset):
            return True
        return depth > 0 and any(
            self.fits_depth(left, depth - 1) and self.fits_depth(right, depth - 1)
            for left, right in self.splits(subset)
        )

    def min_depth(self) -> int:
        depth = 0
        while not self.fits_depth(self.all_rows, depth):
            depth += 1
        return depth

    def any_tree(self, dataset: Dataset, rng: np.random.Generator) -> Tree:
        """Return one of the trees of minimum size, drawn at random."""
        nodes: list = []

        def add_subtree(subset: int, size: int) -> None:
            node = len(nodes)
            nodes.append((-1, 0.0, 0.0, -1, -1))
            if size == 0:
                return
            for k in rng.permutation(len(self.rules)):
                left_set, feature = self.rules[k]
                left, right = subset & left_set, subset & ~left_set
                if left and right:
                    left_size = self.size(left, size - 1)
                    if left_size is None:
                        continue
                    right_size = self.size(right, size - 1 - left_size)
                    if right_size is not None:
                        break
            values = self.X[:, feature]
            low = max(values[row] for row in rows_of(left))
            high = min(values[row] for row in rows_of(right))
            add_subtree(left, left_size)
            nodes[node] = (feature, float(low), float(high), node + 1, len(nodes))
            add_subtree(right, right_size)

        add_subtree(self.all_rows, self.min_size())
        return grow(dataset, nodes)


def rows_of(subset: int) -> list[int]:
    """Return the rows of a subset."""
    return [row for row in range(subset.bit_length()) if subset >> row & 1]


def bits(holds) -> int:
    """Return the integer whose bits are the indices of the true values."""
    return sum(1 << index for index, value in enumerate(holds) if value)
