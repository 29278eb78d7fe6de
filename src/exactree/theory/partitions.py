"""Upper bounds on the partitioning functions of a tree shape, as exact integers.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Theorem 7 (stumps), Theorem 9 with Algorithm 1 (any shape).
Time         Tight O(N m² c²) products of integers for N nodes, loose O(N c²).
Symbols      l n_features, m n_examples, c n_parts, T shape, L_T its leaves; pi_T^c(m) is the
             largest number of ways in which trees of shape T divide m examples into c parts.
The idea     The root sends k examples left in at most min{2l, C(m, k)} ways. Its subtrees
             divide their examples into a and b parts, and pairs of these are united until c
             remain. Tables of small shapes and few examples give those of larger shapes.
Departures
  1. The number of ways to divide m examples into c parts is the Stirling number of the second kind;
     the copy we read prints the binomial of m and c with c below m,
     where the braces were almost certainly lost.
  2. The loose form has m - L + 1 terms; the m - L of the paper ("paper") is below the true value.
  3. Features with categories, which the paper leaves to later work, surfaces and given rules. They
     cannot send every number of examples left, so trees with unreached leaves also count.
"""

from collections.abc import Callable
from itertools import product
from math import comb, factorial
from typing import Literal, cast, get_args

from exactree.data.parameters import MAX_COUNT, checked_integer
from exactree.theory.divisions import Divisions, divisions
from exactree.theory.features import Features, as_features
from exactree.theory.shape import TreeShape

Form = Literal["tight", "loose", "paper"]

# Maximum numbers of examples for exact integers, and for tables with an entry for each number of
# examples; tables of logarithms (`log_partitions.py`) allow ten times as many.
MAX_EXACT, MAX_TABLED = 1_000_000, 10_000


def stirling(n_examples: int, n_parts: int) -> int:
    """Return the number of ways to divide examples into non-empty parts."""
    total = 0
    for j in range(n_parts):
        addend = comb(n_parts, j) * pow(n_parts - j, n_examples)
        total += -addend if j % 2 else addend
    return total // factorial(n_parts)


def unions(a: int, b: int, c: int) -> int:
    """Return |Q^c|, the number of c-partitions that unite parts of an a- and a b-partition."""
    if max(a, b) > c or a + b < c:
        return 0
    return comb(a, c - b) * comb(b, c - a) * factorial(a + b - c)


def part_pairs(shape: TreeShape, n_parts: int) -> list[tuple[int, int, int]]:
    """Return all (a, b) of a node's subtrees that can yield c parts, with the number of unions."""
    assert shape.left is not None
    assert shape.right is not None
    max_left, max_right = (min(n_parts, child.leaves) for child in (shape.left, shape.right))
    pairs = product(range(1, max_left + 1), range(1, max_right + 1))
    return [(a, b, unions(a, b, n_parts)) for a, b in pairs if a + b >= n_parts]


class PartitioningBounds:
    """Bounds on the partitioning functions of many shapes, with shared tables.

    Parameters
    ----------
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    form : {"tight", "loose", "paper"}
        Theorem 9 itself; Theorem 9 with the sum replaced by the number of terms times the largest
        term, which is much faster; the same with one term too few, as printed in the paper, which
        is not a bound and is for numeric features only.
    """

    def __init__(self, n_features: int | Features, form: Form = "tight") -> None:
        self.features = as_features(n_features)
        self.form = checked_form(form, self.features)
        # by code of a shape and number of parts; entry m is for m examples, entry 0 unused
        self._columns: dict[tuple[str, int], list[int]] = {}
        self._loose: dict[tuple[str, int, int], int] = {}
        self._divisions: dict[int, Divisions] = {}

    def bound(self, shape: TreeShape, n_examples: int, n_parts: int) -> int:
        """Return the bound on the number of ways to divide examples into parts.

        Parameters
        ----------
        shape : TreeShape
            The shape of the trees.
        n_examples, n_parts : int
            At least 1 each.
        """
        max_examples = MAX_TABLED if self.form == "tight" else MAX_EXACT
        m, c = checked_arguments(shape, n_examples, n_parts, max_examples)
        m = self.features.max_distinct(m)  # equal examples are in one part
        if (simple := self._simple_case(shape, m, c)) is not None:
            return simple
        for lower in shape.proper_subtrees():
            max_below = max_examples_below(self.features, shape, lower, m)
            for parts in range(1, min(c, lower.leaves) + 1):
                if self.form == "tight":
                    self._fill(lower, max_below, parts)
                else:
                    bound = self._bound(lower, max_below, parts)
                    self._loose[lower.code, max_below, parts] = bound
        return self._bound(shape, m, c)

    def _fill(self, shape: TreeShape, max_examples: int, parts: int) -> None:
        column = self._columns.setdefault((shape.code, parts), [0])
        for m in range(len(column), max_examples + 1):
            column.append(self._bound(shape, m, parts))

    def _simple_case(self, shape: TreeShape, m: int, c: int) -> int | None:
        """Return the bound in the first cases of Algorithm 1, which need no tables, else None."""
        if c > min(m, shape.leaves):
            return 0
        if c == 1:
            return 1
        return stirling(m, c) if m <= shape.leaves else None

    def _bound(self, shape: TreeShape, m: int, c: int) -> int:
        """Return the bound for a shape, given the tables of its subtrees."""
        if (simple := self._simple_case(shape, m, c)) is not None:
            return simple
        ways: Callable[[TreeShape, int, int], int]
        ways = self._sum if self.form == "tight" else self._product
        total = ways(shape, m, c)
        # With subtrees of equal shape, each partition was counted for both sides of a rule.
        if shape.left == shape.right:
            total //= 2
        return min(total, stirling(m, c))

    def _sum(self, shape: TreeShape, m: int, c: int) -> int:
        """Return the sum of Theorem 9, for the tight form."""
        assert shape.left is not None
        assert shape.right is not None
        if m not in self._divisions:
            self._divisions[m] = divisions(self.features, m)
        sizes = left_sizes(self.features, shape, m)
        ways = [0] * (m - 1)
        for a, b, n_unions in part_pairs(shape, c):
            left = self._columns[shape.left.code, a]
            right = self._columns[shape.right.code, b]
            for k in sizes:
                ways[k - 1] += n_unions * left[k] * right[m - k]
        total = self._divisions[m].max_partitions(ways)
        if not self.features.only_numeric:
            total += sum(self._alone(child, m, c) for child in (shape.left, shape.right))
        return total

    def _alone(self, child: TreeShape, m: int, c: int) -> int:
        """Return the bound for a subtree that receives all examples, from the tables."""
        if c > child.leaves:
            return 0
        tight = self.form == "tight"
        return self._columns[child.code, c][m] if tight else self._loose[child.code, m, c]

    def _product(self, shape: TreeShape, m: int, c: int) -> int:
        """Return the number of left subsets times the most partitions of one, for other forms."""
        assert shape.left is not None
        assert shape.right is not None
        left = (shape.left.code, max_examples_below(self.features, shape, shape.left, m))
        right = (shape.right.code, max_examples_below(self.features, shape, shape.right, m))
        addends = (
            n * self._loose[*left, a] * self._loose[*right, b] for a, b, n in part_pairs(shape, c)
        )
        if not self.features.only_numeric:
            alone = sum(self._alone(child, m, c) for child in (shape.left, shape.right))
            return all_sides(self.features, m) * sum(addends) + alone
        terms = m - shape.leaves + (self.form == "loose")
        return 2 * self.features.numeric * terms * sum(addends)


def left_sizes(features: Features, shape: TreeShape, m: int) -> range:
    """Return the possible numbers of examples in the left subtree of the root."""
    assert shape.left is not None
    assert shape.right is not None
    if features.only_numeric:  # then each partition has a tree in which it reaches all leaves
        return range(shape.left.leaves, m - shape.right.leaves + 1)
    return range(1, m)


def max_examples_below(features: Features, shape: TreeShape, lower: TreeShape, m: int) -> int:
    """Return the maximum number of examples, of m, in a subtree."""
    return m - (shape.leaves - lower.leaves) if features.only_numeric else m


def all_sides(features: Features, m: int) -> int:
    """Return the maximum number of sets of examples that are a side of a rule."""
    return sum(group.sides(m) for group in features.groups())


def checked_form(form: str, features: Features) -> Form:
    """Return the name of a form, refusing others."""
    if form not in get_args(Form):
        raise ValueError(f"form must be one of {', '.join(get_args(Form))}, found {form!r}.")
    if form == "paper" and not features.only_numeric:
        raise ValueError("form='paper' is for numeric features only, found other rules.")
    return cast(Form, form)


def checked_arguments(
    shape: TreeShape, n_examples: int, n_parts: int, maximum: int = 2 * MAX_COUNT
) -> tuple[int, int]:
    """Return the two numbers, after checking them and the shape."""
    if not isinstance(shape, TreeShape):
        raise TypeError(f"shape must be a TreeShape, found {shape!r}; shape_of(tree) makes one.")
    examples = checked_integer("n_examples", n_examples, 1, maximum)
    return examples, checked_integer("n_parts", n_parts, 1, maximum)


def partitioning_function_bound(
    shape: TreeShape,
    *,
    n_features: int | Features,
    n_examples: int,
    n_parts: int,
    form: Form = "tight",
) -> int:
    """Return a bound on the number of ways in which trees divide examples into parts.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples, n_parts : int
        At least 1 each; at most 10,000 in the tight form and 1,000,000 in the other forms.
    form : {"tight", "loose", "paper"}
        See `PartitioningBounds`.
    """
    return PartitioningBounds(n_features, form).bound(shape, n_examples, n_parts)


def stump_partitioning_function_bound(n_features: int | Features, n_examples: int) -> int:
    """Return the bound of Theorem 7 on the number of ways in which stumps divide examples in two.

    Parameters
    ----------
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples : int
        At least 1.
    """
    features = as_features(n_features)
    m = features.max_distinct(checked_integer("n_examples", n_examples, 1, MAX_EXACT))
    return divisions(features, m).max_partitions([1] * (m - 1)) // 2


def trivial_stump_bound(n_features: int | Features, n_examples: int) -> int:
    """Return the earlier trivial bound: the number of rules that split, m - 1 per numeric feature.

    Parameters
    ----------
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    n_examples : int
        At least 1.
    """
    features = as_features(n_features)
    return all_sides(features, checked_integer("n_examples", n_examples, 1, MAX_EXACT)) // 2
