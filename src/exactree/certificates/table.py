"""`RankedTable`: what certificates see of a table, and its digest."""

from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

__all__ = ["Integers", "RankedTable", "RowSet"]

RowSet = NDArray[np.bool_]
Integers = NDArray[np.int64]


class RankedTable:
    """The examples as ranks of their values, classes in order of first appearance, and weights.

    Parameters
    ----------
    columns : ndarray of float64, shape (n, m)
        Finite values.
    labels, weights : ndarray of int64, shape (n,)
        Class codes; positive integers with a total below 2**62.
    weight_scale : int
        The weights are these integers divided by it.
    """

    def __init__(
        self, columns: NDArray[np.float64], labels: Integers, weights: Integers, weight_scale: int
    ) -> None:
        distinct = [np.unique(column, return_inverse=True) for column in columns.T]
        self.ranks = [ranks.astype(np.int64) for _, ranks in distinct]
        self.values = [len(values) for values, _ in distinct]
        _, first, codes = np.unique(labels, return_index=True, return_inverse=True)
        self.classes = np.argsort(np.argsort(first))[codes]
        self.n_classes = len(first)
        self.weights, self.weight_scale = weights, weight_scale
        self.unavoidable = self._unavoidable()

    def _unavoidable(self) -> Integers:
        """By row, its weight if every tree misclassifies it, else 0.

        A tree predicts one class for all rows that agree in every feature: at best their heaviest.
        """
        groups: dict[tuple[int, ...], list[int]] = {}
        for row, point in enumerate(zip(*self.ranks, strict=True)):
            groups.setdefault(tuple(map(int, point)), []).append(row)
        unavoidable = self.weights.copy()
        for rows in groups.values():
            totals = self.by_class(np.array(rows))
            best = totals.index(max(totals))
            unavoidable[[row for row in rows if self.classes[row] == best]] = 0
        return unavoidable

    def by_class(self, rows: RowSet | Integers) -> list[int]:
        """Return the weight of each class among some rows."""
        classes, weights = self.classes[rows], self.weights[rows]
        return [int(weights[classes == code].sum()) for code in range(self.n_classes)]

    def digest(self) -> str:
        """Return the SHA-256 of ranks, classes and weights, in the given order of rows."""
        shape = f"{len(self.weights)} {len(self.ranks)} {self.n_classes} {self.weight_scale}\n"
        digest = sha256(shape.encode())
        for numbers in (*self.ranks, self.classes):
            digest.update(numbers.astype("<u4").tobytes())
        digest.update(self.weights.astype("<u8").tobytes())
        return digest.hexdigest()
