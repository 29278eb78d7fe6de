"""Differences in accuracy of two models, over tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

__all__ = ["Difference", "deviation", "difference_of"]


@dataclass(frozen=True)
class Difference:
    """Difference in accuracy of two models.

    Attributes
    ----------
    mean, error : float
        Percentage points over tables, and the standard error.
    won, lost : int
        Tables on which it is more, or less, accurate.
    tables, draws : int
        How many are compared.
    """

    mean: float
    error: float
    won: int
    lost: int
    tables: int
    draws: int

    def __str__(self) -> str:
        """Return the mean and its error."""
        return f"{self.mean:+.1f} ± {self.error:.1f}"

    def counts(self) -> str:
        """Return the numbers of tables on which the first model wins, loses and draws."""
        return f"{self.won}, {self.lost}, {self.tables - self.won - self.lost}"


def difference_of(points: Sequence[Sequence[float]]) -> Difference | None:
    """Return the summary of differences in percentage points, by table and draw.

    Parameters
    ----------
    points : sequence of sequence of float
        For each table a difference for every draw; tables without any do not count. Without
        tables there is no answer.
    """
    by_table = [mean(drawn) for drawn in points if drawn]
    if not by_table:
        return None
    won = sum(one > 1e-9 for one in by_table)
    lost = sum(one < -1e-9 for one in by_table)
    error = deviation(by_table) / sqrt(len(by_table))
    return Difference(mean(by_table), error, won, lost, len(by_table), sum(map(len, points)))


def deviation(numbers: Sequence[float]) -> float:
    """Return the standard deviation, 0 of a single number."""
    return stdev(numbers) if len(numbers) > 1 else 0.0
