"""The command `python -m benchmarks anytime`: incumbents and lower bounds over time.

Trees with fewest errors within a depth, on tables with numeric and with binary features: incumbent
and lower bound over time, compared with CART and, if it is installed, with the anytime search of
another package.
"""

import argparse
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.console import Console

from benchmarks.evaluation.anytime_figure import draw
from benchmarks.evaluation.anytime_record import Anytime, TableResult
from benchmarks.evaluation.anytime_report import ALLOWED_DELAY, markdown, refuted
from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.read import read_anytime
from benchmarks.evaluation.watch import (
    curve_of_exactree,
    curve_of_peer,
    greedy,
    seconds_to_catch_up,
)
from benchmarks.machine import facts, installed, load
from benchmarks.peers import PEERS
from benchmarks.tables import read_table

__all__ = ["ANYTIME"]

ENDING = ".csv.gz"
PATTERNS = {"continuous": f"contree_*_train{ENDING}", "binary": f"cp4im_*{ENDING}"}
DEPTH = 4
PEER = PEERS["pytrees_anytime"]


def _tables(data: Path, options: argparse.Namespace) -> list[Path]:
    """Return the files of the tables on the command line, or of all tables."""
    if options.tables is None:
        found = [
            path for kind, name in PATTERNS.items() for path in sorted(data.glob(f"{kind}/{name}"))
        ]
        if not found:
            raise FileNotFoundError(", ".join(f"{k}/{name}" for k, name in PATTERNS.items()))
        return found
    paths = [data / f"{name}{ENDING}" for name in options.tables]
    if absent := [
        name for name, path in zip(options.tables, paths, strict=True) if not path.exists()
    ]:
        raise FileNotFoundError(f"{absent[0]}{ENDING}")
    return paths


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> Anytime:
    """Record every solver on every table; Ctrl-C stops and keeps the finished tables."""
    machine = facts(["exactree", "scikit-learn", PEER.distribution])
    date = datetime.now(UTC).date().isoformat()
    console = Console(stderr=True)
    if installed(PEER.distribution) is None:
        console.print(f"{PEER.distribution} is not installed, so it is left out.")
    tables: list[TableResult] = []
    loads: list[float | None] = []
    complete = True
    try:
        for path in paths:
            before = load()
            tables.append(_result(path, options.depth, options.limit))
            loads.append(before)
            console.print(f"{tables[-1].table}: done", highlight=False)
    except KeyboardInterrupt:
        complete = False
    measured = (tuple(tables), tuple(loads), complete)
    return Anytime(options.name, date, machine, options.limit, options.depth, *measured)


def _result(path: Path, depth: int, limit: float) -> TableResult:
    """Record every solver on one table."""
    X, y = read_table(path)
    errors, seconds = greedy(X, y, depth)
    curves = [curve_of_exactree(X, y, depth, limit)]
    if installed(PEER.distribution) is not None:
        curves.append(curve_of_peer(PEER, X, y, depth, limit))
    return TableResult(
        table=path.name.removesuffix(ENDING),
        kind=path.parent.name,
        examples=len(X),
        features=X.shape[1],
        classes=len(np.unique(y)),
        greedy_errors=errors,
        greedy_seconds=seconds,
        caught_up=seconds_to_catch_up(X, y, depth, errors, fast_enough=seconds + ALLOWED_DELAY),
        curves=tuple(curves),
    )


def _options(parser: argparse.ArgumentParser) -> None:
    named = "KIND/NAME in the data folder, such as binary/cp4im_lymph"
    parser.add_argument("--tables", nargs="+", metavar="KIND/NAME", help=named)
    depth = f"maximum depth of the trees ({DEPTH})"
    parser.add_argument("--depth", type=int, default=DEPTH, metavar="D", help=depth)


ANYTIME = Evaluation(
    name="anytime",
    about=__doc__,
    limit=10.0,
    options=_options,
    tables=_tables,
    measure=_measure,
    read=read_anytime,
    page=markdown,
    draw=draw,
    refuted=refuted,
)
