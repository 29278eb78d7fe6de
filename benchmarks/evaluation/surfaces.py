"""The command `python -m benchmarks hyperplanes`: trees over lines and curves on real tables.

Trees of one, two and three nodes and of fewest errors, over thresholds, lines, planes, curves and
mixtures, in five-fold cross-validation; beside them CART and logistic regression. All train with
the same examples: those of the training folds, and once more with few of them, for the families
that have too many rules otherwise.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from sklearn.model_selection import StratifiedKFold, train_test_split

from benchmarks.evaluation.accuracy_record import Held
from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.each import each
from benchmarks.evaluation.figures import draw_surfaces
from benchmarks.evaluation.read import read_surfaces
from benchmarks.evaluation.surfaces_models import MODELS, Model, Training, features_for_lines
from benchmarks.evaluation.surfaces_record import Surfaces, Trained
from benchmarks.evaluation.surfaces_report import NODES, markdown, refuted
from benchmarks.machine import facts, load
from benchmarks.tables import read_table

__all__ = ["SURFACES"]

# Chosen by hand before any was tried: real tables of different subjects, of 90 to 310 examples,
# with two or three classes and at most 25 features, at least two of them quantities, not codes.
TABLES = (
    "pmlb_analcatdata_creditscore pmlb_analcatdata_cyyoung8092 pmlb_biomed pmlb_glass2 "
    "pmlb_heart_statlog pmlb_hepatitis pmlb_iris pmlb_new_thyroid pmlb_prnn_crabs "
    "pmlb_wine_recognition uci_habermans_survival uci_parkinson uci_planning_relax uci_seeds"
).split()
ENDING = ".csv.gz"
FOLDS = 5
MOST = 160  # examples of a training fold: with more, searches over lines take seconds
FEW = 20  # for curves of degree two: five examples make a curve, so these make 16,664 divisions


def _tables(data: Path, options: argparse.Namespace) -> list[Path]:
    """Return the tables that are named."""
    paths = [data / "continuous" / f"{name}{ENDING}" for name in options.tables]
    if absent := [path.name for path in paths if not path.exists()]:
        raise FileNotFoundError(absent[0])
    return paths


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> Surfaces:
    """Train and try every model on every table; Ctrl-C stops and keeps finished tables."""
    machine, date = facts(["scikit-learn"]), datetime.now(UTC).date().isoformat()
    tables: list[Held] = []
    results: list[Trained] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    read = [(path.name.removesuffix(ENDING), *read_table(path)) for path in paths]
    try:
        for name, X, y in read:
            loads.append(load())
            for most, few in ((options.most, False), (options.few, True)):
                results += _results(name, X, y, most, few, options.limit)
                console.print(f"{name}: at most {most} examples", highlight=False)
            tables.append(Held(name, *map(int, (*X.shape, y.max() + 1))))
    except KeyboardInterrupt:
        complete = False
    kept = (tuple(tables), _of(tables, results), tuple(loads))
    return Surfaces(options.name, date, machine, options.limit, FOLDS, *kept, complete)


def _of(tables: Sequence[Held], results: Sequence[Trained]) -> tuple[Trained, ...]:
    whole = {table.name for table in tables}
    return tuple(one for one in results if one.table in whole)


def _results(
    table: str, X: NDArray[np.float64], y: NDArray[Any], most: int, few: bool, limit: float
) -> list[Trained]:
    """Return the results of every model and size on a table, for a number of examples."""
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    folds = each(partial(_of_fold, X, y, most, few, limit), enumerate(splitter.split(X, y)))
    by_model = zip(_models(few), zip(*folds, strict=True), strict=True)
    return [
        Trained(table, name, most, nodes, *zip(*rows, strict=True))
        for (name, _, nodes), rows in by_model
    ]


def _of_fold(
    X: NDArray[np.float64],
    y: NDArray[Any],
    most: int,
    few: bool,
    limit: float,
    fold: tuple[int, tuple[NDArray[Any], NDArray[Any]]],
) -> list[tuple[Any, ...]]:
    """Return the results of every model and size for one fold."""
    number, (known, new) = fold
    known = _at_most(most, known, y, number)
    features = features_for_lines(X[known], y[known])
    trainings = (
        (model, Training(X[known], y[known], nodes, features, limit))
        for _, model, nodes in _models(few)
    )
    return [_measured(model, training, X[new], y[new]) for model, training in trainings]


def _at_most(most: int, known: NDArray[Any], y: NDArray[Any], seed: int) -> NDArray[Any]:
    """Return all rows of a training fold, or so many, with the classes in proportion."""
    if len(known) <= most:
        return known
    kept: NDArray[Any] = train_test_split(
        known, train_size=most, stratify=y[known], random_state=seed
    )[0]
    return kept


def _models(few: bool) -> Iterator[tuple[str, Model, int]]:
    """Yield the models by their names, trees once for each number of nodes."""
    for name, model in MODELS.items():
        if few or not model.few:
            for nodes in NODES if model.tree else (0,):
                yield name, model, nodes


def _measured(
    model: Model, training: Training, new: NDArray[np.float64], hidden: NDArray[Any]
) -> tuple[Any, ...]:
    """Return the numbers of one fold, in the order of `Trained`."""
    start = time.process_time()
    fitted = model.fit(training)
    seconds = round(time.process_time() - start, 3)
    train = round(float((fitted.predict(training.X) == training.y).mean()), 5)
    test = round(float((fitted.predict(new) == hidden).mean()), 5)
    found = (fitted.size, fitted.proved, fitted.left_out)
    return len(training.y), train, test, *found, seconds


def _options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", default=TABLES, help="continuous/NAME.csv.gz")
    most = f"examples of a training fold that are used ({MOST})"
    add("--most", type=int, default=MOST, metavar="N", help=most)
    few = f"those used for families of very many rules ({FEW})"
    add("--few", type=int, default=FEW, metavar="N", help=few)


SURFACES = Evaluation(
    name="hyperplanes",
    about=__doc__,
    limit=10.0,
    options=_options,
    tables=_tables,
    measure=_measure,
    read=read_surfaces,
    page=markdown,
    draw=draw_surfaces,
    refuted=refuted,
)
