"""Record of a run: all measurements, the machine, and the results of the comparison."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from benchmarks.known import Known
from benchmarks.measurement import Measurement, Minimized

__all__ = ["FORMAT", "Record", "Row", "read_record"]

FORMAT = 2  # to be raised if readers of older records would misread newer records


@dataclass(frozen=True)
class Row:
    """Measurements of every solver for one problem.

    Attributes
    ----------
    table : str
        Name of the table.
    examples, features, classes : int
        Size of the table.
    depth : int or None
        Maximum depth of the trees, None without a limit.
    limit : float
        Seconds that a fit may take, which also count as CPU seconds of an unfinished solver.
    measurements : mapping
        From a solver's name to its measurement.
    group : str
        Name of the group of tables.
    minimize : {"errors", "size", "squared_error"}
        Minimized quantity.
    max_errors : int or None
        Maximum number of errors, if the size is minimized.
    leaf_penalty : str or None
        Leaf penalty as a share of the examples, if there is one.
    quick : float
        Means exclude the row if the peer needs at most this many CPU seconds.
    known : Known or None
        Earlier results about the table.
    load : float or None
        Load of the machine at the beginning of the row, over the last minute.
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
        """Description of the row."""
        depth = "" if self.depth is None else f", depth {self.depth}"
        penalty = "" if self.leaf_penalty is None else f", penalty {self.leaf_penalty}"
        return self.table + depth + penalty

    def value(self, name: str) -> float | Fraction | None:
        """Return the minimized quantity of a solver's tree; None without a tree."""
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
    """A run, complete or interrupted.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    suite : str
        Name of the comparison.
    machine : mapping
        Processor, cores, versions, commit.
    rows : tuple of Row
        The measurements.
    wrong, remarks : tuple of str
        Results of the comparison; a run with an entry in `wrong` has failed.
    complete : bool
        False if the run was interrupted.
    format : int
        Version of the form of the record.
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


def read_record(path: Path) -> Record:
    """Return a record from its JSON file, without the ratios and means, which follow from it."""
    entries = json.loads(path.read_text(encoding="utf-8"))
    entries.pop("means", None)
    lists = {name: tuple(entries[name]) for name in ("wrong", "remarks")}
    return Record(**entries | lists | {"rows": tuple(map(_row, entries["rows"]))})


def _row(entries: dict[str, Any]) -> Row:
    entries.pop("ratios", None)
    known = None if entries["known"] is None else Known(**entries["known"])
    measurements = {
        name: Measurement.of_entries(entry) for name, entry in entries["measurements"].items()
    }
    return Row(**entries | {"known": known, "measurements": measurements})
