"""The command `python -m benchmarks hyperplanes`: trees over lines and curves on real tables.

Trees of at most one, two and three nodes with the fewest errors, over thresholds, lines, planes,
curves and mixtures, are compared with CART and logistic regression in five-fold cross-validation.
All models are trained on the same examples of the training folds, and once more on few of these
examples, together with the families that otherwise have too many rules.
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

from benchmarks.evaluation.accuracy_record import MeasuredTable
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

# Chosen by hand before any measurement: real tables of different subjects with 90 to 310 examples,
# two or three classes and at most 25 features, of which at least two are quantities, not codes.
TABLES = (
    "pmlb_analcatdata_creditscore pmlb_analcatdata_cyyoung8092 pmlb_biomed pmlb_glass2 "
    "pmlb_heart_statlog pmlb_hepatitis pmlb_iris pmlb_new_thyroid pmlb_prnn_crabs "
    "pmlb_wine_recognition uci_habermans_survival uci_parkinson uci_planning_relax uci_seeds"
).split()
ENDING = ".csv.gz"
FOLDS = 5
MANY = 160  # examples of a training fold: with more, searches over lines take seconds
# With so few examples, families with very many rules can be searched: by Cover's theorem, curves of
# degree two split 20 examples in up to 16,664 ways, where opposite splits count once.
FEW = 20


def _tables(data: Path, options: argparse.Namespace) -> list[Path]:
    """Return the files of the tables on the command line."""
    paths = [data / "continuous" / f"{name}{ENDING}" for name in options.tables]
    if absent := [path.name for path in paths if not path.exists()]:
        raise FileNotFoundError(absent[0])
    return paths


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> Surfaces:
    """Train and test every model on every table; Ctrl-C stops and keeps finished tables."""
    machine, date = facts(["scikit-learn"]), datetime.now(UTC).date().isoformat()
    tables: list[MeasuredTable] = []
    results: list[Trained] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    read = [(path.name.removesuffix(ENDING), *read_table(path)) for path in paths]
    try:
        for name, X, y in read:
            loads.append(load())
            for max_examples, few in ((options.max_examples, False), (options.few_examples, True)):
                results += _results(name, X, y, max_examples, few, options.limit)
                console.print(f"{name}: at most {max_examples} examples", highlight=False)
            tables.append(MeasuredTable(name, *map(int, (*X.shape, y.max() + 1))))
    except KeyboardInterrupt:
        complete = False
    finished = {table.name for table in tables}
    of_finished = tuple(result for result in results if result.table in finished)
    measured = (tuple(tables), of_finished, tuple(loads))
    return Surfaces(options.name, date, machine, options.limit, FOLDS, *measured, complete)


def _results(
    table: str, X: NDArray[np.float64], y: NDArray[Any], max_examples: int, few: bool, limit: float
) -> list[Trained]:
    """Return the results of every model and size on a table, for a maximum number of examples."""
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=0)
    folds = each(
        partial(_one_fold, X, y, max_examples, few, limit), enumerate(splitter.split(X, y))
    )
    by_model = zip(_models(few), zip(*folds, strict=True), strict=True)
    return [
        Trained(table, name, max_examples, nodes, *zip(*rows, strict=True))
        for (name, _, nodes), rows in by_model
    ]


def _one_fold(
    X: NDArray[np.float64],
    y: NDArray[Any],
    max_examples: int,
    few: bool,
    limit: float,
    fold: tuple[int, tuple[NDArray[Any], NDArray[Any]]],
) -> list[tuple[Any, ...]]:
    """Return the results of every model and size for one fold."""
    number, (train, test) = fold
    train = _at_most(max_examples, train, y, number)
    features = features_for_lines(X[train], y[train])
    trainings = (
        (model, Training(X[train], y[train], nodes, features, limit))
        for _, model, nodes in _models(few)
    )
    return [_measured(model, training, X[test], y[test]) for model, training in trainings]


def _at_most(max_examples: int, rows: NDArray[Any], y: NDArray[Any], seed: int) -> NDArray[Any]:
    """Return the rows of a training fold, or a stratified sample of the maximum size."""
    if len(rows) <= max_examples:
        return rows
    sample: NDArray[Any] = train_test_split(
        rows, train_size=max_examples, stratify=y[rows], random_state=seed
    )[0]
    return sample


def _models(few: bool) -> Iterator[tuple[str, Model, int]]:
    """Yield name, model and number of nodes: trees for each number, other models with 0 nodes."""
    for name, model in MODELS.items():
        if few or not model.only_few:
            for nodes in NODES if model.tree else (0,):
                yield name, model, nodes


def _measured(
    model: Model, training: Training, X_test: NDArray[np.float64], y_test: NDArray[Any]
) -> tuple[Any, ...]:
    """Return the numbers of one fold, in the order of `Trained`."""
    start = time.process_time()
    fitted = model.fit(training)
    seconds = round(time.process_time() - start, 3)
    train = round(float((fitted.predict(training.X) == training.y).mean()), 5)
    test = round(float((fitted.predict(X_test) == y_test).mean()), 5)
    return len(training.y), train, test, fitted.size, fitted.proved, fitted.left_out, seconds


def _options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", default=TABLES, help="continuous/NAME.csv.gz")
    meaning = f"maximum number of examples of a training fold ({MANY})"
    add("--max-examples", type=int, default=MANY, metavar="N", help=meaning)
    few = f"the same in the runs that include families with very many rules ({FEW})"
    add("--few-examples", type=int, default=FEW, metavar="N", help=few)


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
