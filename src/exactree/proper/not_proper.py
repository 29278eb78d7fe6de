"""Trees that are not proper: other constraints in the place of axiom 4 (section 6).

`Space(splits_bf, divide)` and its like go into the same generators and programmes as the space of
proper trees does.

Departures
  1. No rules have one tree, a leaf; the text prints that they have none.
  2. Two lists of nothing are a partition of no rules; the text leaves this case out.
"""

from itertools import product
from typing import TypeVar

from exactree.proper.space import Root

R = TypeVar("R")


def splits_bf(rs: tuple[R, ...]) -> list[Root[R]]:
    """Return all ways to give the other rules to the two sides of a root: binary features.

    No constraint: a question about a feature can stand on both sides of any other. There are
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
    """Return all ways to cut the list of the other rules in two: the list-partition model.

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
    """Return the one way that keeps rules in their order: search trees, and brackets.

    What comes before the root goes left, what comes after it right: the first model of section
    6.2. There are Catalan(K) trees of K rules.

    Parameters
    ----------
    rs : tuple
        The rules of a tree.
    """
    return [(rs[:i], root, rs[i + 1 :]) for i, root in enumerate(rs)]


def _without_each(rs: tuple[R, ...]) -> list[tuple[R, tuple[R, ...]]]:
    return [(root, rs[:i] + rs[i + 1 :]) for i, root in enumerate(rs)]
