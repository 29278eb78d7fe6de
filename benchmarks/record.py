"""What a run leaves behind: all measurements, where they were made, what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from benchmarks.known import Known
from benchmarks.measurement import Measurement, Minimized

__all__ = ["FORMAT", "Record", "Row"]

FORMAT = 2  # raised when a reader of older records would misread newer ones


@dataclass(frozen=True)
class Row:
    """Every solver on one table, asked the same.

    Attributes
    ----------
    table : str
        Name of the table.
    examples, features, classes : int
        How large it is.
    depth : int or None
        Greatest depth of the trees, where it is limited.
    limit : float
        CPU seconds an unfinished solver counts as.
    measurements : mapping
        From a solver's name to its measurement.
    group : str
        The tables it belongs to.
    minimize : {"errors", "size", "squared_error"}
        What the trees shall have least of.
    max_errors : int or None
        How many errors they may make; stated when their size is minimized.
    leaf_penalty : str or None
        What a leaf costs, in shares of the examples, where it costs something.
    quick : float
        Means leave the row out when the peer needs no more CPU seconds than this.
    known : Known or None
        What was proved about the table before.
    load : float or None
        How many processes wanted a processor when the row began, over the last minute.
    """

    table: str
    examples: int
    features: int
    classes: int
    depth: int | None
    limit: float
    measurements: Mapping[str, Measurement]
    group: str = ""
    minimize: Minimized = "errors"
    max_errors: int | None = None
    leaf_penalty: str | None = None
    quick: float = 0.0
    known: Known | None = None
    load: float | None = None

    @property
    def place(self) -> str:
        """Which row it is, in words."""
        depth = "" if self.depth is None else f", depth {self.depth}"
        penalty = "" if self.leaf_penalty is None else f", penalty {self.leaf_penalty}"
        return self.table + depth + penalty

    def value(self, name: str) -> float | Fraction | None:
        """Return what a solver's tree has of what is minimized; None without a tree."""
        measurement = self.measurements[name]
        if self.minimize == "size":
            return measurement.size
        if self.minimize == "squared_error":
            return measurement.squared_error
        if self.leaf_penalty is None or measurement.errors is None or measurement.size is None:
            return measurement.errors
        leaves = measurement.size + 1
        return measurement.errors + Fraction(self.leaf_penalty) * self.examples * leaves


@dataclass(frozen=True)
class Record:
    """A run, whole or interrupted.

    Attributes
    ----------
    name, date : str
        What it is called; the day it was made.
    suite : str
        The comparison that was asked for.
    machine : mapping
        Processor, cores, versions, commit.
    rows : tuple of Row
        The measurements.
    wrong, remarks : tuple of str
        What the comparison of answers found; a run with an entry in `wrong` has failed.
    complete : bool
        False when the run was interrupted.
    """

    name: str
    date: str
    suite: str
    machine: Mapping[str, Any]
    rows: tuple[Row, ...]
    wrong: tuple[str, ...] = ()
    remarks: tuple[str, ...] = ()
    complete: bool = True
    format: int = field(default=FORMAT)
