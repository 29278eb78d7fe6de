"""Exact coordinates that separate examples which are almost in one flat.

Columns of a table may be equal except for their last digits; the first rounding would lose this
difference. So the columns are first combined in fractions, by elimination: the example with the
greatest number gets the coordinate 1 and 0 in all other coordinates, and the elimination goes on
with the remaining columns. Only the result is rounded.
"""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.rules.hulls import scales, widest_margin

__all__ = ["Coordinates"]

# The numbers of a column, and its weights as a sum of the scaled columns of the table.
_FractionColumn = tuple[list[Fraction], list[Fraction]]


@dataclass(frozen=True)
class Coordinates:
    """Examples in other coordinates, and the transformation back.

    Attributes
    ----------
    values : ndarray of float64, shape (n, r)
        The coordinates; r is the dimension of the flat that the examples span.
    columns : list of list of Fraction
        Each coordinate as a weighted sum of the scaled columns of the table, without a constant.
    scale : ndarray of float64, shape (d,)
        The scale of each column; 0 for columns with numbers that are not finite.
    """

    values: NDArray[np.float64]
    columns: list[list[Fraction]]
    scale: NDArray[np.float64]

    @classmethod
    def of(cls, P: NDArray[np.float64]) -> "Coordinates":
        """Return coordinates of the rows of a table.

        Parameters
        ----------
        P : ndarray of float64, shape (n, d)
            The table.
        """
        scale = scales(P)
        waiting = []
        for place in np.flatnonzero(scale).tolist():
            numbers = [Fraction(v) * Fraction(float(scale[place])) for v in P[:, place].tolist()]
            unit = [Fraction(int(place == other)) for other in range(P.shape[1])]
            waiting.append(([number - numbers[0] for number in numbers], unit))
        found: list[_FractionColumn] = []
        while waiting:
            largest = max(waiting, key=lambda column: max(map(abs, column[0])))
            row = max(range(len(P)), key=lambda i: abs(largest[0][i]))
            if not largest[0][row]:
                break
            waiting.remove(largest)
            pivot = _times(largest, 1 / largest[0][row])
            waiting = [_minus(column, pivot, row) for column in waiting]
            found = [*(_minus(column, pivot, row) for column in found), pivot]
        values = np.array([values for values, _ in found], dtype=np.float64)
        return cls(values.reshape(-1, len(P)).T, [weights for _, weights in found], scale)

    def weights(self, left: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Return weights of the table's columns that separate two sets of rows with a wide margin.

        The margin is widest in the coordinates, not in the columns of the table.

        Parameters
        ----------
        left : ndarray of bool, shape (n,)
            The rows on the left: some, and not all.
        """
        inner = widest_margin(self.values[left], self.values[~left]).weights.tolist()
        exact = [Fraction(0)] * len(self.scale)
        for share, column in zip(inner, self.columns, strict=True):
            exact = [a + Fraction(share) * b for a, b in zip(exact, column, strict=True)]
        greatest = max(map(abs, exact)) or 1
        rounded = np.array([float(weight / greatest) for weight in exact])
        with np.errstate(over="ignore", under="ignore"):
            scaled: NDArray[np.float64] = rounded * self.scale
        return scaled


def _times(column: _FractionColumn, factor: Fraction) -> _FractionColumn:
    values, weights = column
    return [factor * value for value in values], [factor * weight for weight in weights]


def _minus(column: _FractionColumn, pivot: _FractionColumn, row: int) -> _FractionColumn:
    """Subtract the multiple of the pivot, which is 1 in the row, that makes the column 0 there."""
    factor = column[0][row]
    if not factor:
        return column
    values, weights = (
        [a - factor * b for a, b in zip(mine, other, strict=True)]
        for mine, other in zip(column, pivot, strict=True)
    )
    return values, weights
