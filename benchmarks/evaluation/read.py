"""Readers of the records of evaluations, to make pages and pictures again."""

import json
from pathlib import Path
from typing import Any

from benchmarks.evaluation.accuracy_record import Accuracy, MeasuredTable, Results
from benchmarks.evaluation.anytime_record import Anytime, Curve, Moment, TableResult
from benchmarks.evaluation.growth_record import Growth, GrowthRun
from benchmarks.evaluation.sizes_record import Run, Sizes
from benchmarks.evaluation.surfaces_record import Surfaces, Trained

__all__ = ["read_accuracy", "read_anytime", "read_growth", "read_sizes", "read_surfaces"]


def read_sizes(path: Path) -> Sizes:
    """Return a record of `ensembles-sizes`."""
    entries = _entries(path)
    return Sizes(**entries | {"runs": tuple(Run(**run) for run in entries["runs"])})


def read_accuracy(path: Path) -> Accuracy:
    """Return a record of `ensembles-accuracy`."""
    entries = _entries(path)
    tables = tuple(MeasuredTable(**table) for table in entries["tables"])
    results = tuple(Results(**_frozen(result)) for result in entries["results"])
    return Accuracy(**entries | {"tables": tables, "results": results})


def read_surfaces(path: Path) -> Surfaces:
    """Return a record of `hyperplanes`."""
    entries = _entries(path)
    tables = tuple(MeasuredTable(**table) for table in entries["tables"])
    results = tuple(Trained(**_frozen(result)) for result in entries["results"])
    return Surfaces(**entries | {"tables": tables, "results": results})


def read_anytime(path: Path) -> Anytime:
    """Return a record of `anytime`."""
    entries = _entries(path)
    tables = tuple(
        TableResult(**table | {"curves": tuple(_curve(curve) for curve in table["curves"])})
        for table in entries["tables"]
    )
    return Anytime(**entries | {"tables": tables})


def _curve(entries: dict[str, Any]) -> Curve:
    return Curve(**entries | {"moments": tuple(Moment(**moment) for moment in entries["moments"])})


def read_growth(path: Path) -> Growth:
    """Return a record of `growth`."""
    entries = _entries(path)
    runs = tuple(GrowthRun(**_frozen(run)) for run in entries["runs"])
    return Growth(**entries | {"runs": runs})


def _entries(path: Path) -> dict[str, Any]:
    return _frozen(json.loads(path.read_text(encoding="utf-8")))


def _frozen(entries: dict[str, Any]) -> dict[str, Any]:
    """Return the entries with tuples in place of lists."""
    return {
        name: tuple(value) if isinstance(value, list) else value for name, value in entries.items()
    }
