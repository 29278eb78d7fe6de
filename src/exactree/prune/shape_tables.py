"""Growth functions of a tree that loses nodes: tables of subtrees, shared by all that look alike.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      The loose form of Theorem 9, the one of section 6.2, for all numbers of parts at once.
             The tight form is that of `LogPartitioningBounds`, whose tables it shares.
Time         O(c³) for a subtree that was not met before, else O(1), for c classes; tight O(m² c²).
The idea     In the loose form a subtree of L' leaves is given m - L + L' examples, wherever it
             stands in a tree of L leaves. So its table depends on its shape and on the *slack*
             m - L alone. A shape is a number, given out once for each pair of shapes below it. A
             tree that loses a node has new shapes on the path from there to the root only. Tables
             of equally deep shapes are made together, by one call of numpy for all of them. With
             categories (LogPartitioningBounds has both cases) each subtree is given all examples,
             so that its table depends on its shape and on their number.
"""

from itertools import groupby
from math import log, perm

import numpy as np
from numpy.typing import NDArray

from exactree.theory.features import Features, features_given
from exactree.theory.log_partitions import LogPartitioningBounds, log_stirling
from exactree.theory.partitions import all_sides, checked_form
from exactree.theory.shape import TreeShape

BoundTable = NDArray[np.float64]  # entry c - 1 is the logarithm of the bound for c parts
Key = tuple[int, int]  # a shape and a slack; with categories a shape and its examples

LEAF = 0  # the shape of a leaf
_MAX_TABLES = 200_000  # about 60 megabytes; beyond, tables are computed again
# The logarithm of no way at all. A number, as differences of infinities are none.
_NO_WAY = -1e300
_MAX_SUBSETS = 100  # of that many, a table has half a million addends
_CHUNK = 4_000_000  # addends; 32 megabytes


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
        self._shapes = [TreeShape()]

    def shape(self, number: int) -> TreeShape:
        """Return the shape with a number."""
        for one in range(len(self._shapes), number + 1):  # subtrees have smaller numbers
            left, right = self.children[one] or (LEAF, LEAF)
            self._shapes.append(TreeShape(self._shapes[left], self._shapes[right]))
        return self._shapes[number]

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
    n_features : int or Features
        The number of features of numbers, at least 1, or a description of other features.
    n_classes, most_leaves : int
        At least 1 each; no shape may have more leaves.
    n_examples : int
        How many examples are labeled; for a risk bound, twice those of the table.
    form : {"loose", "tight", "paper"}
        See `exactree.theory.PartitioningBounds`.

    Attributes
    ----------
    shapes : Shapes
        Where the shapes have their numbers from.
    """

    def __init__(
        self,
        n_features: int | Features,
        n_classes: int,
        n_examples: int,
        most_leaves: int,
        form: str,
    ) -> None:
        self.features = features_given(n_features)
        self.n_examples = self.features.max_distinct(n_examples)
        self._one_more = checked_form(form, self.features) == "loose"
        self._tight = LogPartitioningBounds(self.features, "tight") if form == "tight" else None
        self.most_parts = min(n_classes, most_leaves)
        if self.most_parts > _MAX_SUBSETS:
            raise ValueError(
                f"the tree has {n_classes} classes and {most_leaves} leaves; bounds are computed "
                f"when one of them is at most {_MAX_SUBSETS}."
            )
        self.shapes = Shapes()
        self._rows: dict[Key, int] = {}
        self._tables: BoundTable = np.empty((64, self.most_parts))
        self._growth: dict[int, float] = {}
        self._all_ways: dict[int, BoundTable] = {}
        self._unions = _Unions(self.most_parts)
        self._parts = range(1, self.most_parts + 1)
        self._labelings = np.array([log(perm(n_classes, c)) for c in self._parts])

    def log_growth(self, shapes: list[int]) -> list[float]:
        """Return logarithms of bounds on the number of ways in which trees label examples.

        Parameters
        ----------
        shapes : list of int
            The shapes of the trees, as `shapes` numbers them.
        """
        new = [shape for shape in shapes if shape not in self._growth]
        tables = self._loose_tables(new) if self._tight is None else self._tight_tables(new)
        self._growth.update(zip(new, log_totals(tables + self._labelings), strict=True))
        return [self._growth[shape] for shape in shapes]

    def _tight_tables(self, shapes: list[int]) -> BoundTable:
        """Return the tables of whole trees in the tight form."""
        assert self._tight is not None
        tables = np.empty((len(shapes), self.most_parts))
        for place, number in enumerate(shapes):
            shape = self.shapes.shape(number)
            tables[place] = [self._tight.bound(shape, self.n_examples, c) for c in self._parts]
        return np.maximum(tables, _NO_WAY)

    def _loose_tables(self, new: list[int]) -> BoundTable:
        """Return the tables of whole trees in the loose form or the paper's."""
        keys = [self._key(shape) for shape in new]
        if len(self._rows) > _MAX_TABLES:
            self._rows.clear()
        # With as many leaves as examples, those are divided in all ways.
        few = [self.n_examples <= self.shapes.leaves[shape] for shape in new]
        self._fill([key for key, all_ways in zip(keys, few, strict=True) if not all_ways])
        tables = np.empty((len(new), self.most_parts))
        for place, (key, all_ways) in enumerate(zip(keys, few, strict=True)):
            tables[place] = (
                self._ways(self.n_examples) if all_ways else self._tables[self._rows[key]]
            )
        return tables

    def _key(self, shape: int) -> Key:
        if self.features.only_numeric:
            return shape, self.n_examples - self.shapes.leaves[shape]
        return shape, self.n_examples

    def _examples(self, key: Key) -> int:
        """Return how many examples the subtree of a table is given."""
        return key[1] + (self.shapes.leaves[key[0]] if self.features.only_numeric else 0)

    def _log_sides(self, key: Key) -> float:
        """Return the logarithm of the number of sides of rules at the root, of all sizes."""
        if self.features.only_numeric:
            return log(2 * self.features.numeric * (key[1] + self._one_more))
        sides = all_sides(self.features, key[1])
        return log(sides) if sides else _NO_WAY

    def _fill(self, wanted: list[Key]) -> None:
        """Make the tables of shapes and of all subtrees, those of the lowest first."""
        absent: set[Key] = set()
        while wanted:
            key = wanted.pop()
            if key not in self._rows and key not in absent:
                absent.add(key)
                wanted += [(child, key[1]) for child in self.shapes.children[key[0]] or ()]
        depths = self.shapes.depths
        in_order = sorted(absent, key=lambda key: depths[key[0]])
        for depth, group in groupby(in_order, key=lambda key: depths[key[0]]):
            keys = list(group)
            for start in range(0, len(keys), self._unions.chunk):
                some = keys[start : start + self._unions.chunk]
                self._keep(some, self._combined(some) if depth else self._of_leaves(some))

    def _keep(self, keys: list[Key], tables: BoundTable) -> None:
        """Put tables below the others, where there is room for twice as many if there was none."""
        first, end = len(self._rows), len(self._rows) + len(keys)
        if end > len(self._tables):
            more = np.empty((2 * end, self.most_parts))
            more[:first] = self._tables[:first]
            self._tables = more
        self._tables[first:end] = tables
        self._rows.update(zip(keys, range(first, end), strict=True))

    def _of_leaves(self, keys: list[Key]) -> BoundTable:
        """Return the tables of leaves: all examples are one part."""
        tables = np.full((len(keys), self.most_parts), _NO_WAY)
        tables[:, 0] = 0
        return tables

    def _combined(self, keys: list[Key]) -> BoundTable:
        """Return the tables of nodes, given those of their subtrees."""
        pairs = [self.shapes.children[shape] or (LEAF, LEAF) for shape, _ in keys]
        below = [(*pair, room) for pair, (_, room) in zip(pairs, keys, strict=True)]
        left = self._tables[[self._rows[one, room] for one, _, room in below]]
        right = self._tables[[self._rows[other, room] for _, other, room in below]]
        sides = np.array([self._log_sides(key) for key in keys])
        tables = self._unions.log_sums(left, right) + sides[:, None]
        if not self.features.only_numeric:  # a root can send all examples to one subtree
            tables = np.logaddexp(np.logaddexp(tables, left), right)
        # Subtrees that are alike: each partition was counted for both sides of a rule.
        tables -= np.array([log(1 + (one == other)) for one, other in pairs])[:, None]
        tables[:, 0] = 0
        n_examples = [self._examples(key) for key in keys]
        if tables.max() > self._few_ways(min(n_examples)):
            for row, m in enumerate(n_examples):
                tables[row] = np.minimum(tables[row], self._ways(m))
        floor: BoundTable = np.maximum(tables, _NO_WAY)
        return floor

    def _few_ways(self, n_examples: int) -> float:
        """Return a number that no entry of `_ways` from two parts on is below.

        Dealing one example to each of c parts and the others at will gives c^(m-c) ways. The
        logarithm of that is concave in c, so that it is least at one end.
        """
        ends = (2, max(2, self.most_parts))
        return min((n_examples - c) * log(c) for c in ends)

    def _ways(self, n_examples: int) -> BoundTable:
        """Return the logarithms of the numbers of all ways to divide so many examples."""
        if n_examples not in self._all_ways:
            ways = [log_stirling(n_examples, c) for c in self._parts]
            self._all_ways[n_examples] = np.maximum(ways, _NO_WAY)
        return self._all_ways[n_examples]


def log_totals(terms: BoundTable) -> list[float]:
    """Return for each row the logarithm of a sum, given the logarithms of its terms."""
    largest = terms.max(axis=1, initial=_NO_WAY)
    totals: list[float] = (largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1))).tolist()
    return totals


class _Unions:
    """All (a, b, c): an a- and a b-partition have unions of c parts, and how many."""

    def __init__(self, most_parts: int) -> None:
        c, a, b = np.indices((most_parts, most_parts, most_parts)).reshape(3, -1) + 1
        can = (a <= c) & (b <= c) & (a + b >= c)
        a, b, c = a[can], b[can], c[can]
        log_factorial = np.concatenate(([0.0], np.log(np.arange(1, most_parts + 1)).cumsum()))
        # The logarithm of C(a, c-b) C(b, c-a) (a+b-c)!
        few = log_factorial[c - b] + log_factorial[c - a] + log_factorial[a + b - c]
        self._ways = log_factorial[a] + log_factorial[b] - few
        self._a, self._b, self._c = a - 1, b - 1, c - 1
        self._starts = np.searchsorted(c, np.arange(1, most_parts + 1))
        self.chunk = max(1, _CHUNK // len(c))

    def log_sums(self, left: BoundTable, right: BoundTable) -> BoundTable:
        """Return for each row and each c the logarithm of the sum over all a and b."""
        terms = left.take(self._a, axis=1) + right.take(self._b, axis=1) + self._ways
        largest = np.maximum.reduceat(terms, self._starts, axis=1)
        terms = np.exp(terms - largest.take(self._c, axis=1))
        sums: BoundTable = np.log(np.add.reduceat(terms, self._starts, axis=1)) + largest
        return sums
