"""Estimates of the effort of threshold search and support sets, and refusals before the work."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import product
from math import comb, perm
from operator import sub

from exactree.errors import MethodRefused
from exactree.spec.examples import Examples, domain
from exactree.spec.minimal_support_sets import minimal_support_sets

__all__ = [
    "MAX_STEPS",
    "refuse_large_search",
    "refuse_large_sets",
    "search_steps",
    "sets_steps",
]

# A step is a visit of an example, about 0.4 microseconds: this is about three quarters of a minute.
MAX_STEPS = 100_000_000
# A call with fewer examples takes as long as a call with this number of examples.
MIN_EXAMPLES = 10
# Listing the minimal support sets for the estimate may take `MAX_STEPS` divided by this number.
SETS_SHARE = 20


def search_steps(E: Examples, s: int, features: Sequence[int], R: Mapping[int, int]) -> int:
    """Return the maximum number of steps of Algorithms 1 and 2 of source 000 for size s.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    s : int
        Maximum number of nodes.
    features : sequence of int
        The features that may be used.
    R : mapping of int to int
        Maximum number of leaves of a class.
    """
    d = len(features)
    probes = sum(len(domain(E, f)).bit_length() for f in features)

    @cache
    def calls(s: int, limits: tuple[int, ...]) -> int:
        """Return the calls of Algorithm 1 for s nodes and limits on the leaves of classes."""
        total = 1
        for j in range(s):
            for left in product(*(range(min(limit, j + 1) + 1) for limit in limits)):
                right = tuple(map(sub, limits, left))
                # The left child is searched in every probe and once more, the right child once.
                total += (probes + d) * calls(j, left) + d * calls(s - 1 - j, right)
                if total > MAX_STEPS:
                    return total
        return total

    return calls(s, tuple(R.values())) * max(len(E), MIN_EXAMPLES)


def sets_steps(E: Examples, s: int, minimize: str) -> int:
    """Estimate the number of steps of Algorithms 3 and 4 of source 002 for size (depth) s.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    s : int
        Maximum number of nodes, in total or on a path.
    minimize : str
        "size" or "depth".
    """
    numbers = [len(domain(E, f)) for f in range(len(E[0].row))]
    d = sum(number > 1 for number in numbers)
    nodes = s if minimize == "size" else min((1 << s) - 1, len(set(E)) - 1)
    max_features = min(nodes, d)
    if d**max_features * len(E) > MAX_STEPS // SETS_SHARE:
        return SETS_SHARE * len(E) * int(d**max_features)
    # From a minimal support set, a larger set is visited at most once for each order of additions.
    minimal = [len(S) for S in minimal_support_sets(E, max_features)]
    visits = [sum(perm(d - b, k - b) for b in minimal if b <= k) for k in range(max_features + 1)]
    pairs = sum(
        number * visits[k] * onto(nodes, k)
        for nodes, number in enumerate(shapes(nodes, s))
        for k in range(min(nodes, d) + 1)
    )
    # Most pairs fail after a few probes, by measurement up to four times those of a single node.
    return 4 * pairs * (max(numbers).bit_length() + 2) * max(len(E), MIN_EXAMPLES)


def shapes(s: int, d: int) -> list[int]:
    """Return the numbers of shapes with 0, 1, ... s nodes and depth at most d."""
    numbers = [1] + [0] * s
    for _ in range(min(s, d)):
        numbers = [1] + [
            sum(numbers[left] * numbers[nodes - 1 - left] for left in range(nodes))
            for nodes in range(1, s + 1)
        ]
    return numbers


def onto(nodes: int, k: int) -> int:
    """Return the number of assignments of k features to nodes that use all features."""
    return sum((-1) ** i * comb(k, i) * (k - i) ** nodes for i in range(k + 1))


def refuse_large_search(
    E: Examples, high: int, features: Sequence[int], R: Mapping[int, int]
) -> None:
    """Refuse a threshold search that would take more than `MAX_STEPS`.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    high : int
        The maximum size of the search.
    features : sequence of int
        The features that may be used.
    R : mapping of int to int
        Maximum number of leaves of a class.

    Raises
    ------
    MethodRefused
        With the limit that would be accepted, and a better method.
    """
    _refuse("Threshold search", "size", high, lambda s: search_steps(E, s, features, R))


def refuse_large_sets(E: Examples, high: int, minimize: str) -> None:
    """Refuse a search by support sets that would take more than `MAX_STEPS`.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    high : int
        The maximum size (depth) of the search.
    minimize : str
        "size" or "depth".

    Raises
    ------
    MethodRefused
        With the limit that would be accepted, and a better method.
    """
    method = "The search by support sets"
    _refuse(method, minimize, high, lambda s: sets_steps(E, s, minimize))


def _refuse(method: str, minimize: str, high: int, steps: Callable[[int], int]) -> None:
    for s in range(high + 1):
        if steps(s) > MAX_STEPS:
            raise MethodRefused(
                f"{method} may have to search for trees of {minimize} {s} or more here, in more "
                f"than {MAX_STEPS:,} steps; set max_{minimize}={s - 1} or less, use fewer "
                "rows or features, or use method='branch-and-bound' with "
                "implementation='native'."
            )
