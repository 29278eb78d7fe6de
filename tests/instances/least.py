"""Minimum size and depth of trees without errors, found without the package's solvers.

A subset is an integer whose bits are rows, and so is the left side of a rule. A lower bound on the
size: every pair of examples of different classes needs a node that separates them, and pairs
that no two share such a rule need different nodes.
"""

from functools import cache
from itertools import combinations

import numpy as np

from exactree.data.dataset import Dataset
from exactree.trees import Tree, grow


class Least:
    """The least size and depth of trees without errors for one table, and trees of least size."""

    def __init__(self, X: np.ndarray, y: np.ndarray) -> None:
        self.X, y = np.asarray(X), np.asarray(y)
        self.all = (1 << len(y)) - 1
        self.classes = [bits(y == label) for label in np.unique(y)]
        self.rules = [
            (bits(self.X[:, f] <= low), f)
            for f in range(self.X.shape[1])
            for low in np.unique(self.X[:, f])[:-1]
        ]
        self.lefts = sorted({left for left, _ in self.rules})
        unlike = [(a, b) for a, b in combinations(range(len(y)), 2) if y[a] != y[b]]
        told = [(1 << a | 1 << b, self.telling(a, b)) for a, b in unlike]
        self.pairs = sorted(told, key=lambda pair: pair[1].bit_count())
        self.size = cache(self._size)
        self.depth_fits = cache(self._depth_fits)
        self.floor = cache(self._floor)

    def telling(self, a: int, b: int) -> int:
        """Return the rules, as bits, that separate two rows."""
        return bits([(left >> a ^ left >> b) & 1 for left in self.lefts])

    def pure(self, part: int) -> bool:
        return any(part & ~members == 0 for members in self.classes)

    def _floor(self, part: int) -> int:
        used = count = 0
        for both, rules in self.pairs:
            if both & ~part == 0 and not rules & used:
                used |= rules
                count += 1
        return count

    def sides(self, part: int):
        seen = set()
        for left in self.lefts:
            one = part & left
            if one and one != part and one not in seen and part & ~one not in seen:
                seen.add(one)
                yield one, part & ~one

    def _size(self, part: int, most: int) -> int | None:
        """Return the minimum size of a tree for a subset, None if it is more than `most`."""
        if self.pure(part):
            return 0
        if most < self.floor(part):
            return None
        found = None
        for one, other in self.sides(part):
            first = most - 1 - self.floor(other)
            if first < self.floor(one):
                continue
            a = self.size(one, first)
            if a is None:
                continue
            b = self.size(other, most - 1 - a)
            if b is not None:
                found = a + b + 1
                most = found - 1
        return found

    def least_size(self) -> int:
        most = self.floor(self.all)
        while (found := self.size(self.all, most)) is None:
            most += 1
        return found

    def _depth_fits(self, part: int, most: int) -> bool:
        if self.pure(part):
            return True
        return most > 0 and any(
            self.depth_fits(one, most - 1) and self.depth_fits(other, most - 1)
            for one, other in self.sides(part)
        )

    def least_depth(self) -> int:
        depth = 0
        while not self.depth_fits(self.all, depth):
            depth += 1
        return depth

    def any_tree(self, dataset: Dataset, rng: np.random.Generator) -> Tree:
        """Return one of the trees of minimum size, drawn at random."""
        nodes: list = []

        def branch(part: int, size: int) -> None:
            here = len(nodes)
            nodes.append((-1, 0.0, 0.0, -1, -1))
            if size == 0:
                return
            for k in rng.permutation(len(self.rules)):
                left, feature = self.rules[k]
                one, other = part & left, part & ~left
                if one and other:
                    a = self.size(one, size - 1)
                    b = None if a is None else self.size(other, size - 1 - a)
                    if b is not None:
                        break
            values = self.X[:, feature]
            low = max(values[row] for row in rows_of(one))
            high = min(values[row] for row in rows_of(other))
            branch(one, a)
            nodes[here] = (feature, float(low), float(high), here + 1, len(nodes))
            branch(other, b)

        branch(self.all, self.least_size())
        return grow(dataset, nodes)


def rows_of(part: int) -> list[int]:
    """Return the rows of a subset."""
    return [row for row in range(part.bit_length()) if part >> row & 1]


def bits(holds) -> int:
    """Return the integer whose bits are the places that hold."""
    return sum(1 << place for place, held in enumerate(holds) if held)
