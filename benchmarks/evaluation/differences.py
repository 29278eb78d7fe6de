"""Differences in accuracy of two models, over data sets."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import mean, stdev

__all__ = ["Difference", "deviation", "difference_of"]


@dataclass(frozen=True)
class Difference:
    """Difference in accuracy of two models, the first minus the second.

    Attributes
    ----------
    mean, error : float
        Mean over data sets in percentage points, and its standard error.
    won, lost : int
        Numbers of data sets on which the first model is more accurate, and less accurate.
    tables, samples : int
        Number of compared data sets, and of random samples (draws) of training examples from all
        of them. Both models are trained on each sample.
    """

    mean: float
    error: float
    won: int
    lost: int
    tables: int
    samples: int

    def __str__(self) -> str:
        """Return the mean and its error."""
        return f"{self.mean:+.1f} ± {self.error:.1f}"

    def counts(self) -> str:
        """Return the numbers of data sets that the first model wins, that it loses, and of ties."""
        return f"{self.won}, {self.lost}, {self.tables - self.won - self.lost}"


def difference_of(points: Sequence[Sequence[float]]) -> Difference | None:
    """Return the summary of differences in percentage points, by data set and sample.

    Parameters
    ----------
    points : sequence of sequence of float
        For each data set a difference for every sample. Data sets without samples do not count; if
        all are without samples, the result is None.
    """
    by_table = [mean(of_table) for of_table in points if of_table]
    if not by_table:
        return None
    won = sum(difference > 1e-9 for difference in by_table)
    lost = sum(difference < -1e-9 for difference in by_table)
    error = deviation(by_table) / sqrt(len(by_table))
    return Difference(mean(by_table), error, won, lost, len(by_table), sum(map(len, points)))


def deviation(numbers: Sequence[float]) -> float:
    """Return the standard deviation, 0 of a single number."""
    return stdev(numbers) if len(numbers) > 1 else 0.0
