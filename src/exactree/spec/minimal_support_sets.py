"""Enumeration of all minimal support sets (002, Observation 1 and Corollary 9).

Source      002: notes on Ordyniak & Szeider, AAAI 2021.
Theorem     Corollary 9 (all minimal support sets of at most k features).
Time        O(delta_max^k n d): the search has at most delta_max branches, k levels deep.
Symbols     E examples, S support set: unlike examples differ in one of its features; delta(e, e')
            the features in which two examples differ, delta_max their maximum number for examples
            of different classes; k the maximum number of features of a support set.
The idea    If an unlike pair agrees on S, then S lacks one of the features in which the pair
            differs: try each of them.
Departures  1. Sets that are not minimal are also found, and filtered out; a set may be found in
               several orders of its features, and is listed once.
            2. Any number of classes: a pair is unlike if its labels differ.
"""

from collections.abc import Iterator
from itertools import combinations

from exactree.spec.examples import Example, Examples, values

__all__ = [
    "delta",
    "delta_max",
    "is_minimal",
    "is_support_set",
    "minimal_support_sets",
    "unlike_pairs",
]


def delta(e: Example, other: Example) -> frozenset[int]:
    """Return the features in which two examples differ."""
    pairs = zip(e.row, other.row, strict=True)
    return frozenset(f for f, (value, other_value) in enumerate(pairs) if value != other_value)


def unlike_pairs(E: Examples) -> Iterator[tuple[Example, Example]]:
    """List the pairs of examples of different classes."""
    for e, other in combinations(E, 2):
        if e.label != other.label:
            yield e, other


def delta_max(E: Examples) -> int:
    """Return the maximum number of features in which examples of different classes differ."""
    return max((len(delta(e, other)) for e, other in unlike_pairs(E)), default=0)


def is_support_set(E: Examples, S: frozenset[int]) -> bool:
    """Return whether all examples of different classes differ in a feature of S."""
    return agreeing_pair(E, S) is None


def is_minimal(E: Examples, S: frozenset[int]) -> bool:
    """Return whether no proper subset of a support set is a support set."""
    return not any(is_support_set(E, S - {f}) for f in S)


def minimal_support_sets(E: Examples, k: int) -> list[frozenset[int]]:
    """Return all minimal support sets of at most k features (Corollary 9).

    Parameters
    ----------
    E : tuple of Example
        The examples.
    k : int
        The maximum number of features of a set.

    Returns
    -------
    list of frozenset of int
        By number of features, then in order; none if examples contradict each other.
    """
    found = {S for S in support_sets(E, frozenset(), k) if is_minimal(E, S)}
    return sorted(found, key=lambda S: (len(S), sorted(S)))


def support_sets(E: Examples, S: frozenset[int], k: int) -> Iterator[frozenset[int]]:
    """List support sets that contain S and have at most k features, including all minimal sets."""
    pair = agreeing_pair(E, S)
    if pair is None:
        yield S
    elif len(S) < k:
        for f in sorted(delta(*pair)):
            yield from support_sets(E, S | {f}, k)


def agreeing_pair(E: Examples, S: frozenset[int]) -> tuple[Example, Example] | None:
    """Return two examples of different classes that agree on S, None if there are none."""
    first: dict[tuple[float, ...], Example] = {}
    for e in E:
        other = first.setdefault(values(e, S), e)
        if other.label != e.label:
            return other, e
    return None
