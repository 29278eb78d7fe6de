"""The best tree of given rules (sodt), and of any K of them (odt), by dynamic programming."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeAlias, TypeVar

from exactree.proper.objective import TreeObjective, cost
from exactree.proper.permutations import kcombs
from exactree.proper.space import Space
from exactree.proper.tree import DTree, Leaf, Node

R = TypeVar("R")
D = TypeVar("D")
C = TypeVar("C")


@dataclass(frozen=True)
class Best(Generic[R, D, C]):
    """A tree of minimum cost.

    Attributes
    ----------
    cost : object
        Its cost.
    tree : Leaf or Node
        The tree, with the data of its leaves.
    """

    cost: C
    tree: DTree[R, D]


_Call: TypeAlias = Generator[tuple[tuple[R, ...], D], Best[R, D, C] | None, Best[R, D, C] | None]


@dataclass
class Memory(Generic[R, D, C]):
    """The cache of `sodt`, and statistics of its use.

    Attributes
    ----------
    entries : dict
        The best tree for rules and data; None if there is no tree.
    lookups : int
        Number of lookups.
    hits : int
        Number of hits.
    """

    entries: dict[tuple[tuple[R, ...], D], Best[R, D, C] | None] = field(default_factory=dict)
    lookups: int = 0
    hits: int = 0


def min_e(objective: TreeObjective[R, D, C], trees: Iterable[DTree[R, D]]) -> Best[R, D, C] | None:
    """Return the first tree of minimum cost, None without trees: equations (5) and (6).

    Parameters
    ----------
    objective : TreeObjective
        The objective.
    trees : iterable of Leaf or Node
        Complete trees.
    """
    return _best(objective, (Best(cost(objective, tree), tree) for tree in trees))


def sodt(
    space: Space[R, D],
    objective: TreeObjective[R, D, C],
    rs: tuple[R, ...],
    xs: D,
    memory: Memory[R, D, C] | None = None,
) -> Best[R, D, C] | None:
    """Return the best tree that uses each rule once, None if there is none (Theorem 4.13).

    Parameters
    ----------
    space : Space
        The space of trees.
    objective : TreeObjective
        The objective; it must satisfy the laws of `check_laws`.
    rs : tuple
        The rules.
    xs : object
        The data; they must be hashable if there is a memory.
    memory : Memory, optional
        A cache for this call and later calls with the same space and objective.
    """
    # Trees may be deeper than Python's stack: each call is a generator that yields the subproblems
    # that it needs, and receives their results.
    calls = [_sodt(space, objective, rs, xs, memory)]
    result: Best[R, D, C] | None = None
    while calls:
        try:
            needed = calls[-1].send(result)
        except StopIteration as done:
            calls.pop()
            result = done.value
        else:
            calls.append(_sodt(space, objective, *needed, memory))
            result = None
    return result


def _sodt(
    space: Space[R, D],
    objective: TreeObjective[R, D, C],
    rs: tuple[R, ...],
    xs: D,
    memory: Memory[R, D, C] | None,
) -> _Call[R, D, C]:
    """Yield the subproblems that are needed, and return the best tree for these rules and data."""
    if memory is None:
        return (yield from _joined(space, objective, rs, xs))
    memory.lookups += 1
    if (rs, xs) in memory.entries:
        memory.hits += 1
        return memory.entries[rs, xs]
    best = memory.entries[rs, xs] = yield from _joined(space, objective, rs, xs)
    return best


def _joined(
    space: Space[R, D], objective: TreeObjective[R, D, C], rs: tuple[R, ...], xs: D
) -> _Call[R, D, C]:
    """Yield the needed subproblems and return the best join of subtrees, without a cache."""
    if not rs:
        return Best(objective.leaf(xs), Leaf(xs))
    found = []
    for left, root, right in space.splits(rs):
        plus, minus = space.divide(root, xs)
        u = yield left, plus
        v = yield right, minus
        if u is not None and v is not None:
            joined = objective.join(u.cost, root, v.cost)
            found.append(Best(joined, Node(u.tree, root, v.tree)))
    return _best(objective, found)


def odt(
    space: Space[R, D],
    objective: TreeObjective[R, D, C],
    k: int,
    rs: Sequence[R],
    xs: D,
    memory: Memory[R, D, C] | None = None,
) -> Best[R, D, C] | None:
    """Return the best tree of k rules, None if there is none (Theorems 1.1 and 4.3).

    Parameters
    ----------
    space : Space
        The space of trees.
    objective : TreeObjective
        The objective; it must satisfy the laws of `check_laws`.
    k : int
        The size of the tree.
    rs : sequence
        The rules to choose from.
    xs : object
        The data; they must be hashable if there is a memory.
    memory : Memory, optional
        As for `sodt`.
    """
    found = (sodt(space, objective, chosen, xs, memory) for chosen in kcombs(k, rs))
    return _best(objective, (best for best in found if best is not None))


def _best(
    objective: TreeObjective[R, D, C], found: Iterable[Best[R, D, C]]
) -> Best[R, D, C] | None:
    return min(found, key=lambda best: objective.value(best.cost), default=None)
