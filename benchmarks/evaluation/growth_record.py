"""Record of `growth`: times of proofs, one factor at a time."""

from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["TABLES", "Growth", "Proof"]

# The series of real tables; the others vary one factor of planted ones.
TABLES = "tables"


@dataclass(frozen=True)
class Proof:
    """One problem on one table or on several similar tables.

    Attributes
    ----------
    series : str
        What it belongs to.
    factor : str
        What the series varies: "examples", "features", "depth", "classes", "noise", or "tables".
    table : str
        Name of a real table, else empty.
    examples, features, classes, depth : int
        How large it is, and how deep trees may be.
    noise : float or None
        Share of the labels that were drawn anew; None of a real table.
    seconds : tuple of float
        CPU seconds of making the problem and solving it, one for every table.
    extra_bytes : int or None
        Peak memory during the first less the memory before.
    errors, lower_bound : int
        Of the last.
    proved : bool
        Whether all were proved within the limit.
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
        """The median of its seconds."""
        return median(self.seconds)

    @property
    def value(self) -> float:
        """The value of the factor that its series varies."""
        return 0.0 if self.factor == TABLES else float(getattr(self, self.factor))


@dataclass(frozen=True)
class Growth:
    """All proofs, and the machine.

    Attributes
    ----------
    name, date : str
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds a proof may take.
    proofs : tuple of Proof
        Series by series, by increasing value of the factor. A series ends with the first that was
        not proved.
    loads : tuple of float
        How many processes wanted a processor, before every one.
    complete : bool
        False when the run was interrupted.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    proofs: tuple[Proof, ...]
    loads: tuple[float | None, ...]
    complete: bool
