"""The command `python -m benchmarks ensembles-accuracy`: smallest ensembles on new examples.

From every table a few examples are drawn for training, as many of each class as its share says; all
others are new. Every model is trained with the same examples, eight times with others.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.model_selection import train_test_split

from benchmarks.evaluation.models import MODELS, fit
from benchmarks.machine import facts, load
from benchmarks.tables import read_table

__all__ = ["NAME", "Accuracy", "Held", "Results", "main"]

NAME = "ensembles-accuracy"
# Chosen by hand: of different subjects, of two or three classes, with at most 22 features, because
# proofs take too long with more. Tables that share their rows with one of these are left out.
TABLES = (
    "australian biomed breast_w bupa diabetes german glass2 heart_statlog hepatitis "
    "house_votes_84 hungarian iris mushroom new_thyroid phoneme prnn_crabs saheart titanic "
    "wine_recognition"
).split()
TRAINED = 40  # examples: with more, few ensembles are proved smallest
DRAWS = 8
LIMIT = 2.0
RECORDS = Path(__file__).resolve().parents[1] / "records"
NO_DATA = (
    "Nothing was measured: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)


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
    """All results, and where they were made.

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


def main(arguments: Sequence[str]) -> int:
    """Return the exit code: 1 when a table is absent, 130 on Ctrl-C, else 0, also without data."""
    from benchmarks.evaluation.accuracy_report import markdown
    from benchmarks.evaluation.read import read_accuracy
    from benchmarks.write import write_under

    asked = _parser().parse_args(arguments)
    if asked.again is not None:
        _show(read_accuracy(asked.again), asked.again)
        return 0
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    folder = Path(os.environ["EXACTREE_DATA"]) / "continuous"
    paths = {name: folder / f"pmlb_{name}.csv.gz" for name in asked.tables}
    if absent := [path.name for path in paths.values() if not path.exists()]:
        print(f"The folder that EXACTREE_DATA names has no {absent[0]}.", file=sys.stderr)
        return 1
    made = _measure(paths, asked)
    stem = f"{made.date}-{made.name}"
    _show(made, write_under(asked.out, stem, asdict(made), markdown(made)))
    return 0 if made.complete else 130


def _show(made: Accuracy, record: Path) -> None:
    """Write page and picture beside a record, and print the page."""
    from benchmarks.evaluation.accuracy_report import markdown
    from benchmarks.evaluation.figures import draw_accuracy

    record.with_suffix(".md").write_text(markdown(made), encoding="utf-8")
    draw_accuracy(made, record.with_suffix(".svg"))
    print(f"{markdown(made)}\nRecord: {record}")


def _measure(paths: dict[str, Path], asked: argparse.Namespace) -> Accuracy:
    """Train and try every model on every table; Ctrl-C ends that and keeps whole tables."""
    machine, date = facts(["scikit-learn"]), datetime.now(UTC).date().isoformat()
    tables: list[Held] = []
    results: list[Results] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    try:
        for name, path in paths.items():
            loads.append(load())
            X, y = read_table(path)
            results += _results(name, X, y, asked, console)
            tables.append(Held(name, *map(int, (*X.shape, y.max() + 1))))
    except KeyboardInterrupt:
        complete = False
    how = (asked.limit, asked.trained, asked.draws)
    kept = (tuple(tables), tuple(results), tuple(loads))
    return Accuracy(asked.name or NAME, date, machine, *how, *kept, complete)


def _results(
    table: str,
    X: NDArray[np.float64],
    y: NDArray[Any],
    asked: argparse.Namespace,
    console: Console,
) -> list[Results]:
    """Return what every model makes of one table."""
    columns: dict[str, list[tuple[float, int, int, bool | None, float]]] = {}
    for draw in range(asked.draws):
        known, new, labels, hidden = train_test_split(
            X, y, train_size=asked.trained, stratify=y, random_state=draw
        )
        for model in MODELS:
            start = time.process_time()
            fitted = fit(model, known, labels, draw, asked.limit)
            seconds = round(time.process_time() - start, 3)
            right = round(float((fitted.predict(new) == hidden).mean()), 5)
            measured = (right, fitted.total_size, fitted.largest_size, fitted.proved, seconds)
            columns.setdefault(model, []).append(measured)
        console.print(f"{table}, draw {draw}: {len(MODELS)} models", highlight=False)
    return [Results(table, model, *zip(*rows, strict=True)) for model, rows in columns.items()]


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {NAME}", description=__doc__)
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", default=TABLES, help="continuous/pmlb_NAME.csv.gz")
    add("--draws", type=int, default=DRAWS, metavar="N", help=f"draws of each table ({DRAWS})")
    trained = f"examples a model is trained with ({TRAINED})"
    add("--trained", type=int, default=TRAINED, metavar="N", help=trained)
    seconds = f"CPU seconds of an exact search ({LIMIT:g})"
    add("--limit", type=float, default=LIMIT, metavar="S", help=seconds)
    add("--again", type=Path, metavar="RECORD", help="make its page and picture again, no more")
    add("--name", help=f"name of the record ({NAME})")
    add("--out", type=Path, default=RECORDS, metavar="DIR", help="folder of the record")
    return parser
