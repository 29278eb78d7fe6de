"""Two independent searches for small ensembles that classify a table of Theorem 5.5 (001)."""

from collections.abc import Iterator
from functools import cache
from itertools import chain, product

import numpy as np

from exactree.instances import Instance
from exactree.trees import grow
from exactree.trees.ensemble import Ensemble

LEAF = (-1, 0.0, 0.0, -1, -1)


def ensemble_of_stumps(cp_model, instance: Instance) -> Ensemble | None:
    """Return an ensemble of trees of size at most 1, by CP-SAT; None if there is none."""
    blue, dataset = instance.y == "blue", instance.problem().dataset
    stumps = [(f, colours) for f in range(instance.X.shape[1]) for colours in ((0, 1), (1, 0))]
    trees = [grow(dataset, [LEAF], [colour]) for colour in (0, 1)]
    trees += [
        grow(dataset, [(f, 0.0, 1.0, 1, 2), LEAF, LEAF], [0, *colours]) for f, colours in stumps
    ]
    predicted = [tree.predict(instance.X) == "blue" for tree in trees]
    model = cp_model.CpModel()
    counts = [model.new_int_var(0, instance.n_trees, str(n)) for n in range(len(trees))]
    model.add(sum(counts) == instance.n_trees)
    for row, is_blue in enumerate(blue):
        votes = sum(
            n for n, is_blue_vote in zip(counts, predicted, strict=True) if is_blue_vote[row]
        )
        model.add(2 * votes > instance.n_trees if is_blue else 2 * votes < instance.n_trees)
    solver = cp_model.CpSolver()
    if solver.solve(model) == cp_model.INFEASIBLE:
        return None
    copies = ([tree] * solver.value(n) for tree, n in zip(trees, counts, strict=True))
    return Ensemble(tuple(chain.from_iterable(copies)))


class SmallEnsembles:
    """Enumeration of the ensembles with 2k + 1 nodes in total, by step 1 of the source's proof.

    Two examples of different classes that differ only in dummy feature j force a split on it; two
    that differ only in the features of choice i force a split on one of these. So 2k + 1 nodes
    split once on each of the k + 1 dummies, and on one feature for each of the k choices. All ways
    to distribute these splits over trees are enumerated.
    """

    def __init__(self, instance: Instance, picks: int) -> None:
        X, self.blue = instance.X, instance.y == "blue"
        self.n_trees, self.dummies = instance.n_trees, range(picks + 1)
        first, n_sets = picks + 1, (X.shape[1] - picks - 1) // picks
        self.choices = [range(first + i * n_sets, first + (i + 1) * n_sets) for i in range(picks)]
        red = X[~self.blue]
        differences = {frozenset(np.flatnonzero(a != b)) for a in X[self.blue] for b in red}
        assert all(frozenset([j]) in differences for j in self.dummies)
        assert all(frozenset(features) in differences for features in self.choices)
        # Sets of rows are integers whose bits are rows.
        self.all_rows = (1 << len(X)) - 1
        self.rows_with_one = [as_bits(column == 1) for column in X.T]
        self.labelings = cache(self._labelings)

    def suffice(self) -> bool:
        """Return whether an ensemble with 2k + 1 nodes classifies all examples correctly."""
        return any(
            self.classify(trees)
            for chosen in product(*self.choices)
            for trees in distributions((*self.dummies, *chosen))
        )

    def classify(self, trees: list[tuple[int, ...]]) -> bool:
        """Return whether trees with these rules, and single leaves, can vote correctly."""
        leaves = self.n_trees - len(trees)
        if len(trees) == 1:  # an even number of leaves, which must cancel each other out
            return self.tree_classifies(trees[0], self.all_rows)
        votes = np.zeros((1, len(self.blue)), dtype=np.int64)
        for rules in trees:
            labelings = self.labelings(rules, self.all_rows)
            tree_votes = np.array([as_votes(labeling, len(self.blue)) for labeling in labelings])
            sums = votes[:, None] + tree_votes[None]
            votes = np.unique(sums.reshape(-1, len(self.blue)), axis=0)
        for blue_leaves in range(leaves + 1):
            if ((2 * (votes + blue_leaves) > self.n_trees) == self.blue).all(axis=1).any():
                return True
        return False

    def tree_classifies(self, rules: tuple[int, ...], rows: int) -> bool:
        """Return whether a tree with these rules classifies some rows correctly."""
        blue = rows & as_bits(self.blue)
        if blue in (0, rows):
            return True
        return any(
            self.tree_classifies(left, rows & ~self.rows_with_one[root])
            and self.tree_classifies(right, rows & self.rows_with_one[root])
            for root, left, right in roots(rules)
        )

    def _labelings(self, rules: tuple[int, ...], rows: int) -> frozenset[int]:
        """List the sets of rows that trees with these rules, each used once, can predict blue."""
        if not rules:
            return frozenset([0, rows])
        return frozenset(
            a | b
            for root, left, right in roots(rules)
            for a in self.labelings(left, rows & ~self.rows_with_one[root])
            for b in self.labelings(right, rows & self.rows_with_one[root])
        )


def roots(rules: tuple[int, ...]) -> Iterator[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """List the ways to choose a root, and to divide the other rules between its two subtrees."""
    for root in rules:
        others = [rule for rule in rules if rule != root]
        for goes_left in product((True, False), repeat=len(others)):
            left = tuple(rule for rule, is_left in zip(others, goes_left, strict=True) if is_left)
            yield root, left, tuple(rule for rule in others if rule not in left)


def distributions(rules: tuple[int, ...]) -> Iterator[list[tuple[int, ...]]]:
    """List the partitions of rules into the rules of single trees."""
    if not rules:
        yield []
        return
    for rest in distributions(rules[1:]):
        yield [(rules[0],), *rest]
        for i in range(len(rest)):
            yield [*rest[:i], (rules[0], *rest[i]), *rest[i + 1 :]]


def as_bits(holds: np.ndarray) -> int:
    return sum(1 << row for row, value in enumerate(holds) if value)


def as_votes(bits: int, rows: int) -> list[int]:
    return [bits >> row & 1 for row in range(rows)]
