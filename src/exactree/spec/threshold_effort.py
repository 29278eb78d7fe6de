"""How far threshold search and support sets would have to go, reported before any time is spent."""

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

# A step is one example looked at, about 0.4 microseconds: this is about three quarters of a minute.
MAX_STEPS = 100_000_000
# A call on few examples takes as long as one on this many.
FEWEST = 10
# Listing the minimal support sets, which only prepares the estimate, may take this share of it.
SETS_SHARE = 20


def search_steps(E: Examples, s: int, features: Sequence[int], R: Mapping[int, int]) -> int:
    """Return how many steps Algorithms 1 and 2 of source 000 take at most for size s.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    s : int
        Nodes allowed.
    features : sequence of int
        The features that may be used.
    R : mapping of int to int
        Leaves allowed of a class.
    """
    d = len(features)
    probes = sum(len(domain(E, f)).bit_length() for f in features)

    @cache
    def calls(s: int, most: tuple[int, ...]) -> int:
        """Return the calls of Algorithm 1 for s nodes and `most` leaves of each limited class."""
        total = 1
        for j in range(s):
            for left in product(*(range(min(limit, j + 1) + 1) for limit in most)):
                right = tuple(map(sub, most, left))
                # The left child is searched by every probe and once more, the right child once.
                total += (probes + d) * calls(j, left) + d * calls(s - 1 - j, right)
                if total > MAX_STEPS:
                    return total
        return total

    return calls(s, tuple(R.values())) * max(len(E), FEWEST)


def sets_steps(E: Examples, s: int, minimize: str) -> int:
    """Estimate how many steps Algorithms 3 and 4 of source 002 take for size (depth) s.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    s : int
        Nodes allowed, in all or on a path.
    minimize : str
        "size" or "depth".
    """
    numbers = [len(domain(E, f)) for f in range(len(E[0].row))]
    d = sum(number > 1 for number in numbers)
    nodes = s if minimize == "size" else min((1 << s) - 1, len(set(E)) - 1)
    most = min(nodes, d)
    if d**most * len(E) > MAX_STEPS // SETS_SHARE:
        return SETS_SHARE * len(E) * int(d**most)
    # From a minimal support set a larger set is met at most once in each order of what is added.
    smallest = [len(S) for S in minimal_support_sets(E, most)]
    met = [sum(perm(d - b, k - b) for b in smallest if b <= k) for k in range(most + 1)]
    pairs = sum(
        number * met[k] * onto(nodes, k)
        for nodes, number in enumerate(shapes(nodes, s))
        for k in range(min(nodes, d) + 1)
    )
    # Most pairs fail after a few probes: measured, up to four times the probes of a single node.
    return 4 * pairs * (max(numbers).bit_length() + 2) * max(len(E), FEWEST)


def shapes(s: int, d: int) -> list[int]:
    """Return how many shapes there are with 0, 1, ... s nodes and depth at most d."""
    numbers = [1] + [0] * s
    for _ in range(min(s, d)):
        numbers = [1] + [
            sum(numbers[left] * numbers[nodes - 1 - left] for left in range(nodes))
            for nodes in range(1, s + 1)
        ]
    return numbers


def onto(nodes: int, k: int) -> int:
    """Return the number of ways to give each node one of k features so that all are used."""
    return sum((-1) ** i * comb(k, i) * (k - i) ** nodes for i in range(k + 1))


def refuse_large_search(
    E: Examples, most: int, features: Sequence[int], R: Mapping[int, int]
) -> None:
    """Refuse a threshold search that would take more than `MAX_STEPS`.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    most : int
        The size up to which it may have to search.
    features : sequence of int
        The features that may be used.
    R : mapping of int to int
        Leaves allowed of a class.

    Raises
    ------
    MethodRefused
        Naming the limit that would be accepted, and a better method.
    """
    _refuse("Threshold search", "size", most, lambda s: search_steps(E, s, features, R))


def refuse_large_sets(E: Examples, most: int, minimize: str) -> None:
    """Refuse a search by support sets that would take more than `MAX_STEPS`.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    most : int
        The size (depth) up to which it may have to search.
    minimize : str
        "size" or "depth".

    Raises
    ------
    MethodRefused
        Naming the limit that would be accepted, and a better method.
    """
    method = "The search by support sets"
    _refuse(method, minimize, most, lambda s: sets_steps(E, s, minimize))


def _refuse(method: str, minimize: str, most: int, steps: Callable[[int], int]) -> None:
    for s in range(most + 1):
        if steps(s) > MAX_STEPS:
            raise MethodRefused(
                f"{method} may have to look for trees of {minimize} {s} or more here, in more "
                f"than {MAX_STEPS:,} steps; state max_{minimize}={s - 1} or less, give it fewer "
                "rows or features, or use method='branch-and-bound' with "
                "implementation='native'."
            )
