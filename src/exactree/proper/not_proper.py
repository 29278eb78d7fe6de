"""Trees that are not proper: other constraints in place of axiom 4 (section 6).

Spaces such as `Space(splits_bf, divide)` work with the same generators and programmes as the space
of proper trees.

Departures
  1. The empty list of rules has one tree, a leaf; in the paper it has none.
  2. Two empty lists are a partition of the empty list; the paper leaves this case out.
"""

from itertools import product
from typing import TypeVar

from exactree.proper.space import Root

R = TypeVar("R")


def splits_bf(rs: tuple[R, ...]) -> list[Root[R]]:
    """Return all assignments of the other rules to the two sides of a root: binary features.

    There is no constraint, as a rule on a feature can be on both sides of any other rule. There are
    K! · Catalan(K) trees of K rules (Lemma 6.2).

    Parameters
    ----------
    rs : tuple
        The rules of a tree.
    """
    roots = []
    for root, others in _without_each(rs):
        for sides in product((True, False), repeat=len(others)):
            left = tuple(r for r, side in zip(others, sides, strict=True) if side)
            right = tuple(r for r, side in zip(others, sides, strict=True) if not side)
            roots.append((left, root, right))
    return roots


def splits_lists(rs: tuple[R, ...]) -> list[Root[R]]:
    """Return all cuts of the list of the other rules in two: the list-partition model.

    It is the second model of section 6.2.

    Parameters
    ----------
    rs : tuple
        The rules of a tree.
    """
    return [
        (others[:i], root, others[i:]) for root, others in _without_each(rs) for i in range(len(rs))
    ]


def splits_catalan(rs: tuple[R, ...]) -> list[Root[R]]:
    """Return the splits that keep rules in their order, for search trees and bracketings.

    Rules before the root go left, rules after it go right: the first model of section 6.2. There
    are Catalan(K) trees of K rules.

    Parameters
    ----------
    rs : tuple
        The rules of a tree.
    """
    return [(rs[:i], root, rs[i + 1 :]) for i, root in enumerate(rs)]


def _without_each(rs: tuple[R, ...]) -> list[tuple[R, tuple[R, ...]]]:
    return [(root, rs[:i] + rs[i + 1 :]) for i, root in enumerate(rs)]
