"""Downward accumulation: the data of each leaf from its path (section 4.5, axiom 2)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeAlias, TypeVar

from exactree.proper.space import Space
from exactree.proper.tree import BTree, DTree, Leaf, Node, map_d

A = TypeVar("A")
B = TypeVar("B")
D = TypeVar("D")
R = TypeVar("R")


@dataclass(frozen=True)
class Single(Generic[A]):
    """A path with a single element: S in the paper.

    Attributes
    ----------
    thing : object
        The element.
    """

    thing: A


@dataclass(frozen=True)
class Turn(Generic[A]):
    """A path that turns left or right after its first part.

    Attributes
    ----------
    first, then : Single or Turn
        The first part, and the part after the turn.
    left : bool
        Whether the turn is to the left.
    """

    first: Path[A]
    left: bool
    then: Path[A]


Path: TypeAlias = Single[A] | Turn[A]
_Filter: TypeAlias = Callable[[D], D]


def paths(f: Callable[[R], A], g: Callable[[R], A], tree: DTree[R, A]) -> DTree[R, Path[A]]:
    """Return the tree with the path to each leaf in the leaf (Definition 4.6).

    Parameters
    ----------
    f, g : callable
        Returns the element that a rule adds to a path that turns left (f) or right (g).
    tree : Leaf or Node
        Any tree.
    """
    if isinstance(tree, Leaf):
        return Leaf(Single(tree.data))
    above = Single(f(tree.rule)), Single(g(tree.rule))
    return Node(
        map_d(lambda path: Turn(above[0], True, path), paths(f, g, tree.left)),
        tree.rule,
        map_d(lambda path: Turn(above[1], False, path), paths(f, g, tree.right)),
    )


def path_red(
    h: Callable[[A], B], plus: Callable[[A, B], B], times: Callable[[A, B], B], path: Path[A]
) -> B:
    """Return a path reduced to one value (Definition 4.7).

    Parameters
    ----------
    h : callable
        Returns the value of a path with a single element.
    plus, times : callable
        Returns the value of a path from its first element and the value of the rest after a left
        turn (plus) or a right turn (times).
    path : Single or Turn
        Any path.
    """
    if isinstance(path, Single):
        return h(path.thing)
    rest = path_red(h, plus, times, path.then)
    step = plus if path.left else times
    return path_red(lambda thing: step(thing, rest), plus, times, path.first)


def dacc(
    h: Callable[[A], B],
    f: Callable[[R], A],
    g: Callable[[R], A],
    plus: Callable[[A, B], B],
    times: Callable[[A, B], B],
    tree: DTree[R, A],
) -> DTree[R, B]:
    """Return the tree with each leaf's path reduced: downward accumulation, equation (16).

    Parameters
    ----------
    h, f, g, plus, times : callable
        As for `paths` and `path_red`.
    tree : Leaf or Node
        Any tree.
    """
    return map_d(lambda path: path_red(h, plus, times, path), paths(f, g, tree))


def complete(space: Space[R, D], tree: BTree[R], xs: D) -> DTree[R, D]:
    """Return a partial tree completed with the data of its leaves (Definition 4.9).

    The elements of a path are functions from data to the data on one side of a rule. They are
    applied from the last node of the path to the root; by the law of `Space.divide` the order does
    not matter.

    Parameters
    ----------
    space : Space
        The space, which divides data by rules.
    tree : Leaf or Node
        A tree of `gen_bts`.
    xs : object
        The data of the root.
    """

    def left(rule: R) -> _Filter[D]:
        return lambda data: space.divide(rule, data)[0]

    def right(rule: R) -> _Filter[D]:
        return lambda data: space.divide(rule, data)[1]

    def unfiltered(_: None) -> _Filter[D]:
        return lambda data: data

    def apply(function: _Filter[D], data: D) -> D:
        return function(data)

    return dacc(lambda last: last(xs), left, right, apply, apply, map_d(unfiltered, tree))
