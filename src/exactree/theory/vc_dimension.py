"""VC dimension: exact for stumps, lower and upper bounds for any tree shape.

Source       Leboeuf, LeBlanc, Marchand, Decision trees as partitioning machines, NeurIPS 2020.
Theorem      Corollary 8, Algorithm 2, Corollary 10; the lower bound is Yıldız's recursion on the
             exact values of stumps; one-sided thresholds are Gey's, binary features Yıldız's.
Time         Algorithm 2: O(N d³) products of integers for N nodes and a dimension of d.
Symbols      l n_features, m examples, N nodes, W Lambert's function.
The idea     Trees shatter m examples exactly if they divide them into two parts in all
             2^(m-1) - 1 ways. A bound below that number at some m is a bound on the dimension.
Departures
  1. Algorithm 2 goes on while the bound equals 2^(m-1) - 1; it cannot exceed it.
  2. Corollary 10 is the inequality (14 m l)^N >= 2^(m-1) - 1; its closed form by Lambert's W
     holds with 56 in place of 14.
"""

from math import comb, log

from exactree.theory.counts import MOST, whole
from exactree.theory.features import Features, features_given
from exactree.theory.partitions import PartitioningBounds, checked
from exactree.theory.shape import TreeShape


def stump_vc_dimension(n_features: int) -> int:
    """Return the VC dimension of stumps, exactly (Corollary 8).

    Parameters
    ----------
    n_features : int
        The number of features of numbers, at least 1.
    """
    return _largest_middle(2 * whole("n_features", n_features, 1, MOST))


def one_sided_vc_dimension(n_features: int) -> int:
    """Return the VC dimension of thresholds whose left side always has the same class, exactly.

    Parameters
    ----------
    n_features : int
        The number of features of numbers, at least 1.
    """
    return _largest_middle(whole("n_features", n_features, 1, MOST))


def binary_stump_vc_dimension(n_features: int) -> int:
    """Return the VC dimension of stumps on features of two values, exactly.

    Parameters
    ----------
    n_features : int
        The number of features of two values, at least 1.
    """
    return (whole("n_features", n_features, 1, MOST) + 1).bit_length()


def _largest_middle(most: int) -> int:
    """Return the largest d whose middle binomial coefficient is at most a number."""
    d = 1
    while comb(d + 1, (d + 1) // 2) <= most:
        d += 1
    return d


def vc_dimension_upper_bound(shape: TreeShape, n_features: int | Features) -> int:
    """Return a number of examples that trees of a shape may shatter, and no more (Algorithm 2).

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of features of numbers, at least 1, or a description of other features.
    """
    # As many examples as the lower bound says are shattered, so no bound is below that.
    m = max(vc_dimension_lower_bound(shape, n_features), shape.leaves) + 1
    if shape.children is None:
        return 1
    tables = PartitioningBounds(n_features)
    while tables.bound(shape, m, 2) == 2 ** (m - 1) - 1:
        m += 1
    return tables.features.most_distinct(m - 1)


def vc_dimension_lower_bound(shape: TreeShape, n_features: int | Features) -> int:
    """Return a number of examples that trees of a shape can shatter.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int or Features
        The number of features of numbers, at least 1, or a description of other features: of
        features with categories it is used only that they can have two, and of given rules
        nothing.
    """
    checked(shape, 1, 1)
    features = features_given(n_features)
    if shape.children is None:
        return 1
    two_valued = features.count
    two_valued -= (features.ordinal + features.nominal).count(1)
    least = binary_stump_vc_dimension(two_valued) if two_valued else 1
    # Weighted sums of G terms shatter G + 1 examples, which can be moved anywhere together.
    stumps = [terms + 1 for terms in features.surfaces]
    stumps += [stump_vc_dimension(features.numeric)] if features.numeric else []
    return max(least, _shattered(shape, max(stumps))) if stumps else least


def _shattered(shape: TreeShape, stump: int) -> int:
    """Return how many examples are shattered, one subtree after another, given those of stumps."""
    total, ahead = 0, [shape]
    while ahead:
        top = ahead.pop()
        if top.leaves <= 2:
            total += 1 if top.children is None else stump
        else:
            ahead += top.children or ()
    return total


def vc_dimension_bound_by_size(shape: TreeShape, n_features: int) -> int:
    """Return the bound of Corollary 10, which knows only the size of a shape.

    Parameters
    ----------
    shape : TreeShape
        The shape of the trees.
    n_features : int
        The number of features of numbers, at least 1.
    """
    n_features = whole("n_features", n_features, 1, MOST)
    # The inequality holds for m = 1 and, once broken, stays so.
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
        The number of features of numbers, at least 1.
    """
    checked(shape, 1, 1)
    n_features = whole("n_features", n_features, 1, MOST)
    if shape.size == 0:
        return 1.0
    # x = -W is the larger root of x - ln x = constant. Newton's steps on that convex function
    # come down to it from the right, so that the bound holds whenever they end.
    constant = log(56 * shape.size * n_features / log(2))
    x, before = 2 * constant, float("inf")
    while x < before:
        x, before = (constant - 1 + log(x)) * x / (x - 1), x
    return before * shape.size / log(2)
