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
    """A problem for one solver.

    Attributes
    ----------
    adapter : str
        Module with the function to measure: `fit`, `sparse`, `regression` or `smallest`; with an
        option, `with_option`, which returns that function.
    table : str
        File of the table.
    depth : int or None
        Maximum depth of the tree.
    limit : float
        Seconds that a fit may take.
    exact : bool
        Whether the solver claims proofs.
    minimize : {"errors", "size", "squared_error"}
        The minimized quantity.
    max_errors : int or None
        Maximum number of errors, if the size is minimized.
    leaf_penalty : str or None
        Cost of a leaf in addition to the errors, as a decimal share of the examples.
    thresholds : int or None
        Number of quantiles by which a feature becomes binary features; None to keep features.
    option : str or None
        Name of the option of the problem in `benchmarks.option_problems`; None without an option.
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
    """The way in which a measurement ended."""

    PROVED = "proved"
    """The solver finished within the limit and claims that its tree is optimal."""
    GREEDY = "greedy"
    """The solver finished; it never claims that its tree is optimal."""
    UNFINISHED = "unfinished"
    """The solver stopped without a claim, or overran the limit."""
    FAILED = "failed"
    """The solver raised an exception, crashed, or its tree breaks a limit of the task."""
    MISSING = "not installed"
    """Nothing was measured."""


@dataclass(frozen=True)
class Measurement:
    """Times and result of one task.

    Attributes
    ----------
    end : End
        The way in which it ended.
    errors : int or None
        Misclassified examples, counted from the predictions.
    cpu_seconds, wall_seconds : tuple of float
        Times of the fits; there are three fits if the first is short.
    extra_bytes : int or None
        Increase of the peak memory by the first fit.
    reason : str
        The reason if the solver failed or did not finish.
    size : int or None
        Number of nodes of the tree, as reported by the solver.
    lower_bound : int, float or None
        The solver's lower bound on the minimized quantity.
    squared_error : float or None
        Sum of squared errors of the predictions, for a regression.
    cost : int, float or None
        Cost of the tree, as reported by the solver, for a problem with an option.
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
        """Return the measurement with these entries of a JSON file."""
        lists = {name: tuple(value) for name, value in entries.items() if isinstance(value, list)}
        return cls(**{**entries, **lists, "end": End(entries["end"])})

    @property
    def seconds(self) -> float | None:
        """Median of the CPU seconds of a fit; None if nothing was measured."""
        return median(self.cpu_seconds) if self.cpu_seconds else None

    def counted(self, limit: float) -> float | None:
        """Return the CPU seconds that count in ratios: the limit for an unfinished solver.

        They are None for a solver that failed, because the time until a failure says nothing.
        """
        match self.end:
            case End.PROVED | End.GREEDY:
                return self.seconds
            case End.UNFINISHED:
                return limit
            case End.FAILED | End.MISSING:
                return None
