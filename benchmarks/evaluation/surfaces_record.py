"""Record of `hyperplanes`: every model on every table, fold by fold."""

from dataclasses import dataclass
from typing import Any

from benchmarks.evaluation.accuracy_record import Held

__all__ = ["Surfaces", "Trained"]


@dataclass(frozen=True)
class Trained:
    """One model of one size on one table, fold by fold.

    Attributes
    ----------
    table, model : str
        Their names.
    most : int
        How many examples of a training fold may be used.
    nodes : int
        How many the tree may have; 0 of models that are no trees.
    examples : tuple of int
        How many it was trained with.
    train, test : tuple of float
        The share of these, and of the examples of the fold, that are predicted rightly.
    size : tuple of int
        Nodes of the tree.
    proved : tuple of (bool or None)
        Whether no tree of that size makes fewer errors; None where that is not claimed.
    left_out : tuple of int
        Ways to divide the examples for which no rule in floating point was found.
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
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds an exact search may take.
    folds : int
        Folds of the cross-validation.
    tables : tuple of Held
        The tables.
    results : tuple of Trained
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
    folds: int
    tables: tuple[Held, ...]
    results: tuple[Trained, ...]
    loads: tuple[float | None, ...]
    complete: bool
