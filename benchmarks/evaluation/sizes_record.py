"""Problems and record of `ensembles-sizes`."""

from dataclasses import dataclass
from typing import Any

from exactree import Status

__all__ = ["QUESTIONS", "Run", "Sizes"]

QUESTIONS = (
    (1, "size"),
    (3, "total_size"),
    (5, "total_size"),
    (3, "largest_size"),
    (5, "largest_size"),
)


@dataclass(frozen=True)
class Run:
    """One problem on one table.

    Attributes
    ----------
    table : str
        Its name.
    examples, features, classes : int
        How large it is.
    errors : int
        Errors that are allowed: those that contradictory rows leave.
    trees : int
        How many there are to be.
    minimize : str
        "size", "total_size" or "largest_size".
    status : str
        How the search ended.
    lower_bound : int
        What was proved about the quantity.
    total_size, largest_size : int
        Of the tree or ensemble that was found.
    seconds : float
        CPU seconds.
    """

    table: str
    examples: int
    features: int
    classes: int
    errors: int
    trees: int
    minimize: str
    status: str
    lower_bound: int
    total_size: int
    largest_size: int
    seconds: float

    @property
    def found(self) -> int:
        """The quantity that was minimized."""
        return self.largest_size if self.minimize == "largest_size" else self.total_size

    @property
    def proved(self) -> bool:
        """Whether what was found is proved to be smallest."""
        return self.status == Status.OPTIMAL.value


@dataclass(frozen=True)
class Sizes:
    """All runs, and the machine.

    Attributes
    ----------
    name, date : str
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds a search may take.
    runs : tuple of Run
        Table by table.
    loads : tuple of float
        How many processes wanted a processor, before every table.
    complete : bool
        False when the run was interrupted.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    runs: tuple[Run, ...]
    loads: tuple[float | None, ...]
    complete: bool
