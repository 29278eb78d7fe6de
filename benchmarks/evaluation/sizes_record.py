"""Problems and record of `ensembles-sizes`."""

from dataclasses import dataclass
from typing import Any

from exactree import Status

__all__ = ["PROBLEMS", "Run", "Sizes"]

# Number of trees and minimized quantity.
PROBLEMS = (
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
        Size of the table.
    errors : int
        Allowed errors: those that contradictory rows make unavoidable.
    trees : int
        Number of trees.
    minimize : str
        "size", "total_size" or "largest_size".
    status : str
        Status of the outcome.
    lower_bound : int
        Proved lower bound on the minimized quantity.
    total_size, largest_size : int
        Sizes of the returned tree or ensemble.
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
        """The minimized quantity of the returned tree or ensemble."""
        return self.largest_size if self.minimize == "largest_size" else self.total_size

    @property
    def proved(self) -> bool:
        """Whether the returned tree or ensemble is proved to be smallest."""
        return self.status == Status.OPTIMAL.value


@dataclass(frozen=True)
class Sizes:
    """All runs, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds that a search may take.
    runs : tuple of Run
        Table by table.
    loads : tuple of (float or None)
        Load of the machine before each table; None where the system reports none.
    complete : bool
        False if the run was interrupted.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    runs: tuple[Run, ...]
    loads: tuple[float | None, ...]
    complete: bool
