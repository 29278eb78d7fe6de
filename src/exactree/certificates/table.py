"""`RankedTable`: what certificates see of a table, its digest, and its columns of splits."""

from collections.abc import Iterator
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

__all__ = ["Integers", "RankedTable", "RowSet", "level_sets"]

RowSet = NDArray[np.bool_]
Integers = NDArray[np.int64]

# The rank of a missing value.
MISSING = 2**32 - 1
# Levels of a feature of which any set may go left.
MAX_LEVELS = 12
# Limit on the numbers in all columns.
MAX_CELLS = 2**28


def level_sets(codes: int, missing: bool, any_set: bool) -> Iterator[tuple[int, ...]]:
    """List the sets of levels that go left: one code, or any set; a missing value is a level.

    Of a set and the set of all other levels only one is listed.

    Parameters
    ----------
    codes : int
        The number of codes, which are levels 0, 1, ...
    missing : bool
        Whether there are missing values, which are the last level.
    any_set : bool
        Whether any set may go left.
    """
    levels = codes + missing
    if any_set:  # those without the last level
        for bits in range(1, 1 << (levels - 1)):
            yield tuple(level for level in range(levels) if bits >> level & 1)
    elif levels == 2:
        yield (0,)
    elif levels > 2:
        yield from ((level,) for level in range(levels))
        if missing and levels > 3:  # else they are the sets of all other levels
            yield from ((code, codes) for code in range(codes))


class RankedTable:
    """The examples as ranks of their values, classes in order of first appearance, and weights.

    A split is a threshold on the ranks of a column. The columns follow from the features.

    Parameters
    ----------
    columns : ndarray of float64, shape (n, d)
        The features; NaN is a missing value.
    labels, weights : ndarray of int64, shape (n,)
        Class codes; positive integers with a total below 2**62.
    weight_scale : int
        The weights are these integers divided by it.
    splits : str, optional
        How each feature is split: by thresholds (n, the default), one code against the others (c),
        any set of codes (s), or not at all (-).
    class_costs : tuple of int, optional
        What a unit of weight costs, by true class and by prediction, one row after the other; both
        in order of first appearance, then predictions that are no class of the table. By default
        any wrong class costs 1.

    Raises
    ------
    ValueError
        If splits or costs do not fit the table, are too many or too large.
    """

    def __init__(
        self,
        columns: NDArray[np.float64],
        labels: Integers,
        weights: Integers,
        weight_scale: int,
        splits: str | None = None,
        class_costs: tuple[int, ...] | None = None,
    ) -> None:
        self.columns, self.labels = columns, labels
        self.splits = "n" * columns.shape[1] if splits is None else splits
        if len(self.splits) != columns.shape[1]:
            raise ValueError("splits must have a letter for each feature.")
        self.features = [self._ranks_of(column) for column in columns.T]
        self.ranks: list[Integers] = []
        self.feature_of: list[int] = []
        for feature, kind in enumerate(self.splits):
            for ranks in self._columns_of(self.features[feature], kind):
                self.ranks.append(ranks)
                self.feature_of.append(feature)
                if len(self.ranks) * len(ranks) > MAX_CELLS:
                    raise ValueError("there are too many splits.")
        self.values = [int(ranks.max()) + 1 for ranks in self.ranks]
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        self.classes = np.argsort(np.argsort(first))[codes]
        self.n_classes = len(first)
        self.weights, self.weight_scale = weights, weight_scale
        self.stated_costs, self.class_costs = class_costs, self._by_class(class_costs)
        # By row and prediction.
        self.errors = weights[:, None] * self.class_costs[self.classes]
        self.reach = self.errors.max(axis=1)
        self.unavoidable = self._unavoidable()

    def of_statement(self, splits: str, class_costs: tuple[int, ...] | None) -> "RankedTable":
        """Return the table with other splits, and other costs."""
        if (splits, class_costs) == (self.splits, self.stated_costs):
            return self
        table = self.columns, self.labels, self.weights, self.weight_scale
        return RankedTable(*table, splits, class_costs)

    @staticmethod
    def _ranks_of(column: NDArray[np.float64]) -> Integers:
        """By row, the index of its value among the distinct values in increasing order."""
        ranks = np.full(len(column), MISSING, dtype=np.int64)
        present = ~np.isnan(column)
        ranks[present] = np.unique(column[present], return_inverse=True)[1].reshape(-1)
        return ranks

    @staticmethod
    def _columns_of(ranks: Integers, kind: str) -> Iterator[Integers]:
        """Return the columns of a feature: its ranks, with missing values below and above all.

        Of codes, a column for every set of levels, which has 0 for these and 1 for the others.
        """
        absent = ranks == MISSING
        known = int(ranks[~absent].max(initial=-1)) + 1
        levels = np.where(absent, known, ranks)
        if kind == "n":
            if absent.any():
                yield np.where(absent, 0, ranks + 1)
            yield levels
        elif kind == "c" or (kind == "s" and known + absent.any() <= MAX_LEVELS):
            for chosen in level_sets(known, bool(absent.any()), kind == "s"):
                yield 1 - np.isin(levels, chosen).astype(np.int64)
        elif kind != "-":
            raise ValueError("splits must be n, c, s or -, and s has at most 12 levels.")

    def _by_class(self, costs: tuple[int, ...] | None) -> Integers:
        """Return the costs as an array; no sum of costs takes more than 62 bits."""
        if costs is None:
            return 1 - np.eye(self.n_classes, dtype=np.int64)
        predictions = len(costs) // self.n_classes
        if predictions < self.n_classes or predictions * self.n_classes < len(costs):
            raise ValueError("there must be a cost for each true and predicted class.")
        rows = [costs[i : i + predictions] for i in range(0, len(costs), predictions)]
        if sum(max(rows[c]) * w for c, w in enumerate(self.by_class(slice(None)))) >= 2**62:
            raise ValueError("the costs are too large.")
        return np.array(rows, dtype=np.int64)

    def _unavoidable(self) -> Integers:
        """By row, the cost of the rows that agree with it in all features, if it is the first.

        A tree makes one prediction for all of them, at least as expensive as the best one.
        """
        used = [r for r, kind in zip(self.features, self.splits, strict=True) if kind != "-"]
        groups: dict[tuple[int, ...], list[int]] = {}
        for row in range(len(self.weights)):
            groups.setdefault(tuple(int(ranks[row]) for ranks in used), []).append(row)
        unavoidable = np.zeros_like(self.weights)
        for rows in groups.values():
            unavoidable[rows[0]] = self.errors[rows].sum(axis=0).min()
        return unavoidable

    def by_class(self, rows: RowSet | Integers | slice) -> list[int]:
        """Return the weight of each class among some rows."""
        classes, weights = self.classes[rows], self.weights[rows]
        return [int(weights[classes == code].sum()) for code in range(self.n_classes)]

    def digest(self) -> str:
        """Return the SHA-256 of ranks, splits, classes and weights, in the given order of rows."""
        counts = len(self.weights), len(self.features), self.n_classes, self.weight_scale
        digest = sha256(f"{' '.join(map(str, counts))} {self.splits}\n".encode())
        for numbers in (*self.features, self.classes):
            digest.update(numbers.astype("<u4").tobytes())
        digest.update(self.weights.astype("<u8").tobytes())
        return digest.hexdigest()
