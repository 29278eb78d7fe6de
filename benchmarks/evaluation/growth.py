"""The command `python -m benchmarks growth`: growth of proof times with the problem.

Trees with fewest errors within a depth: on planted tables, where one factor grows at a time (the
number of examples, features or classes, the depth, or the noise), and on the tables `uci_*`.
"""

import argparse
import gc
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from rich.console import Console

from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.growth_figure import draw
from benchmarks.evaluation.growth_record import TABLES, Growth, GrowthRun
from benchmarks.evaluation.growth_report import markdown
from benchmarks.evaluation.planted import planted
from benchmarks.evaluation.read import read_growth
from benchmarks.machine import facts, load
from benchmarks.peak_memory import forget_peak, peak_bytes
from benchmarks.tables import tiny_table
from exactree import Limits, Outcome, Problem, Status, solve
from exactree.cli.examples import read_examples
from exactree.cli.table_options import TableArguments

__all__ = ["GROWTH"]

ENDING = ".csv.gz"
PATTERN = f"continuous/uci_*{ENDING}"
DEPTH_OF_TABLES = 3
# Number of tables with different planted trees for each value; fewer after a search that takes more
# CPU seconds than SHORT.
DRAWS = 3
SHORT = 5.0


@dataclass(frozen=True)
class Planted:
    """Properties of a planted table, and the depth of the planted tree and of the limit."""

    examples: int
    features: int
    classes: int
    depth: int
    noise: float


SMALL = Planted(examples=1_000, features=10, classes=2, depth=3, noise=0.1)
LARGE = replace(SMALL, examples=10_000, depth=2)
TENFOLD = (100, 1_000, 10_000, 100_000, 1_000_000)

# The varied property, the other properties of the table, and the values.
SERIES: tuple[tuple[str, Planted, tuple[float, ...]], ...] = (
    ("examples", replace(SMALL, depth=1), TENFOLD),
    ("examples", LARGE, TENFOLD),
    ("examples", SMALL, TENFOLD),
    ("features", LARGE, (1, 3, 10, 30, 100, 300)),
    ("features", SMALL, (1, 3, 10, 30, 100)),
    ("depth", SMALL, (0, 1, 2, 3, 4, 5)),
    ("depth", replace(SMALL, examples=10_000), (0, 1, 2, 3, 4)),
    ("classes", LARGE, (2, 3, 5, 10, 20, 50)),
    ("classes", SMALL, (2, 3, 5, 10, 20, 50)),
    ("noise", LARGE, (0.0, 0.1, 0.3, 0.6, 1.0)),
    ("noise", SMALL, (0.0, 0.1, 0.3, 0.6, 1.0)),
)


def named(factor: str, start: Planted) -> str:
    """Return the name of a series: its fixed properties."""
    properties = {
        "examples": f"{start.examples:,} examples",
        "features": f"{start.features} features",
        "classes": f"{start.classes} classes",
        "depth": f"depth {start.depth}",
        "noise": f"noise {start.noise:g}",
    }
    return ", ".join(text for name, text in properties.items() if name != factor)


def _tables(data: Path, options: argparse.Namespace) -> list[Path]:
    """Return the real tables."""
    found = sorted(data.glob(PATTERN))
    if not found:
        raise FileNotFoundError(PATTERN)
    return found


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> Growth:
    """Run every search; Ctrl-C ends this and keeps finished runs."""
    machine, date = facts(["exactree"]), datetime.now(UTC).date().isoformat()
    runs: list[GrowthRun] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    _solved(*tiny_table(), 1, options.limit)  # so that lazy imports are not measured
    try:
        for run in _runs(paths, options):
            loads.append(load())
            runs.append(run)
            text = f"{run.factor} {run.table or f'{run.value:g}'}: {run.typical:.3g} CPU s"
            console.print(text, highlight=False)
    except KeyboardInterrupt:
        complete = False
    return Growth(options.name, date, machine, options.limit, tuple(runs), tuple(loads), complete)


def _runs(paths: Iterable[Path], options: argparse.Namespace) -> Iterator[GrowthRun]:
    """Yield the runs of each series up to the first search that was stopped, then real tables."""
    for factor, start, values in SERIES:
        for value in values if factor in options.factors else ():
            varied: dict[str, Any] = {factor: value}
            kind = replace(start, **varied)
            if kind.examples > options.max_examples:
                break
            tables = (planted(**asdict(kind), seed=seed) for seed in range(DRAWS))
            place = {"series": named(factor, start), "factor": factor, "table": ""}
            yield (run := _run(tables, kind.depth, options.limit, **place, noise=kind.noise))
            if not run.proved:
                break
    for path in paths if TABLES in options.factors else ():
        table = path.name.removesuffix(ENDING)
        place = {"series": f"depth {DEPTH_OF_TABLES}", "factor": TABLES, "table": table}
        yield _run([_read(path)], DEPTH_OF_TABLES, options.limit, **place, noise=None)


def _read(path: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return features and labels; labels of some of these tables are text."""
    examples = read_examples(TableArguments(path, "target"), quiet=True)
    return np.asarray(examples.X, dtype=np.float64), np.asarray(examples.labels)


def _run(
    tables: Iterable[tuple[NDArray[Any], NDArray[Any]]], depth: int, limit: float, **place: Any
) -> GrowthRun:
    """Solve tables of one kind, fewer if that takes long."""
    runs = []
    for X, y in tables:
        outcome, seconds, extra_bytes = _solved(X, y, depth, limit)
        runs.append((outcome, seconds, extra_bytes))
        if seconds > SHORT:
            break
    assert isinstance(outcome.cost, int)
    assert isinstance(outcome.lower_bound, int)
    return GrowthRun(
        **place,
        examples=len(X),
        features=X.shape[1],
        classes=len(np.unique(y)),
        depth=depth,
        seconds=tuple(round(seconds, 6) for _, seconds, _ in runs),
        extra_bytes=runs[0][2],
        errors=outcome.cost,
        lower_bound=outcome.lower_bound,
        proved=all(outcome.status is Status.OPTIMAL for outcome, _, _ in runs),
    )


def _solved(
    X: NDArray[Any], y: NDArray[Any], depth: int, limit: float
) -> tuple[Outcome, float, int | None]:
    """Return the outcome within CPU seconds, the seconds, and the increase of peak memory."""
    gc.collect()
    forget_peak()
    before = peak_bytes()
    start = time.process_time()
    problem = Problem(X, y, limits=Limits(max_depth=depth))
    outcome = solve(problem, on_progress=lambda _: time.process_time() - start >= limit)
    seconds = time.process_time() - start
    after = peak_bytes()
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    return outcome, seconds, None if before is None or after is None else after - before


def _options(parser: argparse.ArgumentParser) -> None:
    factors = [*dict.fromkeys(factor for factor, _, _ in SERIES), TABLES]
    varied = "properties to vary (all); tables: real tables"
    add = parser.add_argument
    add("--factors", nargs="+", choices=factors, default=factors, help=varied)
    larger = "leave out planted tables with more examples"
    add("--max-examples", type=int, default=max(TENFOLD), metavar="N", help=larger)


GROWTH = Evaluation(
    name="growth",
    about=__doc__,
    limit=30.0,
    options=_options,
    tables=_tables,
    measure=_measure,
    read=read_growth,
    page=markdown,
    draw=draw,
)
