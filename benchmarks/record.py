"""What a run leaves behind: all measurements, where they were made, what was found."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.measurement import Measurement

__all__ = ["FORMAT", "Record", "Row"]

FORMAT = 1  # raised when a reader of older records would misread newer ones


@dataclass(frozen=True)
class Row:
    """Every solver on one table at one depth.

    Attributes
    ----------
    table : str
        Name of the table.
    examples, features, classes : int
        How large it is.
    depth : int
        Greatest depth of the trees.
    limit : float
        CPU seconds an unfinished solver counts as.
    measurements : mapping
        From a solver's name to its measurement.
    """

    table: str
    examples: int
    features: int
    classes: int
    depth: int
    limit: float
    measurements: Mapping[str, Measurement]


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
        What the comparison of errors found; a run with an entry in `wrong` has failed.
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
