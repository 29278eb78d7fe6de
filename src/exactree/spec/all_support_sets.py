"""A tree of minimum size or depth by trying all sets of features (002, Theorem 7).

Source      002: notes on Ordyniak & Szeider, AAAI 2021.
Theorem     Theorem 7.
Time        O(d^s) times the time of Theorem 4, for d features and at most s nodes: the degree of
            the polynomial depends on s.
Symbols     E examples, S set of features, s nodes allowed (for depth: on a path), B the best tree
            so far, T a tree.
The idea    A tree of size s uses at most s features. For every set of at most s features Theorem 4
            finds a best tree that uses exactly this set.
Departures  1. For depth, sets of up to 2^s - 1 features are tried, as a tree of depth s may use
               them.
            2. Only support sets are searched; other sets have no tree (Observation 1).
            3. Once a tree is known, only better trees are searched for.
"""

from itertools import combinations

from exactree.spec.examples import Examples
from exactree.spec.minimal_support_sets import is_support_set
from exactree.spec.support_sets import MEASURES, best_with, max_features
from exactree.spec.table import SpecTree

__all__ = ["min_dt_of_all_sets"]


def min_dt_of_all_sets(E: Examples, s: int, minimize: str = "size") -> SpecTree | None:
    """Return a best tree of size (depth) at most s, None if there is none (Theorem 7).

    Parameters
    ----------
    E : tuple of Example
        At least one example.
    s : int
        Maximum number of nodes, in total or on a path.
    minimize : str
        "size" or "depth".
    """
    B: SpecTree | None = None
    d = len(E[0].row)
    for k in range(min(max_features(s, minimize), d) + 1):
        for S in map(frozenset, combinations(range(d), k)):
            if is_support_set(E, S):
                limit = s if B is None else MEASURES[minimize](B) - 1
                T = best_with(E, S, limit, minimize)
                B = B if T is None else T
    return B
