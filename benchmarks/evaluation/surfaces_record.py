"""Record of `hyperplanes`: every model on every table, fold by fold."""

from dataclasses import dataclass
from typing import Any

from benchmarks.evaluation.accuracy_record import MeasuredTable

__all__ = ["Surfaces", "Trained"]


@dataclass(frozen=True)
class Trained:
    """One model of one size on one table, fold by fold.

    Attributes
    ----------
    table, model : str
        Their names.
    most : int
        Maximum number of examples of a training fold.
    nodes : int
        Maximum number of nodes of the tree; 0 for models that are not trees.
    examples : tuple of int
        Number of training examples.
    train, test : tuple of float
        Shares of the training examples, and of the other examples, that are predicted correctly.
    size : tuple of int
        Nodes of the tree.
    proved : tuple of (bool or None)
        Whether no tree of that size makes fewer errors; None for models without such a claim.
    left_out : tuple of int
        Number of splits of the examples for which no rule in floating point was found.
    seconds : tuple of float
        CPU seconds of training.
    """

    table: str
    model: str
    most: int
    nodes: int
    examples: tuple[int, ...]
    train: tuple[float, ...]
    test: tuple[float, ...]
    size: tuple[int, ...]
    proved: tuple[bool | None, ...]
    left_out: tuple[int, ...]
    seconds: tuple[float, ...]


@dataclass(frozen=True)
class Surfaces:
    """All results, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds that an exact search may take.
    folds : int
        Folds of the cross-validation.
    tables : tuple of MeasuredTable
        The tables.
    results : tuple of Trained
        Table by table, model by model.
    loads : tuple of float
        Load of the machine before every table.
    complete : bool
        False if the run was interrupted; the record has finished tables only.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    folds: int
    tables: tuple[MeasuredTable, ...]
    results: tuple[Trained, ...]
    loads: tuple[float | None, ...]
    complete: bool
