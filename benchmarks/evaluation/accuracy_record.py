"""Record of `ensembles-accuracy`: every model on every table, for each random draw of examples."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Accuracy", "MeasuredTable", "Results"]


@dataclass(frozen=True)
class MeasuredTable:
    """A table of a run.

    Attributes
    ----------
    name : str
        Its name.
    examples, features, classes : int
        Size of the whole table.
    """

    name: str
    examples: int
    features: int
    classes: int


@dataclass(frozen=True)
class Results:
    """Results of a model on a table; every tuple has an entry for each draw of training examples.

    Attributes
    ----------
    table, model : str
        Their names.
    accuracy : tuple of float
        Share of the new examples that are predicted correctly.
    total_size, largest_size : tuple of int
        Nodes of all trees, and of the largest tree.
    proved : tuple of (bool or None)
        Whether the model is proved to be smallest; None for models without such a claim.
    seconds : tuple of float
        CPU seconds of training.
    """

    table: str
    model: str
    accuracy: tuple[float, ...]
    total_size: tuple[int, ...]
    largest_size: tuple[int, ...]
    proved: tuple[bool | None, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Accuracy:
    """All results, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds that an exact search may take.
    trained, draws : int
        Number of training examples of a model; number of draws of them.
    tables : tuple of MeasuredTable
        The tables.
    results : tuple of Results
        Table by table, model by model.
    loads : tuple of (float or None)
        Load of the machine before each table; None where the system reports none.
    complete : bool
        False if the run was interrupted; the record has finished tables only.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    trained: int
    draws: int
    tables: tuple[MeasuredTable, ...]
    results: tuple[Results, ...]
    loads: tuple[float | None, ...]
    complete: bool
