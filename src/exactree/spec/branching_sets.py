"""Useful sets and branching sets: what an optimal tree adds to a support set (002, Lemmas 11-14).

Source      002: notes on Ordyniak & Szeider, AAAI 2021.
Theorem     Lemmas 11 to 14.
Time        `is_useful` tries D_max^|R| assignments; `branching_set` takes O(n d).
Symbols     S support set, R features outside S, alpha and beta assignments of values to S and R,
            E[alpha] the examples with these values, E(S) one example of every non-empty E[alpha],
            gamma an assignment of values to all features, R0 the branching set.
The idea    R is useful for S if every beta empties some non-empty E[alpha]; otherwise the nodes
            that use R could be replaced by their child for beta (Lemma 11). A useful R contains a
            feature in which some example of E(S) differs from gamma (Lemma 12). With an example as
            gamma these are at most 2 delta_max per example (Lemma 13), so R0 is small (Lemma 14).
Departures  1. Lemma 11 for depth needs a tree with the fewest features among those of minimum
               depth, because other trees may use unnecessary features off their longest path. The
               algorithms only need that one such tree exists.
            2. Lemma 12's E(S) is "at least one example" of each E[alpha]; here the first example.
"""

from itertools import product

from exactree.spec.examples import Example, Examples, domain, values
from exactree.spec.minimal_support_sets import delta

__all__ = ["branching_set", "is_useful", "representatives"]


def representatives(E: Examples, S: frozenset[int]) -> list[Example]:
    """Return E(S): the first of all examples that agree on S, for each way to agree.

    Parameters
    ----------
    E : tuple of Example
        The examples.
    S : frozenset of int
        Features.
    """
    found: dict[tuple[float, ...], Example] = {}
    for e in E:
        found.setdefault(values(e, S), e)
    return list(found.values())


def is_useful(E: Examples, S: frozenset[int], R: frozenset[int]) -> bool:
    """Return whether every assignment of values to R empties some non-empty E[alpha].

    Parameters
    ----------
    E : tuple of Example
        The examples.
    S, R : frozenset of int
        A support set, and features outside it.
    """
    agreeing = {values(e, S) for e in E}
    for beta in product(*(domain(E, f) for f in sorted(R))):
        left = {values(e, S) for e in E if values(e, R) == beta}
        if left == agreeing:
            return False
    return True


def branching_set(E: Examples, S: frozenset[int]) -> frozenset[int]:
    """Return R0: every useful set for S contains one of its features (Lemma 14).

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    S : frozenset of int
        A support set.
    """
    gamma = E[0]
    return frozenset[int]().union(*(delta(e, gamma) for e in representatives(E, S))) - S
