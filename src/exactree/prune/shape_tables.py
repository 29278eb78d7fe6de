"""Growth functions of a tree that loses nodes: tables of subtrees, shared by all that look alike.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      The loose form of Theorem 9, the one of section 6.2, for all numbers of parts at once.
Time         O(c³) for a subtree that was not met before, else O(1), for c classes.
The idea     In the loose form a subtree of L' leaves is given m - L + L' examples, wherever it
             stands in a tree of L leaves. So its table depends on its shape and on the *slack*
             m - L alone. A shape is a number, given out once for each pair of shapes below it. A
             tree that loses a node has new shapes on the path from there to the root only. Tables
             of equally deep shapes are made together, by one call of numpy for all of them.
"""

from itertools import groupby
from math import log, perm

import numpy as np
from numpy.typing import NDArray

from exactree.theory.log_partitions import log_stirling, log_total
from exactree.theory.partitions import unions

Table = NDArray[np.float64]  # entry c - 1 is the logarithm of the bound for c parts
Key = tuple[int, int]  # a shape and a slack

LEAF = 0  # the shape of a leaf
_MOST_TABLES = 200_000  # about 60 megabytes; beyond, tables are computed again
# The logarithm of no way at all. A number, as differences of infinities are none.
_NO_WAY = -1e300


class Shapes:
    """A number for each shape, the same for mirror images.

    Attributes
    ----------
    leaves : list of int
        By the number of a shape, how many leaves it has.
    depths : list of int
        Likewise, its depth.
    children : list
        Likewise, the numbers of its two subtrees; None of a leaf.
    """

    def __init__(self) -> None:
        self.leaves, self.depths = [1], [0]
        self.children: list[tuple[int, int] | None] = [None]
        self._numbers: dict[tuple[int, int], int] = {}

    def join(self, one: int, other: int) -> int:
        """Return the shape of a node with two subtrees, whichever is the left one."""
        pair = (min(one, other), max(one, other))
        if pair not in self._numbers:
            self._numbers[pair] = len(self.leaves)
            self.leaves.append(self.leaves[one] + self.leaves[other])
            self.depths.append(1 + max(self.depths[one], self.depths[other]))
            self.children.append(pair)
        return self._numbers[pair]


class ShapeTables:
    """Logarithms of bounds on growth functions, by shape.

    Parameters
    ----------
    n_features, n_classes : int
        At least 1 each.
    n_examples : int
        How many examples are labeled; for a risk bound, twice those of the table.
    form : {"loose", "paper"}
        See `exactree.theory.PartitioningBounds`.

    Attributes
    ----------
    shapes : Shapes
        Where the shapes have their numbers from.
    """

    def __init__(self, n_features: int, n_classes: int, n_examples: int, form: str) -> None:
        self.n_classes, self.n_examples = n_classes, n_examples
        self.shapes = Shapes()
        self._tables: dict[Key, Table] = {}
        self._growth: dict[int, float] = {}
        self._all_ways: dict[int, Table] = {}
        self._log_divisions = log(2 * n_features)
        self._one_more = form == "loose"
        self._unions = _Unions(n_classes)
        self._parts = np.arange(1, n_classes + 1)
        self._log_parts = np.log(self._parts)
        self._labelings = np.array([log(perm(n_classes, c)) for c in self._parts.tolist()])

    def log_growth(self, shapes: list[int]) -> list[float]:
        """Return logarithms of bounds on the number of ways in which trees label examples.

        Parameters
        ----------
        shapes : list of int
            The shapes of the trees, as `shapes` numbers them.
        """
        new = [shape for shape in shapes if shape not in self._growth]
        slacks = [self.n_examples - self.shapes.leaves[shape] for shape in new]
        if len(self._tables) > _MOST_TABLES:
            self._tables.clear()
        self._fill([key for key in zip(new, slacks, strict=True) if key[1] > 0])
        for shape, slack in zip(new, slacks, strict=True):
            # With as many leaves as examples, those are divided in all ways.
            table = self._tables[shape, slack] if slack > 0 else self._ways(self.n_examples)
            self._growth[shape] = log_total(table + self._labelings)
        return [self._growth[shape] for shape in shapes]

    def _fill(self, wanted: list[Key]) -> None:
        """Make the tables of shapes and of all subtrees, those of the lowest first."""
        absent: set[Key] = set()
        while wanted:
            key = wanted.pop()
            if key not in self._tables and key not in absent:
                absent.add(key)
                wanted += [(child, key[1]) for child in self.shapes.children[key[0]] or ()]
        depths = self.shapes.depths
        in_order = sorted(absent, key=lambda key: depths[key[0]])
        for depth, group in groupby(in_order, key=lambda key: depths[key[0]]):
            keys = list(group)
            self._tables.update(
                zip(keys, self._combined(keys) if depth else self._of_leaves(keys), strict=True)
            )

    def _of_leaves(self, keys: list[Key]) -> Table:
        """Return the tables of leaves: all examples are one part."""
        tables = np.full((len(keys), self.n_classes), _NO_WAY)
        tables[:, 0] = 0
        return tables

    def _combined(self, keys: list[Key]) -> Table:
        """Return the tables of nodes, given those of their subtrees."""
        pairs = [self.shapes.children[shape] or (LEAF, LEAF) for shape, _ in keys]
        slack = np.array([slack for _, slack in keys])
        left, right = (
            np.array(
                [self._tables[pair[side], key[1]] for pair, key in zip(pairs, keys, strict=True)]
            )
            for side in (0, 1)
        )
        halved = np.array([log(2) if one == other else 0.0 for one, other in pairs])
        factor = self._log_divisions + np.log(slack + self._one_more) - halved
        tables = self._unions.log_sums(left, right) + factor[:, None]
        tables[:, 0] = 0
        n_examples = slack + np.array([self.shapes.leaves[shape] for shape, _ in keys])
        # Dealing one example to each of c parts and the others at will gives c^(m-c) of all ways.
        few = (n_examples[:, None] - self._parts) * self._log_parts
        for row in np.flatnonzero((tables > few).any(axis=1)).tolist():
            tables[row] = np.minimum(tables[row], self._ways(int(n_examples[row])))
        floor: Table = np.maximum(tables, _NO_WAY)
        return floor

    def _ways(self, n_examples: int) -> Table:
        """Return the logarithms of the numbers of all ways to divide so many examples."""
        if n_examples not in self._all_ways:
            ways = [log_stirling(n_examples, c) for c in self._parts.tolist()]
            self._all_ways[n_examples] = np.maximum(ways, _NO_WAY)
        return self._all_ways[n_examples]


class _Unions:
    """All (a, b, c): an a- and a b-partition have unions of c parts, and how many."""

    def __init__(self, most_parts: int) -> None:
        found = [
            (a - 1, b - 1, c - 1, log(unions(a, b, c)))
            for c in range(1, most_parts + 1)
            for a in range(1, c + 1)
            for b in range(max(1, c - a), c + 1)
        ]
        self._a, self._b, self._c = (np.array([one[place] for one in found]) for place in range(3))
        self._ways = np.array([one[3] for one in found])
        self._starts = np.searchsorted(self._c, np.arange(most_parts))

    def log_sums(self, left: Table, right: Table) -> Table:
        """Return for each row and each c the logarithm of the sum over all a and b."""
        terms = left[:, self._a] + right[:, self._b] + self._ways
        largest = np.maximum.reduceat(terms, self._starts, axis=1)
        terms = np.exp(terms - largest[:, self._c])
        sums: Table = np.log(np.add.reduceat(terms, self._starts, axis=1)) + largest
        return sums
