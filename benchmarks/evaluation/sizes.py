"""The command `python -m benchmarks ensembles-sizes`: minimum sizes of ensembles on real tables.

Problems on every table: the smallest tree; ensembles of three and of five trees, of minimum total
size, and of minimum size of the largest tree. Each problem has the same limit in CPU seconds.
"""

import argparse
import sys
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmarks.evaluation.command import Evaluation
from benchmarks.evaluation.figures import draw_sizes
from benchmarks.evaluation.read import read_sizes
from benchmarks.evaluation.sizes_record import PROBLEMS, Run, Sizes
from benchmarks.evaluation.sizes_report import markdown, refuted
from benchmarks.limited import smallest, solve_within, unavoidable_errors
from benchmarks.machine import facts, load
from benchmarks.tables import examples_in, read_table

__all__ = ["SIZES"]

# Tables with "0.2" in their names have a fifth of the original rows; the others are whole.
PATTERNS = ("min_size/*_0.2_0.csv.gz", "continuous/pmlb_*.csv.gz")
MAX_EXAMPLES = 100  # with more, ensembles are proved smallest only if a few nodes are enough


def _tables(data: Path, options: argparse.Namespace) -> list[Path]:
    """Return the tables on the command line, or all small tables; smallest first."""
    tables = options.tables
    existing = [path for pattern in PATTERNS for path in sorted(data.glob(pattern))]
    if tables is not None:
        existing = [path for path in existing if _name(path) in tables]
    by_examples = sorted((examples_in(path), path.name, path) for path in existing)
    maximum = MAX_EXAMPLES if tables is None else sys.maxsize
    chosen = [path for examples, _, path in by_examples if examples <= maximum]
    if not chosen:
        raise FileNotFoundError(PATTERNS[0])  # its folder is enough to find the data
    return chosen


def _name(path: Path) -> str:
    return path.name.removesuffix(".csv.gz")


def _measure(paths: Sequence[Path], options: argparse.Namespace) -> Sizes:
    """Solve every problem on every table; Ctrl-C ends this and keeps finished runs."""
    machine = facts([])  # no other packages take part
    date = datetime.now(UTC).date().isoformat()
    runs: list[Run] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    try:
        for path in paths:
            loads.append(load())
            for run in _runs(path, options.limit):
                runs.append(run)
                console.print(_text(run), markup=False, highlight=False, soft_wrap=True)
    except KeyboardInterrupt:
        complete = False
    return Sizes(options.name, date, machine, options.limit, tuple(runs), tuple(loads), complete)


def _runs(path: Path, limit: float) -> Iterator[Run]:
    X, y = read_table(path)
    (examples, features), errors = X.shape, unavoidable_errors(X, y)
    for trees, minimize in PROBLEMS:
        outcome, seconds = solve_within(smallest(X, y, trees, minimize, errors), limit)
        ensemble = outcome.ensemble
        size_of_tree = 0 if outcome.tree is None else outcome.tree.size
        assert isinstance(outcome.lower_bound, int)
        yield Run(
            _name(path),
            examples,
            features,
            len(set(y.tolist())),
            errors,
            trees,
            minimize,
            outcome.status.value,
            outcome.lower_bound,
            size_of_tree if ensemble is None else ensemble.total_size,
            size_of_tree if ensemble is None else ensemble.largest_size,
            round(seconds, 3),
        )


def _text(run: Run) -> str:
    return (
        f"{run.table}, {run.trees} trees, {run.minimize}: {run.status}, {run.found}, "
        f"lower bound {run.lower_bound}, {run.seconds:.3g} CPU s"
    )


def _options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tables", nargs="+", metavar="NAME", help="some tables only")


SIZES = Evaluation(
    name="ensembles-sizes",
    about=__doc__,
    limit=10.0,
    options=_options,
    tables=_tables,
    measure=_measure,
    read=read_sizes,
    page=markdown,
    draw=draw_sizes,
    refuted=refuted,
)
