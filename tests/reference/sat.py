"""An independent encoding for CaDiCaL: existence of a tree of given size or depth and errors.

A node's rule has no threshold: it has a feature, and the examples that go right grow along that
feature's order. Nodes of a tree of given size are numbered level by level; the tree of given depth
is complete. Rules may send all examples one way, so smaller trees count too. The package is not
imported.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, count, pairwise, product
from typing import Any

import numpy as np
from pysat.card import CardEnc, EncType
from pysat.solvers import Cadical195


class Formula:
    """Clauses about the nodes of a tree: the feature of each, and who goes right there."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X = [tuple(map(float, row)) for row in X]
        classes, labels = np.unique(y, return_inverse=True)
        self.y = labels.tolist()
        self.examples, self.classes = range(len(self.X)), range(len(classes))
        self.clauses: list[list[int]] = []
        self.names = count(1)
        self.wrong = self.new(len(self.X))

    def new(self, *shape: int) -> Any:
        """Return a variable, or nested lists of them."""
        first, *rest = shape or (0,)
        return [self.new(*rest) for _ in range(first)] if shape else next(self.names)

    def add(self, *literals: int) -> None:
        self.clauses.append(list(literals))

    def at_most_one(self, literals: Iterable[int]) -> None:
        for a, b in combinations(literals, 2):
            self.add(-a, -b)

    def rule(self) -> list[int]:
        """Add a node's rule; return for each example whether it goes right."""
        right = self.new(len(self.X))
        features = range(len(self.X[0]))
        chosen = self.new(len(features))
        self.add(*chosen)
        self.at_most_one(chosen)
        for f in features:
            by_value = sorted(self.examples, key=lambda e: self.X[e][f])
            for a, b in pairwise(by_value):
                self.add(-chosen[f], -right[a], right[b])
                if self.X[a][f] == self.X[b][f]:
                    self.add(-chosen[f], right[a], -right[b])
        return right

    def leaf(self) -> list[int]:
        """Add a leaf; return for each class whether it predicts that."""
        predicts = self.new(len(self.classes))
        self.at_most_one(predicts)
        return predicts

    def satisfiable(self, errors: int) -> bool:
        """Return whether there is such a tree of at most that many errors."""
        top = next(self.names)
        few = CardEnc.atmost(self.wrong, errors, top_id=top, encoding=EncType.seqcounter)
        with Cadical195(bootstrap_with=self.clauses + few.clauses) as solver:
            return bool(solver.solve())


def fits_size(X: Any, y: Any, size: int, errors: int = 0) -> bool:
    """Return whether a tree of at most that many nodes makes at most that many errors."""
    if size == 0:
        return fits_depth(X, y, 0, errors)
    formula = Formula(X, y)
    nodes = range(size)
    rights = [formula.rule() for _ in nodes]
    visits = formula.new(size, len(formula.X))
    slots = list(product(nodes, (0, 1)))  # where a node may hang: its parent, and which side
    hangs = [{slot: formula.new() for slot in slots if slot[0] < j} for j in nodes]
    for j in nodes:
        for e in formula.examples if j == 0 else ():
            formula.add(visits[0][e])
        if j > 0:
            formula.add(*hangs[j].values())
            formula.at_most_one(hangs[j].values())
        for (parent, side), here in hangs[j].items():
            for e in formula.examples:
                goes = goes_there(rights[parent][e], side)
                formula.add(-here, -visits[j][e], visits[parent][e])
                formula.add(-here, -visits[j][e], goes)
                formula.add(-here, visits[j][e], -visits[parent][e], -goes)
    for earlier, later in pairwise(hangs[1:]):  # level by level
        for (first, a), (second, b) in product(earlier.items(), later.items()):
            if second <= first:
                formula.add(-a, -b)
    for parent, side in slots:
        below = [hangs[j][parent, side] for j in nodes if j > parent]
        leaf = formula.leaf()
        for e in formula.examples:
            goes = goes_there(rights[parent][e], side)
            ends = [*below, -visits[parent][e], -goes]
            formula.add(*ends, leaf[formula.y[e]], formula.wrong[e])
    return formula.satisfiable(errors)


def fits_depth(X: Any, y: Any, depth: int, errors: int = 0) -> bool:
    """Return whether a tree of at most this depth makes at most that many errors."""
    formula = Formula(X, y)
    rights = [formula.rule() for _ in range(2**depth - 1)]
    for sides in product((0, 1), repeat=depth):
        leaf = formula.leaf()
        path = list(walk(sides))
        for e in formula.examples:
            strays = [-goes_there(rights[node][e], side) for node, side in path]
            formula.add(*strays, leaf[formula.y[e]], formula.wrong[e])
    return formula.satisfiable(errors)


def walk(sides: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a path, numbered level by level, and which side it takes at each."""
    node = 0
    for side in sides:
        yield node, side
        node = 2 * node + 1 + side


def goes_there(right: int, side: int) -> int:
    """Return the literal of an example that takes a side."""
    return right if side else -right
