"""Record of `python -m benchmarks hyperplanes`: the results of every model on every table."""

from dataclasses import dataclass
from typing import Any

from benchmarks.evaluation.accuracy_record import MeasuredTable

__all__ = ["Surfaces", "Trained"]


@dataclass(frozen=True)
class Trained:
    """Results of one model of one size on one table; every tuple has an entry for each fold.

    Attributes
    ----------
    table, model : str
        The names of the table and of the model.
    max_examples : int
        The limit on the number of training examples; larger folds are sampled.
    nodes : int
        Maximum number of nodes of the tree; 0 for models that are not trees.
    examples : tuple of int
        Number of training examples.
    train, test : tuple of float
        Shares of the training and of the held-out examples that are predicted correctly.
    size : tuple of int
        Number of nodes of the tree.
    proved : tuple of (bool or None)
        Whether the model claims that no tree within the same limits makes fewer training errors;
        None for models that make no such claim.
    left_out : tuple of int
        Number of splits of the examples by a surface for which no rule in floating-point numbers
        was found; the search does without them.
    seconds : tuple of float
        CPU seconds of training.
    """

    table: str
    model: str
    max_examples: int
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
    """All results of a run, and the machine.

    Attributes
    ----------
    name, date : str
        Name of the record; date of the run.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        Time limit of an exact search in CPU seconds.
    folds : int
        Number of folds of the cross-validation.
    tables : tuple of MeasuredTable
        The tables.
    results : tuple of Trained
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
    folds: int
    tables: tuple[MeasuredTable, ...]
    results: tuple[Trained, ...]
    loads: tuple[float | None, ...]
    complete: bool
