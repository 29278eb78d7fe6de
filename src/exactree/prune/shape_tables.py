"""Growth functions of trees during pruning, from tables shared by subtrees of equal shape.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      The loose form of Theorem 9, as in section 6.2, for every number c of parts at once.
             The tight form is computed by one `LogPartitioningBounds` for all shapes.
Time         O(c³) for a new subtree, O(1) for a known subtree, for c classes; tight O(m² c²).
The idea     In the loose form a subtree of L' leaves gets m - L + L' examples, at any place in a
             tree of L leaves. So its table depends only on its shape and on the *slack* m - L. A
             shape is a number, assigned once for each pair of shapes below it. Removing a node
             changes only the shapes on the path from it to the root. Tables of shapes of equal
             depth are computed together, by one call of numpy. With other rules than thresholds on
             numbers a subtree may get all examples, so its table depends on its shape and on their
             number.
"""

from itertools import groupby
from math import log, perm

import numpy as np
from numpy.typing import NDArray

from exactree.theory.features import Features, as_features
from exactree.theory.log_partitions import LogPartitioningBounds, log_stirling
from exactree.theory.partitions import all_sides, checked_form
from exactree.theory.shape import TreeShape

BoundTable = NDArray[np.float64]  # entry c - 1 is the logarithm of the bound for c parts
# A shape's number, and the slack or, with other rules than thresholds on numbers, n_examples.
Key = tuple[int, int]

LEAF = 0  # the number of the shape of a leaf
_MAX_TABLES = 200_000  # about 60 megabytes; beyond, the cache is cleared
# The logarithm of 0, as a finite number because differences of infinities are NaN.
_NO_WAY = -1e300
_MAX_PARTS = 100  # for this number, a table is computed from 176,650 addends
_CHUNK = 4_000_000  # addends; 32 megabytes


class Shapes:
    """A number for each shape, the same for mirror images.

    Attributes
    ----------
    leaves : list of int
        The number of leaves of each shape, by its number.
    depths : list of int
        The depth of each shape.
    children : list
        The numbers of the two subtrees of each shape; None for a leaf.
    """

    def __init__(self) -> None:
        self.leaves, self.depths = [1], [0]
        self.children: list[tuple[int, int] | None] = [None]
        self._numbers: dict[tuple[int, int], int] = {}
        self._shapes = [TreeShape()]

    def shape(self, number: int) -> TreeShape:
        """Return the shape with a number."""
        for new in range(len(self._shapes), number + 1):  # subtrees have smaller numbers
            left, right = self.children[new] or (LEAF, LEAF)
            self._shapes.append(TreeShape(self._shapes[left], self._shapes[right]))
        return self._shapes[number]

    def join(self, first: int, second: int) -> int:
        """Return the shape of a node with two subtrees, in any order."""
        pair = (min(first, second), max(first, second))
        if pair not in self._numbers:
            self._numbers[pair] = len(self.leaves)
            self.leaves.append(self.leaves[first] + self.leaves[second])
            self.depths.append(1 + max(self.depths[first], self.depths[second]))
            self.children.append(pair)
        return self._numbers[pair]


class ShapeTables:
    """Logarithms of bounds on growth functions, by shape.

    Parameters
    ----------
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_classes, max_leaves : int
        At least 1 each; `max_leaves` is the maximum number of leaves of a shape.
    n_examples : int
        The number of labeled examples; for a risk bound, twice the number of training examples.
    form : {"loose", "tight", "paper"}
        See `exactree.theory.PartitioningBounds`.

    Attributes
    ----------
    shapes : Shapes
        The numbering of shapes.
    """

    def __init__(
        self,
        n_features: int | Features,
        n_classes: int,
        n_examples: int,
        max_leaves: int,
        form: str,
    ) -> None:
        self.features = as_features(n_features)
        self.n_examples = self.features.max_distinct(n_examples)
        # The loose form has one term more than that of the paper.
        self._extra_term = checked_form(form, self.features) == "loose"
        self._tight = LogPartitioningBounds(self.features, "tight") if form == "tight" else None
        self.max_parts = min(n_classes, max_leaves)
        if self.max_parts > _MAX_PARTS:
            raise ValueError(
                f"the tree has {n_classes} classes and {max_leaves} leaves; bounds are computed "
                f"when one of them is at most {_MAX_PARTS}."
            )
        self.shapes = Shapes()
        self._rows: dict[Key, int] = {}
        self._tables: BoundTable = np.empty((64, self.max_parts))
        self._growth: dict[int, float] = {}
        self._log_partitions_by_n: dict[int, BoundTable] = {}
        self._unions = _Unions(self.max_parts)
        self._parts = range(1, self.max_parts + 1)
        self._labelings = np.array([log(perm(n_classes, c)) for c in self._parts])

    def log_growth(self, shapes: list[int]) -> list[float]:
        """Return logarithms of bounds on the number of labelings of examples by trees.

        Parameters
        ----------
        shapes : list of int
            The shapes of the trees, numbered by `shapes`.
        """
        new = [shape for shape in shapes if shape not in self._growth]
        tables = self._loose_tables(new) if self._tight is None else self._tight_tables(new)
        self._growth.update(zip(new, log_totals(tables + self._labelings), strict=True))
        return [self._growth[shape] for shape in shapes]

    def _tight_tables(self, shapes: list[int]) -> BoundTable:
        """Return the tables of whole trees in the tight form."""
        assert self._tight is not None
        tables = np.empty((len(shapes), self.max_parts))
        for row, number in enumerate(shapes):
            shape = self.shapes.shape(number)
            tables[row] = [self._tight.bound(shape, self.n_examples, c) for c in self._parts]
        return np.maximum(tables, _NO_WAY)

    def _loose_tables(self, new: list[int]) -> BoundTable:
        """Return the tables of whole trees in the loose form or that of the paper."""
        keys = [self._key(shape) for shape in new]
        if len(self._rows) > _MAX_TABLES:
            self._rows.clear()
        # With at least as many leaves as examples, all partitions are possible.
        all_possible = [self.n_examples <= self.shapes.leaves[shape] for shape in new]
        self._fill([key for key, every in zip(keys, all_possible, strict=True) if not every])
        tables = np.empty((len(new), self.max_parts))
        for row, (key, every) in enumerate(zip(keys, all_possible, strict=True)):
            tables[row] = (
                self._log_partitions(self.n_examples) if every else self._tables[self._rows[key]]
            )
        return tables

    def _key(self, shape: int) -> Key:
        if self.features.only_numeric:
            return shape, self.n_examples - self.shapes.leaves[shape]
        return shape, self.n_examples

    def _examples(self, key: Key) -> int:
        """Return the number of examples of the subtree of a table."""
        return key[1] + (self.shapes.leaves[key[0]] if self.features.only_numeric else 0)

    def _log_sides(self, key: Key) -> float:
        """Return the logarithm of the maximum number of sides: each rule at the root has two."""
        if self.features.only_numeric:
            return log(2 * self.features.numeric * (key[1] + self._extra_term))
        sides = all_sides(self.features, key[1])
        return log(sides) if sides else _NO_WAY

    def _fill(self, required: list[Key]) -> None:
        """Compute the tables of shapes and of all subtrees, shallow subtrees first."""
        absent: set[Key] = set()
        while required:
            key = required.pop()
            if key not in self._rows and key not in absent:
                absent.add(key)
                required += [(child, key[1]) for child in self.shapes.children[key[0]] or ()]
        depths = self.shapes.depths
        in_order = sorted(absent, key=lambda key: depths[key[0]])
        for depth, group in groupby(in_order, key=lambda key: depths[key[0]]):
            keys = list(group)
            for start in range(0, len(keys), self._unions.chunk):
                chunk = keys[start : start + self._unions.chunk]
                self._append(chunk, self._combined(chunk) if depth else self._of_leaves(chunk))

    def _append(self, keys: list[Key], tables: BoundTable) -> None:
        """Append tables to the others, doubling the capacity if necessary."""
        first, end = len(self._rows), len(self._rows) + len(keys)
        if end > len(self._tables):
            larger = np.empty((2 * end, self.max_parts))
            larger[:first] = self._tables[:first]
            self._tables = larger
        self._tables[first:end] = tables
        self._rows.update(zip(keys, range(first, end), strict=True))

    def _of_leaves(self, keys: list[Key]) -> BoundTable:
        """Return the tables of leaves, in which all examples form one part."""
        tables = np.full((len(keys), self.max_parts), _NO_WAY)
        tables[:, 0] = 0
        return tables

    def _combined(self, keys: list[Key]) -> BoundTable:
        """Return the tables of nodes, given those of their subtrees."""
        pairs = [self.shapes.children[shape] or (LEAF, LEAF) for shape, _ in keys]
        below = [(*pair, slack) for pair, (_, slack) in zip(pairs, keys, strict=True)]
        left = self._tables[[self._rows[first, slack] for first, _, slack in below]]
        right = self._tables[[self._rows[second, slack] for _, second, slack in below]]
        sides = np.array([self._log_sides(key) for key in keys])
        tables = self._unions.log_sums(left, right) + sides[:, None]
        if not self.features.only_numeric:  # a root can send all examples to one subtree
            tables = np.logaddexp(np.logaddexp(tables, left), right)
        # Each side of a rule was counted as the subset of the first subtree. With subtrees of equal
        # shape, this counts every partition twice.
        tables -= np.array([log(1 + (first == second)) for first, second in pairs])[:, None]
        tables[:, 0] = 0
        n_examples = [self._examples(key) for key in keys]
        # No bound needs to exceed the number of all partitions. That number is computed only if a
        # bound may exceed it.
        if tables.max() > self._min_log_partitions(min(n_examples)):
            for row, m in enumerate(n_examples):
                tables[row] = np.minimum(tables[row], self._log_partitions(m))
        finite: BoundTable = np.maximum(tables, _NO_WAY)
        return finite

    def _min_log_partitions(self, n_examples: int) -> float:
        """Return a lower bound on the entries of `_log_partitions` for two or more parts.

        Giving one of the first c examples to each of c parts, and each of the other m-c examples to
        any part, yields c^(m-c) partitions. Its logarithm is concave in c, so its minimum is at the
        smallest or at the largest c.
        """
        ends = (2, max(2, self.max_parts))
        return min((n_examples - c) * log(c) for c in ends)

    def _log_partitions(self, n_examples: int) -> BoundTable:
        """Return the logarithms of the numbers of partitions of examples, by number of parts."""
        if n_examples not in self._log_partitions_by_n:
            logarithms = [log_stirling(n_examples, c) for c in self._parts]
            self._log_partitions_by_n[n_examples] = np.maximum(logarithms, _NO_WAY)
        return self._log_partitions_by_n[n_examples]


def log_totals(terms: BoundTable) -> list[float]:
    """Return the logarithm of the sum in each row, given the logarithms of its terms."""
    largest = terms.max(axis=1, initial=_NO_WAY)
    totals: list[float] = (largest + np.log(np.exp(terms - largest[:, None]).sum(axis=1))).tolist()
    return totals


class _Unions:
    """The numbers of ways to unite a partition into a parts with one into b parts, to c parts.

    A union keeps the parts of both partitions, except that some parts of the first are each joined
    with another part of the second. All (a, b, c) with at least one way are listed.
    """

    def __init__(self, max_parts: int) -> None:
        c, a, b = np.indices((max_parts, max_parts, max_parts)).reshape(3, -1) + 1
        possible = (a <= c) & (b <= c) & (a + b >= c)
        a, b, c = a[possible], b[possible], c[possible]
        log_factorial = np.concatenate(([0.0], np.log(np.arange(1, max_parts + 1)).cumsum()))
        # The logarithm of C(a, c-b) C(b, c-a) (a+b-c)! = a! b! / ((c-b)! (c-a)! (a+b-c)!)
        divisor = log_factorial[c - b] + log_factorial[c - a] + log_factorial[a + b - c]
        self._log_ways = log_factorial[a] + log_factorial[b] - divisor
        self._a, self._b, self._c = a - 1, b - 1, c - 1
        self._starts = np.searchsorted(c, np.arange(1, max_parts + 1))
        self.chunk = max(1, _CHUNK // len(c))

    def log_sums(self, left: BoundTable, right: BoundTable) -> BoundTable:
        """Return the logarithm of the sum over all a and b for each row and each c."""
        terms = left.take(self._a, axis=1) + right.take(self._b, axis=1) + self._log_ways
        largest = np.maximum.reduceat(terms, self._starts, axis=1)
        terms = np.exp(terms - largest.take(self._c, axis=1))
        sums: BoundTable = np.log(np.add.reduceat(terms, self._starts, axis=1)) + largest
        return sums
