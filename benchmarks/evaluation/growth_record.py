"""Record of `growth`: times of runs, one factor at a time."""

from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["TABLES", "Growth", "GrowthRun"]

# The "factor" of series of real tables; other series vary one property of planted tables.
TABLES = "tables"


@dataclass(frozen=True)
class GrowthRun:
    """One problem on one table or on several similar tables.

    Attributes
    ----------
    series : str
        The constant properties of the series.
    factor : str
        The varied property: "examples", "features", "depth", "classes", "noise", or "tables".
    table : str
        Name of a real table, else empty.
    examples, features, classes, depth : int
        Size of the table, and maximum depth of the tree.
    noise : float or None
        Share of the labels that were replaced by random labels; None for a real table.
    seconds : tuple of float
        CPU seconds of making and solving the problem, for every table.
    extra_bytes : int or None
        Increase of the peak memory by the first search.
    errors, lower_bound : int
        Result of the last search.
    proved : bool
        Whether all searches were finished within the limit.
    """

    series: str
    factor: str
    table: str
    examples: int
    features: int
    classes: int
    depth: int
    noise: float | None
    seconds: tuple[float, ...]
    extra_bytes: int | None
    errors: int
    lower_bound: int
    proved: bool

    @property
    def typical(self) -> float:
        """The median of the seconds."""
        return median(self.seconds)

    @property
    def value(self) -> float:
        """The value of the factor that its series varies."""
        return 0.0 if self.factor == TABLES else float(getattr(self, self.factor))


@dataclass(frozen=True)
class Growth:
    """All runs, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds that a search may take.
    runs : tuple of GrowthRun
        Series by series, by increasing value of the factor. A series ends with the first search
        that was stopped.
    loads : tuple of (float or None)
        Load of the machine before each search; None where the system reports none.
    complete : bool
        False if the run was interrupted.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    runs: tuple[GrowthRun, ...]
    loads: tuple[float | None, ...]
    complete: bool
