"""Record of `ensembles-accuracy`: every model on every table, draw by draw."""

from dataclasses import dataclass
from typing import Any

__all__ = ["Accuracy", "Held", "Results"]


@dataclass(frozen=True)
class Held:
    """A table.

    Attributes
    ----------
    name : str
        Its name.
    examples, features, classes : int
        How large it is, with all examples.
    """

    name: str
    examples: int
    features: int
    classes: int


@dataclass(frozen=True)
class Results:
    """One model on one table, draw by draw.

    Attributes
    ----------
    table, model : str
        Their names.
    accuracy : tuple of float
        The share of new examples that are predicted rightly.
    total_size, largest_size : tuple of int
        Nodes of all trees, and of the largest.
    proved : tuple of (bool or None)
        Whether it is proved to be smallest; None where that is not claimed.
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
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds an exact search may take.
    trained, draws : int
        How many examples a model is trained with; how often they are drawn.
    tables : tuple of Held
        The tables.
    results : tuple of Results
        Table by table, model by model.
    loads : tuple of float
        How many processes wanted a processor, before every table.
    complete : bool
        False when the run was interrupted; it has whole tables only.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    trained: int
    draws: int
    tables: tuple[Held, ...]
    results: tuple[Results, ...]
    loads: tuple[float | None, ...]
    complete: bool
