"""Upper bounds on the partitioning functions of a tree shape, as exact integers.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Theorem 7 (stumps), Theorem 9 with Algorithm 1 (any shape).
Time         Tight O(N m² c²) products of integers for N nodes, loose O(N c²).
Symbols      l n_features, m n_examples, c n_parts, T shape, L_T its leaves; pi_T^c(m) is the
             largest number of ways in which trees of shape T divide m examples into c parts.
The idea     The root sends k examples left in at most min{2l, C(m, k)} ways. Its subtrees
             divide their examples into a and b parts, and pairs of these are united until c
             remain. Tables of small shapes and few examples give those of larger ones.
Departures
  1. Where the text prints the binomial of m and c with c below m for the number of ways to
     divide m examples into c parts, it is the Stirling number of the second kind.
  2. The loose form has m - L + 1 terms; the m - L of the text ("paper") is below the true value.
"""

from collections.abc import Callable
from itertools import product
from math import comb, factorial
from typing import Literal, cast, get_args

from exactree.theory.counts import whole
from exactree.theory.shape import TreeShape

Form = Literal["tight", "loose", "paper"]


def stirling(n_examples: int, n_parts: int) -> int:
    """Return in how many ways examples can be divided into parts, none of them empty."""
    total = 0
    for j in range(n_parts):
        addend = comb(n_parts, j) * pow(n_parts - j, n_examples)
        total += -addend if j % 2 else addend
    return total // factorial(n_parts)


def unions(a: int, b: int, c: int) -> int:
    """Return how many c-partitions are pairwise unions of an a- and a b-partition (|Q^c|)."""
    if max(a, b) > c or a + b < c:
        return 0
    return comb(a, c - b) * comb(b, c - a) * factorial(a + b - c)


def united(shape: TreeShape, n_parts: int) -> list[tuple[int, int, int]]:
    """Return all (a, b) that a node's subtrees can contribute, with the number of unions."""
    assert shape.left is not None
    assert shape.right is not None
    most_left, most_right = (min(n_parts, child.leaves) for child in (shape.left, shape.right))
    pairs = product(range(1, most_left + 1), range(1, most_right + 1))
    return [(a, b, unions(a, b, n_parts)) for a, b in pairs if a + b >= n_parts]


def divisions(n_features: int, n_examples: int) -> list[int]:
    """Return min{2l, C(m, k)} for k = 0 ... m."""
    most = [2 * n_features] * (n_examples + 1)
    for k in range(n_examples // 2 + 1):
        ways = comb(n_examples, k)
        if ways >= 2 * n_features:
            break
        most[k] = most[n_examples - k] = ways
    return most


class PartitioningBounds:
    """Bounds on the partitioning functions of many shapes, which share their tables.

    Parameters
    ----------
    n_features : int
        The number of features, at least 1.
    form : {"tight", "loose", "paper"}
        Theorem 9 as it stands; its sum replaced by the number of terms times the largest, much
        faster; the same with one term too few, as the paper prints it, which is no bound.
    """

    def __init__(self, n_features: int, form: Form = "tight") -> None:
        self.n_features = whole("n_features", n_features, 1)
        self.form = checked_form(form)
        # by code of a shape and number of parts; entry m is for m examples, entry 0 unused
        self._columns: dict[tuple[str, int], list[int]] = {}
        self._loose: dict[tuple[str, int, int], int] = {}
        self._divisions: dict[int, list[int]] = {}

    def bound(self, shape: TreeShape, n_examples: int, n_parts: int) -> int:
        """Return the bound on the number of ways to divide examples into parts.

        Parameters
        ----------
        shape : TreeShape
            The shape of the trees.
        n_examples, n_parts : int
            At least 1 each.
        """
        m, c = checked(shape, n_examples, n_parts)
        if known := self._known(shape, m, c):
            return known[0]
        for lower in shape.below():
            most = m - (shape.leaves - lower.leaves)
            for parts in range(1, min(c, lower.leaves) + 1):
                if self.form == "tight":
                    self._fill(lower, most, parts)
                else:
                    self._loose[lower.code, most, parts] = self._one(lower, most, parts)
        return self._one(shape, m, c)

    def _fill(self, shape: TreeShape, most: int, parts: int) -> None:
        column = self._columns.setdefault((shape.code, parts), [0])
        for m in range(len(column), most + 1):
            column.append(self._one(shape, m, parts))

    def _known(self, shape: TreeShape, m: int, c: int) -> tuple[int] | None:
        """Return the first cases of Algorithm 1, which need no tables."""
        if c > min(m, shape.leaves):
            return (0,)
        if c == 1:
            return (1,)
        return (stirling(m, c),) if m <= shape.leaves else None

    def _one(self, shape: TreeShape, m: int, c: int) -> int:
        """Return the bound for a shape, given the tables of its subtrees."""
        if known := self._known(shape, m, c):
            return known[0]
        ways: Callable[[TreeShape, int, int], int]
        ways = self._sum if self.form == "tight" else self._product
        total = ways(shape, m, c)
        # Both addends of (7) are symmetric in k and m - k here, and the middle one is even.
        if shape.left == shape.right:
            total //= 2
        return min(total, stirling(m, c))

    def _sum(self, shape: TreeShape, m: int, c: int) -> int:
        assert shape.left is not None
        assert shape.right is not None
        if m not in self._divisions:
            self._divisions[m] = divisions(self.n_features, m)
        first, end = shape.left.leaves, m - shape.right.leaves + 1
        most = self._divisions[m][first:end]
        total = 0
        for a, b, n_unions in united(shape, c):
            left = self._columns[shape.left.code, a][first:end]
            right = self._columns[shape.right.code, b][m - end + 1 : m - first + 1][::-1]
            total += n_unions * sum(d * p * q for d, p, q in zip(most, left, right, strict=True))
        return total

    def _product(self, shape: TreeShape, m: int, c: int) -> int:
        assert shape.left is not None
        assert shape.right is not None
        left = (shape.left.code, m - shape.right.leaves)
        right = (shape.right.code, m - shape.left.leaves)
        terms = m - shape.leaves + (self.form == "loose")
        addends = (
            n * self._loose[*left, a] * self._loose[*right, b] for a, b, n in united(shape, c)
        )
        return 2 * self.n_features * terms * sum(addends)


def checked_form(form: str) -> Form:
    """Return the name of a form, refusing others."""
    if form not in get_args(Form):
        raise ValueError(f"form must be one of {', '.join(get_args(Form))}, found {form!r}.")
    return cast(Form, form)


def checked(shape: TreeShape, n_examples: int, n_parts: int) -> tuple[int, int]:
    """Return the two numbers, refusing what is no shape or no such number."""
    if not isinstance(shape, TreeShape):
        raise TypeError(f"shape must be a TreeShape, found {shape!r}; shape_of(tree) makes one.")
    return whole("n_examples", n_examples, 1), whole("n_parts", n_parts, 1)


def partitioning_function_bound(
    shape: TreeShape, *, n_features: int, n_examples: int, n_parts: int, form: Form = "tight"
) -> int:
    """Return a bound on the number of ways in which trees divide examples into parts.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features, n_examples, n_parts : int
        At least 1 each.
    form : {"tight", "loose", "paper"}
        See `PartitioningBounds`.
    """
    return PartitioningBounds(n_features, form).bound(shape, n_examples, n_parts)


def stump_partitioning_function_bound(n_features: int, n_examples: int) -> int:
    """Return the bound of Theorem 7 on the number of ways in which stumps divide examples in two.

    Parameters
    ----------
    n_features, n_examples : int
        At least 1 each.
    """
    whole("n_features", n_features, 1)
    return sum(divisions(n_features, whole("n_examples", n_examples, 1))[1:-1]) // 2


def trivial_stump_bound(n_features: int, n_examples: int) -> int:
    """Return the bound that was used before: each feature divides in at most m - 1 ways.

    Parameters
    ----------
    n_features, n_examples : int
        At least 1 each.
    """
    return whole("n_features", n_features, 1) * (whole("n_examples", n_examples, 1) - 1)
