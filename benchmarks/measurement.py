"""Tasks of measurements, and their results."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Any, Literal, Self

__all__ = ["End", "Measurement", "Minimized", "Task"]

Minimized = Literal["errors", "size", "squared_error"]


@dataclass(frozen=True)
class Task:
    """One solver for one problem.

    Attributes
    ----------
    adapter : str
        Module with the `fit` or the `smallest` to measure.
    table : str
        File of the table.
    depth : int or None
        Greatest depth of the tree.
    limit : float
        Seconds a fit may take.
    exact : bool
        Whether the solver claims proofs.
    minimize : {"errors", "size", "squared_error"}
        What the tree shall have least of.
    max_errors : int or None
        How many errors the tree may make; stated when its size is minimized.
    leaf_penalty : str or None
        What a leaf costs, as a decimal number in shares of the examples, beside the errors.
    thresholds : int or None
        How many thresholds a feature is turned into two-valued ones at, where it is.
    option : str or None
        The option of `benchmarks.option_problems` that the problem is stated with.
    """

    adapter: str
    table: str
    depth: int | None
    limit: float
    exact: bool = True
    minimize: Minimized = "errors"
    max_errors: int | None = None
    leaf_penalty: str | None = None
    thresholds: int | None = None
    option: str | None = None


class End(StrEnum):
    """How a measurement ended."""

    PROVED = "proved"
    """The solver claims that its tree is best, and it kept the limit."""
    GREEDY = "greedy"
    """The solver is done and claims nothing."""
    UNFINISHED = "unfinished"
    """It stopped without a claim, or overran the limit."""
    FAILED = "failed"
    """It raised, broke its process, or its tree is too deep or errs too often."""
    MISSING = "not installed"
    """Nothing was measured."""


@dataclass(frozen=True)
class Measurement:
    """Times and result of one task.

    Attributes
    ----------
    end : End
        How it ended.
    errors : int or None
        Misclassified examples, counted from the predictions.
    cpu_seconds, wall_seconds : tuple of float
        Of each fit, in order; three of them when a fit is short.
    extra_bytes : int or None
        Peak memory during the first fit less the memory before it.
    reason : str
        Why it failed or did not finish.
    size : int or None
        Nodes of the tree; those that a program claims, which shows no tree.
    lower_bound : int, float or None
        What the solver claims that no tree has less of.
    squared_error : float or None
        Sum of squares about the predictions, where the labels are numbers.
    cost : int, float or None
        What the solver claims that its tree costs, where that is not one of the above.
    """

    end: End
    errors: int | None = None
    cpu_seconds: tuple[float, ...] = ()
    wall_seconds: tuple[float, ...] = ()
    extra_bytes: int | None = None
    reason: str = ""
    size: int | None = None
    lower_bound: float | None = None
    squared_error: float | None = None
    cost: float | None = None

    @classmethod
    def of_entries(cls, entries: Mapping[str, Any]) -> Self:
        """Return the measurement that was written as JSON."""
        lists = {name: tuple(value) for name, value in entries.items() if isinstance(value, list)}
        return cls(**{**entries, **lists, "end": End(entries["end"])})

    @property
    def seconds(self) -> float | None:
        """Median of the CPU seconds of a fit; None if nothing was measured."""
        return median(self.cpu_seconds) if self.cpu_seconds else None

    def counted(self, limit: float) -> float | None:
        """Return the CPU seconds that ratios count: the limit for an unfinished solver.

        A solver that failed has none: a quick crash is no speed, and no long search either.
        """
        match self.end:
            case End.PROVED | End.GREEDY:
                return self.seconds
            case End.UNFINISHED:
                return limit
            case End.FAILED | End.MISSING:
                return None
