"""An independent encoding for CaDiCaL: existence of a tree of given size or depth and errors.

The rule of a node has no threshold: it has a feature, and a set of examples that go right, which is
closed upwards in the order of the feature. Nodes of a tree of given size are numbered level by
level; a tree of given depth is complete. Rules may send all examples to one side, so smaller trees
are included. The package is not imported.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, count, pairwise, product
from typing import Any

import numpy as np
from pysat.card import CardEnc, EncType
from pysat.solvers import Cadical195


class Formula:
    """Clauses about the nodes of a tree: their features, and the examples that go right."""

    def __init__(self, X: Any, y: Any) -> None:
        self.X = [tuple(map(float, row)) for row in X]
        classes, labels = np.unique(y, return_inverse=True)
        self.y = labels.tolist()
        self.examples, self.classes = range(len(self.X)), range(len(classes))
        self.clauses: list[list[int]] = []
        self.variables = count(1)
        self.wrong = self.new(len(self.X))

    def new(self, *shape: int) -> Any:
        """Return a new variable, or nested lists of new variables."""
        if not shape:
            return next(self.variables)
        first, *rest = shape
        return [self.new(*rest) for _ in range(first)]

    def add(self, *literals: int) -> None:
        self.clauses.append(list(literals))

    def at_most_one(self, literals: Iterable[int]) -> None:
        for a, b in combinations(literals, 2):
            self.add(-a, -b)

    def rule(self) -> list[int]:
        """Add the rule of a node; return for each example the literal that it goes right."""
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
        """Add a leaf; return for each class the literal that the leaf predicts it."""
        predicts = self.new(len(self.classes))
        self.at_most_one(predicts)
        return predicts

    def satisfiable(self, errors: int) -> bool:
        """Return whether a tree that satisfies the clauses has at most the given errors."""
        top = next(self.variables)
        at_most = CardEnc.atmost(self.wrong, errors, top_id=top, encoding=EncType.seqcounter)
        with Cadical195(bootstrap_with=self.clauses + at_most.clauses) as solver:
            return bool(solver.solve())


def fits_size(X: Any, y: Any, size: int, errors: int = 0) -> bool:
    """Return whether a tree of at most the given size has at most the given errors."""
    if size == 0:
        return fits_depth(X, y, 0, errors)
    formula = Formula(X, y)
    nodes = range(size)
    rights = [formula.rule() for _ in nodes]
    visits = formula.new(size, len(formula.X))
    slots = list(product(nodes, (0, 1)))  # places of children: the parent, and the side
    # For each node, the literals that it is in a slot.
    in_slot = [{slot: formula.new() for slot in slots if slot[0] < j} for j in nodes]
    for e in formula.examples:
        formula.add(visits[0][e])
    for j in nodes[1:]:
        formula.add(*in_slot[j].values())
        formula.at_most_one(in_slot[j].values())
        for (parent, side), is_here in in_slot[j].items():
            for e in formula.examples:
                goes = goes_to_side(rights[parent][e], side)
                formula.add(-is_here, -visits[j][e], visits[parent][e])
                formula.add(-is_here, -visits[j][e], goes)
                formula.add(-is_here, visits[j][e], -visits[parent][e], -goes)
    for earlier, later in pairwise(in_slot[1:]):  # numbered level by level
        for (first, a), (second, b) in product(earlier.items(), later.items()):
            if second <= first:
                formula.add(-a, -b)
    for parent, side in slots:
        child = [in_slot[j][parent, side] for j in nodes if j > parent]
        leaf = formula.leaf()
        for e in formula.examples:
            goes = goes_to_side(rights[parent][e], side)
            not_in_leaf = [*child, -visits[parent][e], -goes]
            formula.add(*not_in_leaf, leaf[formula.y[e]], formula.wrong[e])
    return formula.satisfiable(errors)


def fits_depth(X: Any, y: Any, depth: int, errors: int = 0) -> bool:
    """Return whether a tree of at most the given depth has at most the given errors."""
    formula = Formula(X, y)
    rights = [formula.rule() for _ in range(2**depth - 1)]
    for sides in product((0, 1), repeat=depth):
        leaf = formula.leaf()
        path = list(walk(sides))
        for e in formula.examples:
            not_in_leaf = [-goes_to_side(rights[node][e], side) for node, side in path]
            formula.add(*not_in_leaf, leaf[formula.y[e]], formula.wrong[e])
    return formula.satisfiable(errors)


def walk(sides: Sequence[int]) -> Iterator[tuple[int, int]]:
    """Yield the nodes of a path, numbered level by level, each with the side of the next node."""
    node = 0
    for side in sides:
        yield node, side
        node = 2 * node + 1 + side


def goes_to_side(right: int, side: int) -> int:
    """Return the literal that an example goes to a side, from the literal that it goes right."""
    return right if side else -right
