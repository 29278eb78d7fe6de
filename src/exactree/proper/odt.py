"""The best tree: of given rules (sodt), and of any K of them (odt), by dynamic programming."""

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
    """A tree of least cost.

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
    """What `sodt` has found for rules and data, and how often that was of use.

    Attributes
    ----------
    known : dict
        The best tree of rules and data; None if they have no tree.
    visited : int
        How often rules and data were asked for.
    hits : int
        How often the answer was known.
    """

    known: dict[tuple[tuple[R, ...], D], Best[R, D, C] | None] = field(default_factory=dict)
    visited: int = 0
    hits: int = 0


def min_e(objective: TreeObjective[R, D, C], trees: Iterable[DTree[R, D]]) -> Best[R, D, C] | None:
    """Return the first tree of least cost; None of no trees: equations (5) and (6).

    Parameters
    ----------
    objective : TreeObjective
        What is minimized.
    trees : iterable of Leaf or Node
        Complete trees.
    """
    return _least(objective, (Best(cost(objective, tree), tree) for tree in trees))


def sodt(
    space: Space[R, D],
    objective: TreeObjective[R, D, C],
    rs: tuple[R, ...],
    xs: D,
    memory: Memory[R, D, C] | None = None,
) -> Best[R, D, C] | None:
    """Return the best of the trees that use each rule once; None if there is none (Theorem 4.13).

    Parameters
    ----------
    space : Space
        Which trees there are.
    objective : TreeObjective
        What is minimized; it satisfies the laws of `check_laws`.
    rs : tuple
        The rules.
    xs : object
        The data; it has a hash if there is a memory.
    memory : Memory, optional
        Keeps what is found, for this call and later ones of the same space and objective.
    """
    # Trees may be deeper than Python's stack: each call is a generator that hands out what it
    # needs, and is reported the answer.
    calls = [_sodt(space, objective, rs, xs, memory)]
    answer: Best[R, D, C] | None = None
    while calls:
        try:
            needed = calls[-1].send(answer)
        except StopIteration as done:
            calls.pop()
            answer = done.value
        else:
            calls.append(_sodt(space, objective, *needed, memory))
            answer = None
    return answer


def _sodt(
    space: Space[R, D],
    objective: TreeObjective[R, D, C],
    rs: tuple[R, ...],
    xs: D,
    memory: Memory[R, D, C] | None,
) -> _Call[R, D, C]:
    """Yield rules and data whose best tree is needed, and return the best tree of these."""
    if memory is None:
        return (yield from _joined(space, objective, rs, xs))
    memory.visited += 1
    if (rs, xs) in memory.known:
        memory.hits += 1
        return memory.known[rs, xs]
    best = memory.known[rs, xs] = yield from _joined(space, objective, rs, xs)
    return best


def _joined(
    space: Space[R, D], objective: TreeObjective[R, D, C], rs: tuple[R, ...], xs: D
) -> _Call[R, D, C]:
    """Do so without a memory: join the best trees of the sides of each root."""
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
    return _least(objective, found)


def odt(
    space: Space[R, D],
    objective: TreeObjective[R, D, C],
    k: int,
    rs: Sequence[R],
    xs: D,
    memory: Memory[R, D, C] | None = None,
) -> Best[R, D, C] | None:
    """Return the best of the trees of k rules; None if there is none (Theorems 1.1 and 4.3).

    Parameters
    ----------
    space : Space
        Which trees there are.
    objective : TreeObjective
        What is minimized; it satisfies the laws of `check_laws`.
    k : int
        The size of the tree.
    rs : sequence
        The rules to choose from.
    xs : object
        The data; it has a hash if there is a memory.
    memory : Memory, optional
        As for `sodt`.
    """
    found = (sodt(space, objective, chosen, xs, memory) for chosen in kcombs(k, rs))
    return _least(objective, (best for best in found if best is not None))


def _least(
    objective: TreeObjective[R, D, C], found: Iterable[Best[R, D, C]]
) -> Best[R, D, C] | None:
    return min(found, key=lambda best: objective.value(best.cost), default=None)
