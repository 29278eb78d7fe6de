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
_Side: TypeAlias = Callable[[D], D]


def paths(f: Callable[[R], A], g: Callable[[R], A], tree: DTree[R, A]) -> DTree[R, Path[A]]:
    """Return the tree with the path to each leaf in the leaf (Definition 4.6).

    Parameters
    ----------
    f, g : callable
        Element that a rule adds to a path that turns left, or right.
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
        The value of the last element of a path.
    plus, times : callable
        The value of an element before a left (right) turn and of the value of the rest.
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
    """Return a partial tree with the data of its leaves, a tree of Definition 4.9.

    Parameters
    ----------
    space : Space
        The space, which divides data by rules.
    tree : Leaf or Node
        A tree of `gen_bts`.
    xs : object
        The data of the root.
    """

    def left(rule: R) -> _Side[D]:
        return lambda data: space.divide(rule, data)[0]

    def right(rule: R) -> _Side[D]:
        return lambda data: space.divide(rule, data)[1]

    def whole(_: None) -> _Side[D]:
        return lambda data: data

    def inner(side: _Side[D], data: D) -> D:
        return side(data)

    return dacc(lambda side: side(xs), left, right, inner, inner, map_d(whole, tree))
