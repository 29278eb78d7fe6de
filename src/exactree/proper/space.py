"""Search spaces: the possible roots of a set of rules, and the division of data by a rule."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeAlias, TypeVar

from exactree.proper.ancestry import Ancestry, ancestry
from exactree.proper.rule import ProperRule, divide, relation

R = TypeVar("R")
D = TypeVar("D")
P = TypeVar("P", bound=ProperRule[Any])

# A root between the rules of its left and of its right subtree.
Root: TypeAlias = tuple[tuple[R, ...], R, tuple[R, ...]]


@dataclass(frozen=True)
class Space(Generic[R, D]):
    """A search space: what generators and dynamic programmes need to know of rules and data.

    Attributes
    ----------
    splits : callable
        Lists the possible roots of a tuple of rules, each between the rules of its two subtrees. It
        is the ancestral constraint (axiom 4, or another constraint).
    divide : callable
        Returns the data on the left and on the right side of a rule (axiom 1). Like intersections,
        it must be independent of the order of several rules.
    """

    splits: Callable[[tuple[R, ...]], Iterable[Root[R]]]
    divide: Callable[[R, D], tuple[D, D]]


def splits(K: Ancestry[R], rs: tuple[R, ...]) -> list[Root[R]]:
    """Return the roots that can have all other rules below them, as in section 4.4.

    Parameters
    ----------
    K : Ancestry
        The ancestry matrix of these rules and any others.
    rs : tuple
        The rules of a tree.
    """
    indices = [K.index[rule] for rule in rs]
    bits = sum(1 << i for i in indices)
    roots = []
    for root, i in zip(rs, indices, strict=True):
        on_left, on_right = K.on_left[i] & bits, K.on_right[i] & bits
        if on_left | on_right | 1 << i == bits:
            left, right = (
                tuple(q for q, j in zip(rs, indices, strict=True) if side >> j & 1)
                for side in (on_left, on_right)
            )
            roots.append((left, root, right))
    return roots


def proper(rules: Sequence[P]) -> Space[P, tuple[Any, ...]]:
    """Return the space of the proper trees of some rules, for data that are tuples of examples.

    Parameters
    ----------
    rules : sequence of ProperRule
        Different rules. Their method `side` must accept the examples of the data and the objects
        that define the other rules.
    """
    return Space(partial(splits, ancestry(rules, relation)), divide)
