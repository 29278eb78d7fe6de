"""Two independent computations of whether small ensembles classify a table of Theorem 5.5."""

from collections.abc import Iterator
from functools import cache
from itertools import product

import numpy as np

from exactree.instances import Instance
from exactree.trees import grow
from exactree.trees.ensemble import Ensemble

LEAF = (-1, 0.0, 0.0, -1, -1)


def ensemble_of_stumps(cp_model, instance: Instance) -> Ensemble | None:
    """Return an ensemble of trees of size at most 1, by CP-SAT: how often is each one taken."""
    blue, dataset = instance.y == "blue", instance.problem().dataset
    stumps = [(f, colours) for f in range(instance.X.shape[1]) for colours in ((0, 1), (1, 0))]
    trees = [grow(dataset, [LEAF], [colour]) for colour in (0, 1)]
    trees += [
        grow(dataset, [(f, 0.0, 1.0, 1, 2), LEAF, LEAF], [0, *colours]) for f, colours in stumps
    ]
    predicted = [tree.predict(instance.X) == "blue" for tree in trees]
    model = cp_model.CpModel()
    taken = [model.new_int_var(0, instance.n_trees, str(n)) for n in range(len(trees))]
    model.add(sum(taken) == instance.n_trees)
    for row, is_blue in enumerate(blue):
        votes = sum(t for t, blues in zip(taken, predicted, strict=True) if blues[row])
        model.add(2 * votes > instance.n_trees if is_blue else 2 * votes < instance.n_trees)
    solver = cp_model.CpSolver()
    if solver.solve(model) == cp_model.INFEASIBLE:
        return None
    copies = [[tree] * solver.value(t) for tree, t in zip(trees, taken, strict=True)]
    return Ensemble(tuple(tree for some in copies for tree in some))


class LeastTotal:
    """Whether 2k + 1 nodes in all suffice, by enumeration after step 1 of the source's proof.

    Two examples of different classes that differ in dummy j only force a rule on it, and two that
    differ in the choice-i features only force a rule on one of them. So 2k + 1 nodes split on each
    dummy once and one choice-i feature for each i; how they are spread over trees is tried out.
    """

    def __init__(self, instance: Instance, picks: int) -> None:
        X, self.blue = instance.X, instance.y == "blue"
        self.n_trees, self.dummies = instance.n_trees, range(picks + 1)
        m = (X.shape[1] - picks - 1) // picks
        self.groups = [range(picks + 1 + i * m, picks + 1 + (i + 1) * m) for i in range(picks)]
        red = X[~self.blue]
        differences = {frozenset(np.flatnonzero(a != b)) for a in X[self.blue] for b in red}
        assert all(frozenset([j]) in differences for j in self.dummies)
        assert all(frozenset(group) in differences for group in self.groups)
        self.rows = (1 << len(X)) - 1
        self.ones = [as_bits(column == 1) for column in X.T]
        self.labelings = cache(self._labelings)

    def suffices(self) -> bool:
        return any(
            self.classify(trees)
            for chosen in product(*self.groups)
            for trees in spread((*self.dummies, *chosen))
        )

    def classify(self, trees: list[tuple[int, ...]]) -> bool:
        """Return whether trees that use these rules, and leaves, can vote for the right classes."""
        leaves = self.n_trees - len(trees)
        if len(trees) == 1:  # then the leaves have to cancel each other out
            return self.tree_classifies(trees[0], self.rows)
        votes = np.zeros((1, len(self.blue)), dtype=np.int64)
        for rules in trees:
            one = np.array(
                [as_votes(bits, len(self.blue)) for bits in self.labelings(rules, self.rows)]
            )
            votes = np.unique((votes[:, None] + one[None]).reshape(-1, len(self.blue)), axis=0)
        for constant in range(leaves + 1):
            if ((2 * (votes + constant) > self.n_trees) == self.blue).all(axis=1).any():
                return True
        return False

    def tree_classifies(self, rules: tuple[int, ...], rows: int) -> bool:
        blue = rows & as_bits(self.blue)
        if blue in (0, rows):
            return True
        return any(
            self.tree_classifies(left, rows & ~self.ones[root])
            and self.tree_classifies(right, rows & self.ones[root])
            for root, left, right in roots(rules)
        )

    def _labelings(self, rules: tuple[int, ...], rows: int) -> frozenset[int]:
        """List the rows that trees which ask every rule once may predict to be blue."""
        if not rules:
            return frozenset([0, rows])
        return frozenset(
            a | b
            for root, left, right in roots(rules)
            for a in self.labelings(left, rows & ~self.ones[root])
            for b in self.labelings(right, rows & self.ones[root])
        )


def roots(rules: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """List the ways to choose the root and to share the other rules among its sides."""
    for root in rules:
        others = [rule for rule in rules if rule != root]
        for sides in product((True, False), repeat=len(others)):
            left = tuple(rule for rule, side in zip(others, sides, strict=True) if side)
            yield root, left, tuple(rule for rule in others if rule not in left)


def spread(rules: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """List the ways to put rules into trees."""
    if not rules:
        yield []
        return
    for rest in spread(rules[1:]):
        yield [(rules[0],), *rest]
        for place in range(len(rest)):
            yield [*rest[:place], (rules[0], *rest[place]), *rest[place + 1 :]]


def as_bits(holds: np.ndarray) -> int:
    return sum(1 << row for row, held in enumerate(holds) if held)


def as_votes(bits: int, rows: int) -> list[int]:
    return [bits >> row & 1 for row in range(rows)]
