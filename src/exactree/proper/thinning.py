"""Trees that no other tree of the same rules dominates (section 4.8.2).

Departures
  1. A preorder is included: refinement. The paper has no example.
"""

from collections.abc import Callable, Iterable
from typing import TypeVar

from exactree.proper.generators import joined
from exactree.proper.space import Space
from exactree.proper.tree import DTree, Leaf, leaves

R = TypeVar("R")
D = TypeVar("D")
X = TypeVar("X")
T = TypeVar("T")


def thin(preorder: Callable[[T, T], bool], things: Iterable[T]) -> list[T]:
    """Return some of the given elements; each given element is preceded by a returned element.

    Parameters
    ----------
    preorder : callable
        Returns whether its first argument precedes, and so can replace, the second.
    things : iterable
        The given elements.
    """
    kept: list[T] = []
    for thing in things:
        if not any(preorder(other, thing) for other in kept):
            kept = [other for other in kept if not preorder(thing, other)] + [thing]
    return kept


def gen_dtts(
    space: Space[R, D],
    preorder: Callable[[DTree[R, D], DTree[R, D]], bool],
    rs: tuple[R, ...],
    xs: D,
) -> list[DTree[R, D]]:
    """Return trees that precede all trees of `gen_dts`, thinned during the construction: (26).

    Parameters
    ----------
    space : Space
        The space of trees.
    preorder : callable
        Returns whether its first tree precedes the second. It must be *monotone*: it still holds if
        both trees are on the same side of the same node with the same other subtree.
    rs : tuple
        The rules.
    xs : object
        The data of the root.
    """
    if not rs:
        return [Leaf(xs)]
    made = (
        joined(space, u, root, v)
        for left, root, right in space.splits(rs)
        for u in gen_dtts(space, preorder, left, xs)
        for v in gen_dtts(space, preorder, right, xs)
    )
    return thin(preorder, made)


def refines(first: DTree[R, tuple[X, ...]], second: DTree[R, tuple[X, ...]]) -> bool:
    """Return whether every leaf of the first tree lies within a leaf of the second.

    This is a monotone preorder on the trees of the same data. A tree that refines another never
    makes more errors, on these data or a subset of them. Two trees with the same leaves refine each
    other, so `thin` keeps one of them.

    Parameters
    ----------
    first, second : Leaf or Node
        Complete trees of the same examples, which must be hashable.
    """
    leaf_of = {x: number for number, subset in enumerate(leaves(second)) for x in subset}
    return all(len({leaf_of[x] for x in subset}) <= 1 for subset in leaves(first))
