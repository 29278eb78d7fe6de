"""The command `python -m benchmarks ensembles-sizes`: how small ensembles of real tables are.

On every table: the smallest tree, and of three and of five trees those of least total size and
those of least largest size. Each question gets the same CPU seconds.
"""

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rich.console import Console

from benchmarks.evaluation.limited import least_errors, smallest, solve_within
from benchmarks.machine import facts, load
from benchmarks.tables import examples_in, read_table
from exactree import Status

__all__ = ["NAME", "Run", "Sizes", "main"]

NAME = "ensembles-sizes"
PATTERNS = ("min_size/*_0.2_0.csv.gz", "continuous/pmlb_*.csv.gz")
MOST_EXAMPLES = 100  # no ensemble is proved smallest for more, but for tables of a few nodes
LIMIT = 10.0
QUESTIONS = (
    (1, "size"),
    (3, "total_size"),
    (5, "total_size"),
    (3, "largest_size"),
    (5, "largest_size"),
)
RECORDS = Path(__file__).resolve().parents[1] / "records"
NO_DATA = (
    "Nothing was measured: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)


@dataclass(frozen=True)
class Run:
    """One question about one table.

    Attributes
    ----------
    table : str
        Its name.
    examples, features, classes : int
        How large it is.
    errors : int
        Errors that are allowed: those that contradictory rows leave.
    trees : int
        How many there are to be.
    minimize : str
        "size", "total_size" or "largest_size".
    status : str
        How the search ended.
    lower_bound : int
        What was proved about the quantity.
    total_size, largest_size : int
        Of the tree or ensemble that was found.
    seconds : float
        CPU seconds.
    """

    table: str
    examples: int
    features: int
    classes: int
    errors: int
    trees: int
    minimize: str
    status: str
    lower_bound: int
    total_size: int
    largest_size: int
    seconds: float

    @property
    def found(self) -> int:
        """The quantity that was minimized."""
        return self.largest_size if self.minimize == "largest_size" else self.total_size

    @property
    def proved(self) -> bool:
        """Whether what was found is proved to be smallest."""
        return self.status == Status.OPTIMAL.value


@dataclass(frozen=True)
class Sizes:
    """All runs, and where they were made.

    Attributes
    ----------
    name, date : str
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    limit : float
        CPU seconds a search may take.
    runs : tuple of Run
        Table by table.
    loads : tuple of float
        How many processes wanted a processor, before every table.
    complete : bool
        False when the run was interrupted.
    """

    name: str
    date: str
    machine: dict[str, Any]
    limit: float
    runs: tuple[Run, ...]
    loads: tuple[float | None, ...]
    complete: bool


def main(arguments: Sequence[str]) -> int:
    """Return the exit code: 1 when proofs differ or no table is there, 130 on Ctrl-C, else 0."""
    from benchmarks.evaluation.read import read_sizes
    from benchmarks.evaluation.sizes_report import markdown, refuted
    from benchmarks.write import write_under

    asked = _parser().parse_args(arguments)
    if asked.again is not None:
        _show(read_sizes(asked.again), asked.again)
        return 0
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    paths = _paths(Path(os.environ["EXACTREE_DATA"]), asked.tables)
    if not paths:
        print(f"The folder that EXACTREE_DATA names has no {PATTERNS[0]}.", file=sys.stderr)
        return 1
    sizes = _measure(paths, asked)
    stem = f"{sizes.date}-{sizes.name}"
    _show(sizes, write_under(asked.out, stem, asdict(sizes), markdown(sizes)))
    if wrong := refuted(sizes):
        print("The answers contradict each other: " + " ".join(wrong), file=sys.stderr)
        return 1
    return 0 if sizes.complete else 130


def _show(sizes: Sizes, record: Path) -> None:
    """Write page and picture beside a record, and print the page."""
    from benchmarks.evaluation.figures import draw_sizes
    from benchmarks.evaluation.sizes_report import markdown

    record.with_suffix(".md").write_text(markdown(sizes), encoding="utf-8")
    draw_sizes(sizes.runs, record.with_suffix(".svg"))
    print(f"{markdown(sizes)}\nRecord: {record}")


def _paths(data: Path, tables: Sequence[str] | None) -> list[Path]:
    """Return the tables that are named, or all that are small; smallest first."""
    there = [path for pattern in PATTERNS for path in sorted(data.glob(pattern))]
    if tables is not None:
        there = [path for path in there if _name(path) in tables]
    by_examples = sorted((examples_in(path), path.name, path) for path in there)
    most = MOST_EXAMPLES if tables is None else sys.maxsize
    return [path for examples, _, path in by_examples if examples <= most]


def _name(path: Path) -> str:
    return path.name.removesuffix(".csv.gz")


def _measure(paths: Sequence[Path], asked: argparse.Namespace) -> Sizes:
    """Ask every question about every table; Ctrl-C ends that and keeps what is done."""
    machine, date = facts([]), datetime.now(UTC).date().isoformat()
    runs: list[Run] = []
    loads: list[float | None] = []
    complete = True
    console = Console(stderr=True)
    try:
        for path in paths:
            loads.append(load())
            for run in _runs(path, asked.limit):
                runs.append(run)
                console.print(_told(run), markup=False, highlight=False, soft_wrap=True)
    except KeyboardInterrupt:
        complete = False
    name = asked.name or NAME
    return Sizes(name, date, machine, asked.limit, tuple(runs), tuple(loads), complete)


def _runs(path: Path, limit: float) -> Iterator[Run]:
    X, y = read_table(path)
    (examples, features), errors = X.shape, least_errors(X, y)
    for trees, minimize in QUESTIONS:
        outcome, seconds = solve_within(smallest(X, y, trees, minimize, errors), limit)
        found = outcome.ensemble
        one = 0 if outcome.tree is None else outcome.tree.size
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
            one if found is None else found.total_size,
            one if found is None else found.largest_size,
            round(seconds, 3),
        )


def _told(run: Run) -> str:
    return (
        f"{run.table}, {run.trees} trees, {run.minimize}: {run.status}, {run.found}, "
        f"lower bound {run.lower_bound}, {run.seconds:.3g} CPU s"
    )


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {NAME}", description=__doc__)
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", help="some tables only")
    add("--limit", type=float, default=LIMIT, metavar="S", help=f"CPU seconds each ({LIMIT:g})")
    add("--again", type=Path, metavar="RECORD", help="make its page and picture again, no more")
    add("--name", help=f"name of the record ({NAME})")
    add("--out", type=Path, default=RECORDS, metavar="DIR", help="folder of the record")
    return parser
