"""Record of `anytime`: incumbents and bounds of each solver over time, for every table."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Anytime", "Curve", "Moment", "Watched"]


@dataclass(frozen=True)
class Moment:
    """Incumbent and lower bound from some time on.

    Attributes
    ----------
    seconds : float
        CPU seconds since the solver was given the table.
    errors : int or None
        Those of the best tree so far, None while there is none.
    lower_bound : int or None
        No tree makes fewer; None of a solver that does not tell.
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
        Where something got better, in the order of time.
    seconds : float
        CPU seconds of the whole search, or of the last of several.
    proved : bool
        Whether the solver claims that the last tree is best.
    """

    solver: str
    moments: tuple[Moment, ...]
    seconds: float
    proved: bool


@dataclass(frozen=True)
class Watched:
    """One table.

    Attributes
    ----------
    table, kind : str
        Its name; "continuous" or "binary".
    examples, features, classes : int
        How large it is.
    greedy_errors : int
        Errors of CART.
    greedy_seconds : float
        CPU seconds of fitting CART, the least of several calls.
    caught_up : float or None
        CPU seconds until our incumbent was at least as good as CART's tree, from the making of the
        problem on, the least of several calls; None if it was not.
    curves : tuple of Curve
        One for every solver that was there.
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
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds a search may take.
    depth : int
        Greatest depth of the trees.
    tables : tuple of Watched
        The tables.
    loads : tuple of float
        How many processes wanted a processor, before every table.
    complete : bool
        False when the run was interrupted; it has whole tables only.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    depth: int
    tables: tuple[Watched, ...]
    loads: tuple[float | None, ...]
    complete: bool
