"""The command `python -m benchmarks ensembles-accuracy`: smallest ensembles on new examples.

From every table a few examples are drawn for training, stratified by class; all others are new
examples. Every model is trained on each draw, of which there are eight by default.
"""

import argparse
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.model_selection import train_test_split

from benchmarks.evaluation.accuracy_record import Accuracy, MeasuredTable, Results
from benchmarks.evaluation.accuracy_report import markdown
from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.each import each
from benchmarks.evaluation.figures import draw_accuracy
from benchmarks.evaluation.models import MODELS, fit
from benchmarks.evaluation.read import read_accuracy
from benchmarks.machine import facts, load
from benchmarks.tables import read_table

__all__ = ["ACCURACY"]

# Chosen by hand: different subjects, two or three classes, at most 22 features, because with more
# features proofs take too long. No two of the tables share rows.
TABLES = (
    "australian biomed breast_w bupa diabetes german glass2 heart_statlog hepatitis "
    "house_votes_84 hungarian iris mushroom new_thyroid phoneme prnn_crabs saheart titanic "
    "wine_recognition"
).split()
PREFIX, ENDING = "pmlb_", ".csv.gz"
TRAINED = 40  # training examples: with more, few ensembles are proved smallest
DRAWS = 8


def _tables(data: Path, options: argparse.Namespace) -> list[Path]:
    """Return the files of the tables on the command line."""
    paths = [data / "continuous" / f"{PREFIX}{name}{ENDING}" for name in options.tables]
    if absent := [path.name for path in paths if not path.exists()]:
        raise FileNotFoundError(absent[0])
    return paths


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> Accuracy:
    """Train and test every model on every table; Ctrl-C stops and keeps finished tables."""
    machine, date = facts(["scikit-learn"]), datetime.now(UTC).date().isoformat()
    tables: list[MeasuredTable] = []
    results: list[Results] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    try:
        for path in paths:
            name = path.name.removeprefix(PREFIX).removesuffix(ENDING)
            loads.append(load())
            X, y = read_table(path)
            results += _results(name, X, y, options, console)
            tables.append(MeasuredTable(name, *map(int, (*X.shape, y.max() + 1))))
    except KeyboardInterrupt:
        complete = False
    settings = (options.limit, options.trained, options.draws)
    measured = (tuple(tables), tuple(results), tuple(loads))
    return Accuracy(options.name, date, machine, *settings, *measured, complete)


def _results(
    table: str,
    X: NDArray[np.float64],
    y: NDArray[Any],
    options: argparse.Namespace,
    console: Console,
) -> list[Results]:
    """Return the results of every model on one table."""
    draws = each(partial(_one_draw, X, y, options.trained, options.limit), range(options.draws))
    console.print(f"{table}: {len(draws)} draws of {len(MODELS)} models", highlight=False)
    by_model = zip(MODELS, zip(*draws, strict=True), strict=True)
    return [Results(table, model, *zip(*rows, strict=True)) for model, rows in by_model]


def _one_draw(
    X: NDArray[np.float64], y: NDArray[Any], trained: int, limit: float, draw: int
) -> list[tuple[float, int, int, bool | None, float]]:
    """Return accuracy, sizes, proof and seconds of every model for one draw, as in `Results`."""
    X_train, X_new, y_train, y_new = train_test_split(
        X, y, train_size=trained, stratify=y, random_state=draw
    )
    rows = []
    for model in MODELS:
        start = time.process_time()
        fitted = fit(model, X_train, y_train, draw, limit)
        seconds = round(time.process_time() - start, 3)
        accuracy = round(float((fitted.predict(X_new) == y_new).mean()), 5)
        rows.append((accuracy, fitted.total_size, fitted.largest_size, fitted.proved, seconds))
    return rows


def _options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", default=TABLES, help="continuous/pmlb_NAME.csv.gz")
    add("--draws", type=int, default=DRAWS, metavar="N", help=f"draws of each table ({DRAWS})")
    trained = f"training examples of a model ({TRAINED})"
    add("--trained", type=int, default=TRAINED, metavar="N", help=trained)


ACCURACY = Evaluation(
    name="ensembles-accuracy",
    about=__doc__,
    limit=2.0,
    options=_options,
    tables=_tables,
    measure=_measure,
    read=read_accuracy,
    page=markdown,
    draw=draw_accuracy,
)
