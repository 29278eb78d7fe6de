"""VC dimension: exact for stumps, lower and upper bounds for any tree shape.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Corollary 8, Algorithm 2, Corollary 10; the lower bound is Yıldız's recursion on the
             exact values of stumps. The dimension for one-sided thresholds is due to Gey, that for
             binary features to Yıldız.
Time         Algorithm 2: O(N d³) products of integers for N nodes and a dimension of d.
Symbols      l n_features, m examples, N nodes, W Lambert's function.
The idea     Trees shatter m examples exactly if they divide them into two parts in all
             2^(m-1) - 1 ways. If a bound on the number of ways is smaller for some m, the dimension
             is below m.
Departures
  1. Algorithm 2 goes on while the bound equals 2^(m-1) - 1; it cannot exceed it.
  2. Corollary 10 is the inequality (14 m l)^N >= 2^(m-1) - 1; its closed form by Lambert's W holds
     with 56 in place of 14.
"""

from math import comb, log

from exactree.data.parameters import MAX_COUNT, checked_integer
from exactree.theory.features import Features, as_features
from exactree.theory.partitions import PartitioningBounds, checked_arguments
from exactree.theory.shape import TreeShape


def stump_vc_dimension(n_features: int) -> int:
    """Return the exact VC dimension of stumps (Corollary 8).

    Parameters
    ----------
    n_features : int
        The number of numeric features, at least 1.
    """
    return _largest_middle(2 * checked_integer("n_features", n_features, 1, MAX_COUNT))


def one_sided_vc_dimension(n_features: int) -> int:
    """Return the exact VC dimension of thresholds whose left child always has the same class.

    Parameters
    ----------
    n_features : int
        The number of numeric features, at least 1.
    """
    return _largest_middle(checked_integer("n_features", n_features, 1, MAX_COUNT))


def binary_stump_vc_dimension(n_features: int) -> int:
    """Return the exact VC dimension of stumps on features of two values.

    Parameters
    ----------
    n_features : int
        The number of features of two values, at least 1.
    """
    return (checked_integer("n_features", n_features, 1, MAX_COUNT) + 1).bit_length()


def _largest_middle(maximum: int) -> int:
    """Return the largest d whose middle binomial coefficient is at most `maximum`."""
    d = 1
    while comb(d + 1, (d + 1) // 2) <= maximum:
        d += 1
    return d


def vc_dimension_upper_bound(shape: TreeShape, n_features: int | Features) -> int:
    """Return an upper bound on the VC dimension of trees of a shape (Algorithm 2).

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features.
    """
    # Smaller m need not be tried: the result is at least the lower bound, and a tree of L leaves
    # can hold each of L examples in a leaf of its own.
    m = max(vc_dimension_lower_bound(shape, n_features), shape.leaves) + 1
    if shape.children is None:
        return 1
    tables = PartitioningBounds(n_features)
    while tables.bound(shape, m, 2) == 2 ** (m - 1) - 1:
        m += 1
    return tables.features.max_distinct(m - 1)


def vc_dimension_lower_bound(shape: TreeShape, n_features: int | Features) -> int:
    """Return a lower bound on the VC dimension of trees of a shape.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of numeric features, at least 1, or a description of other features: of features
        with categories only two are used, and given rules are ignored.
    """
    checked_arguments(shape, 1, 1)
    features = as_features(n_features)
    if shape.children is None:
        return 1
    # Two categories of a feature make it a feature of two values; one category is a constant.
    two_valued = features.count - (features.ordinal + features.nominal).count(1)
    lower = binary_stump_vc_dimension(two_valued) if two_valued else 1
    # Weighted sums of G terms shatter G + 1 examples, in any region of space.
    stumps = [terms + 1 for terms in features.surfaces]
    stumps += [stump_vc_dimension(features.numeric)] if features.numeric else []
    return max(lower, _shattered(shape, max(stumps))) if stumps else lower


def _shattered(shape: TreeShape, stump: int) -> int:
    """Return the sum of the VC dimensions of a shape's disjoint stumps and leaves.

    A shape shatters this number of examples, because each of these subtrees can have a region of
    its own.

    Parameters
    ----------
    shape : TreeShape
        The shape.
    stump : int
        The VC dimension of a stump, or a lower bound on it.
    """
    total, stack = 0, [shape]
    while stack:
        top = stack.pop()
        if top.leaves <= 2:
            total += 1 if top.children is None else stump
        else:
            stack += top.children or ()
    return total


def vc_dimension_bound_by_size(shape: TreeShape, n_features: int) -> int:
    """Return the bound of Corollary 10, which depends only on the size of a shape.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int
        The number of numeric features, at least 1.
    """
    n_features = checked_integer("n_features", n_features, 1, MAX_COUNT)
    # The inequality holds for m = 1, and if it fails for m, it fails for all larger m.
    low, high = 1, int(vc_dimension_bound_by_lambert(shape, n_features)) + 1
    while high - low > 1:
        m = (low + high) // 2
        if (14 * m * n_features) ** shape.size >= 2 ** (m - 1) - 1:
            low = m
        else:
            high = m
    return low


def vc_dimension_bound_by_lambert(shape: TreeShape, n_features: int) -> float:
    """Return the closed form of Corollary 10: -N/ln 2 W(-ln 2 / (56 N l)), on W's lower branch.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int
        The number of numeric features, at least 1.
    """
    checked_arguments(shape, 1, 1)
    n_features = checked_integer("n_features", n_features, 1, MAX_COUNT)
    if shape.size == 0:
        return 1.0
    # x = -W is the larger root of x - ln x = constant. Newton's method on this convex function
    # converges from the right, so the bound is valid whenever it stops.
    constant = log(56 * shape.size * n_features / log(2))
    x, before = 2 * constant, float("inf")
    while x < before:
        x, before = (constant - 1 + log(x)) * x / (x - 1), x
    return before * shape.size / log(2)
