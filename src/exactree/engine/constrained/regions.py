"""Violations of monotonicity, and two conditions of which every monotone tree satisfies one.

The region of a leaf has, for every feature, some of its *values*: the distinct numbers of the
table, or the codes of the table and one further code. No other numbers matter, because all
thresholds are thresholds of the whole table.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from exactree.engine.constrained.prepared import CostedLeaf, CostedTree, PreparedProblem
from exactree.engine.constrained.state import LeafCondition

__all__ = ["FeatureSpace"]

# By feature, which of its values reach a leaf.
Region = dict[int, NDArray[np.bool_]]


@dataclass
class FeatureSpace:
    """The values of all features that splits may use.

    Attributes
    ----------
    prepared : PreparedProblem
        The problem.
    """

    prepared: PreparedProblem
    # By feature: its columns, the rank of every value in each, and the value of every row.
    columns: dict[int, list[int]] = field(init=False)
    ranks: dict[int, NDArray[np.int64]] = field(init=False)
    of_rows: dict[int, NDArray[np.int64]] = field(init=False)

    def __post_init__(self) -> None:
        self.columns, self.ranks, self.of_rows = {}, {}, {}
        for column, feature in enumerate(self.prepared.features):
            self.columns.setdefault(feature, []).append(column)
        X, stated = self.prepared.problem.dataset.X, self.prepared.encoded.columns
        for feature, columns in self.columns.items():
            values, self.of_rows[feature] = np.unique(X[:, feature], return_inverse=True)
            if feature in self.prepared.problem.categories:
                values = np.append(values, values[-1] + 1)  # a code that the table does not have
            table = np.zeros((len(values), X.shape[1]))
            table[:, feature] = values
            ranks = [
                np.searchsorted(self.prepared.values[c], stated[c].values(table)) for c in columns
            ]
            self.ranks[feature] = np.stack(ranks, axis=1)

    def regions(self, tree: CostedTree) -> Iterator[tuple[CostedLeaf, Region]]:
        """List the leaves of a tree with their regions."""
        everything = {f: np.ones(len(ranks), dtype=np.bool_) for f, ranks in self.ranks.items()}
        open_nodes: list[tuple[CostedTree, Region]] = [(tree, everything)]
        while open_nodes:
            node, region = open_nodes.pop()
            if isinstance(node, CostedLeaf):
                yield node, region
                continue
            feature = self.prepared.features[node.column]
            left = self.goes_left(node.column, node.rank)
            open_nodes.append((node.left, region | {feature: region[feature] & left}))
            open_nodes.append((node.right, region | {feature: region[feature] & ~left}))

    def goes_left(self, column: int, rank: int) -> NDArray[np.bool_]:
        """Return the values of its feature that a split sends left, as a mask."""
        feature = self.prepared.features[column]
        ranks = self.ranks[feature][:, self.columns[feature].index(column)]
        return np.asarray(ranks <= rank)

    def is_monotone(self, tree: CostedTree) -> bool:
        """Return whether a tree is monotone in all features with a direction."""
        return next(self._conflicts(tree), None) is None

    def choice(self, tree: CostedTree) -> tuple[LeafCondition, LeafCondition] | None:
        """Return two conditions that the tree violates; every monotone tree satisfies one of them.

        Two points that differ only in one feature with a direction reach leaves whose values are in
        the wrong order. Take any number between these values: the value of an increasing tree is at
        most this number at the lower point, or greater than it at the upper point, because it is
        not smaller there. For a decreasing tree the points are exchanged. None if the tree is
        monotone.
        """
        conflicts = self._conflicts(tree)
        # The heaviest leaves first: other trees are likely to have similar leaves.
        heaviest = max(conflicts, key=lambda c: min(c[0][0].weight, c[1][0].weight), default=None)
        if heaviest is None:
            return None
        (a, in_a), (b, in_b), feature = heaviest
        low, high = self._places(a, in_a, b, in_b, feature)
        limit = self.prepared.problem.leaf_value(np.union1d(a.rows, b.rows))
        least, most = min(a.leaf_value, b.leaf_value), max(a.leaf_value, b.leaf_value)
        if not least <= limit < most:
            limit = least
        rises = self.prepared.problem.feature_constraints.directions[feature] > 0
        return LeafCondition(low, rises, limit), LeafCondition(high, not rises, limit)

    def _conflicts(
        self, tree: CostedTree
    ) -> Iterator[tuple[tuple[CostedLeaf, Region], tuple[CostedLeaf, Region], int]]:
        """List pairs of leaves in wrong order that are reached from points with one difference."""
        leaves = list(self.regions(tree))
        for feature, direction in self.prepared.problem.feature_constraints.directions.items():
            if feature not in self.ranks:
                continue
            for (a, in_a), (b, in_b) in permutations(leaves, 2):
                if direction * a.leaf_value <= direction * b.leaf_value:
                    continue
                if np.argmax(in_a[feature]) < _last(in_b[feature]) and all(
                    (in_a[f] & in_b[f]).any() for f in in_a if f != feature
                ):
                    yield (a, in_a), (b, in_b), feature

    def _places(
        self, a: CostedLeaf, in_a: Region, b: CostedLeaf, in_b: Region, feature: int
    ) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Return two points near the middle of the examples, the first in a, the second in b."""
        rows = np.union1d(a.rows, b.rows)
        values = {f: self._middle(f, rows, in_a[f] & in_b[f]) for f in in_a if f != feature}
        ranked = np.arange(len(in_a[feature]))
        low = self._middle(feature, a.rows, in_a[feature] & (ranked < _last(in_b[feature])))
        high = self._middle(feature, b.rows, in_b[feature] & (ranked > low))
        return self._ranks(values | {feature: low}), self._ranks(values | {feature: high})

    def _middle(self, feature: int, rows: NDArray[np.int64], allowed: NDArray[np.bool_]) -> int:
        """Return an allowed value near the median of some rows."""
        held = np.sort(self.of_rows[feature][rows])
        held = held[allowed[held]]
        values = held if len(held) else np.flatnonzero(allowed)
        return int(values[len(values) // 2])

    def _ranks(self, values: dict[int, int]) -> tuple[int, ...]:
        ranks = [0] * len(self.prepared.features)
        for feature, value in values.items():
            for column, rank in zip(
                self.columns[feature], self.ranks[feature][value].tolist(), strict=True
            ):
                ranks[column] = rank
        return tuple(ranks)


def _last(region: NDArray[np.bool_]) -> int:
    return len(region) - 1 - int(np.argmax(region[::-1]))
