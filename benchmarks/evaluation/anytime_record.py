"""Record of `anytime`: incumbents and bounds of each solver over time, for every table."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Anytime", "Curve", "Moment", "TableResult"]


@dataclass(frozen=True)
class Moment:
    """Incumbent and lower bound from some time on.

    Attributes
    ----------
    seconds : float
        CPU seconds since the solver was given the table.
    errors : int or None
        Errors of the incumbent, None before the first.
    lower_bound : int or None
        Proved lower bound on the errors; None for a solver that does not report it.
    """

    seconds: float
    errors: int | None
    lower_bound: int | None = None


@dataclass(frozen=True)
class Curve:
    """One solver on one table.

    Attributes
    ----------
    solver : str
        Its name.
    moments : tuple of Moment
        Improvements of incumbent or lower bound, in the order of time.
    seconds : float
        CPU seconds of the whole search, or of the last of several.
    proved : bool
        Whether the solver claims that the last tree is optimal.
    """

    solver: str
    moments: tuple[Moment, ...]
    seconds: float
    proved: bool


@dataclass(frozen=True)
class TableResult:
    """All solvers on one table.

    Attributes
    ----------
    table, kind : str
        Name of the table; "continuous" or "binary".
    examples, features, classes : int
        Size of the table.
    greedy_errors : int
        Errors of CART.
    greedy_seconds : float
        CPU seconds of fitting CART, the minimum of several calls.
    caught_up : float or None
        CPU seconds from the beginning of `Problem(...)` until our incumbent was at least as good as
        CART's tree, the minimum of several calls; None if it never was.
    curves : tuple of Curve
        A curve for every installed solver.
    """

    table: str
    kind: str
    examples: int
    features: int
    classes: int
    greedy_errors: int
    greedy_seconds: float
    caught_up: float | None
    curves: tuple[Curve, ...]


@dataclass(frozen=True)
class Anytime:
    """All tables, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds that a search may take.
    depth : int
        Maximum depth of the trees.
    tables : tuple of TableResult
        The tables.
    loads : tuple of (float or None)
        Load of the machine before each table; None where the system reports none.
    complete : bool
        False if the run was interrupted; the record has finished tables only.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    depth: int
    tables: tuple[TableResult, ...]
    loads: tuple[float | None, ...]
    complete: bool
