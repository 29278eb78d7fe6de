"""The bounds of `partitions.py` as natural logarithms, for thousands of examples.

The loose form takes milliseconds for any number of examples; the time of the tight form is
quadratic in their number, like that of its exact version. A bound of 0 is minus infinity.
"""

from math import comb, exp, fsum, inf, lgamma, log

import numpy as np

from exactree.data.parameters import MAX_COUNT
from exactree.theory.divisions import Divisions, divisions, log_total
from exactree.theory.features import Features, as_features
from exactree.theory.partitions import (
    MAX_TABLED,
    Form,
    all_sides,
    checked_arguments,
    checked_form,
    left_sizes,
    max_examples_below,
    part_pairs,
    stirling,
)
from exactree.theory.shape import TreeShape


def log_stirling(n_examples: int, n_parts: int) -> float:
    """Return the logarithm of the number of ways to divide examples into parts."""
    m, c = n_examples, n_parts
    if c > m:
        return -inf
    if c * exp(-m / c) > 1:  # few examples per part: the sum below would cancel
        return log(stirling(m, c))
    share = fsum((-1) ** j * comb(c, j) * ((c - j) / c) ** m for j in range(c))
    return m * log(c) - lgamma(c + 1) + log(share)


class LogPartitioningBounds:
    """Logarithms of bounds on the partitioning functions of many shapes, with shared tables.

    Parameters
    ----------
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    form : {"loose", "tight", "paper"}
        See `PartitioningBounds`.
    """

    def __init__(self, n_features: int | Features, form: Form = "loose") -> None:
        self.features = as_features(n_features)
        self.form = checked_form(form, self.features)
        # by code of a shape and number of parts; entry m is for m examples, entry 0 unused
        self._columns: dict[tuple[str, int], list[float]] = {}
        self._loose: dict[tuple[str, int, int], float] = {}
        self._stirling: dict[tuple[int, int], float] = {}
        self._divisions: dict[int, Divisions] = {}

    def bound(self, shape: TreeShape, n_examples: int, n_parts: int) -> float:
        """Return the logarithm of the bound on the number of ways to divide examples into parts.

        Parameters
        ----------
        shape : TreeShape
            The shape of the trees.
        n_examples, n_parts : int
            At least 1 each.
        """
        max_examples = 10 * MAX_TABLED if self.form == "tight" else 2 * MAX_COUNT
        m, c = checked_arguments(shape, n_examples, n_parts, max_examples)
        m = self.features.max_distinct(m)  # equal examples are in one part
        if m > shape.leaves >= c > 1:  # otherwise no tables are needed
            for lower in shape.proper_subtrees():
                max_below = max_examples_below(self.features, shape, lower, m)
                for parts in range(1, min(c, lower.leaves) + 1):
                    self._fill(lower, max_below, parts)
        return self._bound(shape, m, c)

    def _fill(self, shape: TreeShape, max_examples: int, parts: int) -> None:
        if self.form == "tight":
            column = self._columns.setdefault((shape.code, parts), [-inf])
            for m in range(len(column), max_examples + 1):
                column.append(self._bound(shape, m, parts))
        elif (shape.code, max_examples, parts) not in self._loose:
            self._loose[shape.code, max_examples, parts] = self._bound(shape, max_examples, parts)

    def _bound(self, shape: TreeShape, m: int, c: int) -> float:
        """Return the logarithm for a shape, given the tables of its subtrees."""
        if c > min(m, shape.leaves):
            return -inf
        if c == 1:
            return 0.0
        all_ways = self._all_ways(m, c)
        if m <= shape.leaves:
            return all_ways
        total = self._sum(shape, m, c) if self.form == "tight" else self._product(shape, m, c)
        return min(total - (log(2) if shape.left == shape.right else 0.0), all_ways)

    def _all_ways(self, m: int, c: int) -> float:
        if (m, c) not in self._stirling:
            self._stirling[m, c] = log_stirling(m, c)
        return self._stirling[m, c]

    def _sum(self, shape: TreeShape, m: int, c: int) -> float:
        """Return the logarithm of the sum of Theorem 9, for the tight form."""
        assert shape.left is not None
        assert shape.right is not None
        if m not in self._divisions:
            self._divisions[m] = divisions(self.features, m)
        sizes = left_sizes(self.features, shape, m)
        first, end = sizes.start, sizes.stop
        addends = []
        for a, b, n_unions in part_pairs(shape, c):
            left = self._columns[shape.left.code, a][first:end]
            right = self._columns[shape.right.code, b][m - end + 1 : m - first + 1][::-1]
            addends.append(np.array(left) + np.array(right) + log(n_unions))
        ways = np.full(m - 1, -inf)
        ways[first - 1 : end - 1] = np.logaddexp.reduce(addends)
        return self._with_one_subtree(self._divisions[m].log_max_partitions(ways), shape, m, c)

    def _product(self, shape: TreeShape, m: int, c: int) -> float:
        """Return the logarithm of `PartitioningBounds._product`, for other forms."""
        assert shape.left is not None
        assert shape.right is not None
        left = (shape.left.code, max_examples_below(self.features, shape, shape.left, m))
        right = (shape.right.code, max_examples_below(self.features, shape, shape.right, m))
        addends = [
            self._loose[*left, a] + self._loose[*right, b] + log(n_unions)
            for a, b, n_unions in part_pairs(shape, c)
        ]
        if self.features.only_numeric:
            sides = 2 * self.features.numeric * (m - shape.leaves + (self.form == "loose"))
        else:
            sides = all_sides(self.features, m)
        total = log_total(np.array(addends)) + (log(sides) if sides else -inf)
        return self._with_one_subtree(total, shape, m, c)

    def _with_one_subtree(self, total: float, shape: TreeShape, m: int, c: int) -> float:
        """Add the trees whose root sends all examples to one subtree, if they count."""
        addends = [total]
        if not self.features.only_numeric:
            for child in shape.children or ():
                if c <= child.leaves:
                    tight = self.form == "tight"
                    columns, loose = self._columns, self._loose
                    bound = columns[child.code, c][m] if tight else loose[child.code, m, c]
                    addends.append(bound)
        return log_total(np.array(addends))


def log_partitioning_function_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_parts: int,
    form: Form = "loose",
) -> float:
    """Return the logarithm of a bound on the number of ways to divide examples into parts.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples, n_parts : int
        At least 1 each.
    form : {"loose", "tight", "paper"}
        See `PartitioningBounds`.
    """
    return LogPartitioningBounds(n_features, form).bound(shape, n_examples, n_parts)
