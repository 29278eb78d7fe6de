"""Record of an ablation: every configuration on every table."""

from dataclasses import dataclass
from typing import Any

from exactree import Status

__all__ = ["Ablation", "Run"]


@dataclass(frozen=True)
class Run:
    """One configuration on one table.

    Attributes
    ----------
    table : str
        Name of the table.
    examples, features, classes : int
        Size of the table.
    configuration : str
        "all on", "all off", the accelerator that is off, or another method.
    status : str
        Status of the outcome.
    cost : int or None
        Size of the tree, or total size of the ensemble, if one was found.
    lower_bound : int
        Proved lower bound.
    steps : int
        Number of search nodes of a witness search, that is, initial trees and refinements; for
        other methods, their own steps.
    seconds : float
        CPU seconds of the call, the median of three if it is short.
    """

    table: str
    examples: int
    features: int
    classes: int
    configuration: str
    status: str
    cost: int | None
    lower_bound: int
    steps: int
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether the tree or ensemble is proved to be smallest."""
        return self.status == Status.OPTIMAL.value


@dataclass(frozen=True)
class Ablation:
    """All runs, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    trees : int
        Number of trees of every ensemble.
    limit : float
        Seconds that a search may take.
    runs : tuple of Run
        Table by table.
    loads : tuple of (float or None)
        Load of the machine before each table; None where the system reports none.
    complete : bool
        False if the run was interrupted.
    others : tuple of str
        Other methods that ran on the same tables.
    switched : bool
        False if only these methods ran, without configurations of the witness search.
    """

    name: str
    date: str
    machine: dict[str, Any]
    trees: int
    limit: float
    runs: tuple[Run, ...]
    loads: tuple[float | None, ...]
    complete: bool
    others: tuple[str, ...] = ()
    switched: bool = True
