"""Growth functions of a tree that loses nodes: tables of subtrees, shared by all that look alike.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      The loose form of Theorem 9, the one of section 6.2, for all numbers of parts at once.
Time         O(c³) for a subtree that was not met before, else O(1), for c classes.
The idea     In the loose form a subtree of L' leaves is given m - L + L' examples, wherever it
             stands in a tree of L leaves. So its table depends on its shape and on the *slack*
             m - L alone. A shape is a number, given out once for each pair of shapes below it. A
             tree that loses a node has new shapes on the path from there to the root only.
"""

from math import log, perm

import numpy as np
from numpy.typing import NDArray

from exactree.theory.log_partitions import log_stirling, log_total
from exactree.theory.partitions import unions

Table = NDArray[np.float64]  # entry c - 1 is the logarithm of the bound for c parts

LEAF = 0  # the shape of a leaf
_MOST_TABLES = 200_000  # about 60 megabytes; beyond, tables are computed again


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
    """

    def __init__(self, n_features: int, n_classes: int, n_examples: int, form: str) -> None:
        self.n_classes, self.n_examples = n_classes, n_examples
        self.leaves = [1]
        self._children: list[tuple[int, int] | None] = [None]
        self._shapes: dict[tuple[int, int], int] = {}
        self._tables: dict[tuple[int, int], Table] = {}
        self._growth: dict[int, float] = {}
        self._unions: dict[tuple[int, int], _Unions] = {}
        self._all_ways: dict[int, Table] = {}
        self._log_divisions = log(2 * n_features)
        self._one_more = form == "loose"
        ways = [log(perm(n_classes, c)) for c in range(1, n_classes + 1)]
        self._labelings = np.array(ways)

    def join(self, one: int, other: int) -> int:
        """Return the shape of a node with two subtrees, whichever is the left one."""
        pair = (min(one, other), max(one, other))
        if pair not in self._shapes:
            self._shapes[pair] = len(self.leaves)
            self.leaves.append(self.leaves[one] + self.leaves[other])
            self._children.append(pair)
        return self._shapes[pair]

    def log_growth(self, shape: int) -> float:
        """Return the logarithm of a bound on the number of ways in which trees label examples."""
        if shape not in self._growth:
            if len(self._tables) > _MOST_TABLES:
                self._tables.clear()
            slack = self.n_examples - self.leaves[shape]
            if slack > 0:
                table = self._table(shape, slack)
            else:  # as many leaves as examples: they are divided in all ways
                table = self._ways(self.n_examples)[: self.n_examples]
            self._growth[shape] = log_total(table + self._labelings[: len(table)])
        return self._growth[shape]

    def _table(self, shape: int, slack: int) -> Table:
        """Return the table of a shape, making those of its subtrees first."""
        ahead = [shape]
        while ahead:
            top = ahead[-1]
            below = self._children[top] or ()
            absent = [child for child in below if (child, slack) not in self._tables]
            if absent:
                ahead += absent
            else:
                self._tables[top, slack] = self._combined(top, slack)
                ahead.pop()
        return self._tables[shape, slack]

    def _combined(self, shape: int, slack: int) -> Table:
        """Return the table of a shape, given those of its two subtrees."""
        pair = self._children[shape]
        if pair is None or self.n_classes == 1:
            return np.zeros(1)
        left, right = (self._tables[child, slack] for child in pair)
        sizes = (len(left), len(right))
        if sizes not in self._unions:
            self._unions[sizes] = _Unions(*sizes, self.n_classes)
        total = self._unions[sizes].log_sums(left, right)
        total += self._log_divisions + log(slack + self._one_more)
        if pair[0] == pair[1]:
            total -= log(2)
        all_ways = self._ways(slack + self.leaves[shape])
        return np.concatenate(([0.0], np.minimum(total, all_ways[1 : len(total) + 1])))

    def _ways(self, n_examples: int) -> Table:
        """Return the logarithms of the numbers of all ways to divide so many examples."""
        if n_examples not in self._all_ways:
            parts = range(1, self.n_classes + 1)
            self._all_ways[n_examples] = np.array([log_stirling(n_examples, c) for c in parts])
        return self._all_ways[n_examples]


class _Unions:
    """All (a, b, c) with c from 2: an a- and a b-partition have unions of c parts, and how many."""

    def __init__(self, most_left: int, most_right: int, most_parts: int) -> None:
        found = [
            (a - 1, b - 1, c, log(unions(a, b, c)))
            for c in range(2, min(most_parts, most_left + most_right) + 1)
            for a in range(1, min(most_left, c) + 1)
            for b in range(max(1, c - a), min(most_right, c) + 1)
        ]
        a, b, c, ways = (np.array(column) for column in zip(*found, strict=True))
        self._a, self._b, self._ways = a, b, ways
        self._c = c - 2
        self._starts = np.flatnonzero(np.diff(c, prepend=0))

    def log_sums(self, left: Table, right: Table) -> Table:
        """Return for each c the logarithm of the sum over all a and b."""
        terms = left[self._a] + right[self._b] + self._ways
        largest = np.maximum.reduceat(terms, self._starts)
        sums: Table = np.log(np.add.reduceat(np.exp(terms - largest[self._c]), self._starts))
        return sums + largest
