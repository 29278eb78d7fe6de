"""The command `python -m benchmarks ensembles-ablation`: what each accelerator is worth.

The witness search for ensembles, on the same tables with all accelerators on, with each of them
off alone, and with all off, when it is the algorithm of the paper. Nodes are the same on every
machine; seconds are not.
"""

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

from benchmarks.machine import facts, load
from benchmarks.tables import examples_in, read_table
from exactree import Limits, Problem, Status, _native, describe
from exactree.engine import run_ensemble

__all__ = ["ALL_OFF", "ALL_ON", "Ablation", "Run", "configurations", "main"]

SUITE = "ensembles-ablation"
PATTERN = "min_size/*_0.2_0.csv.gz"
MOST_EXAMPLES = 48  # of the larger ones the algorithm of the paper solves hardly any
RANDOM_TABLES = 8
ALL_ON, ALL_OFF = "all on", "all off"

NO_DATA = (
    "Nothing was compared: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)


@dataclass(frozen=True)
class Run:
    """One configuration on one table.

    Attributes
    ----------
    table : str
        Its name.
    examples, features, classes : int
        How large it is.
    configuration : str
        "all on", "all off", or the accelerator that is off.
    status : str
        How the search ended.
    cost : int or None
        Total size of the ensemble, if one was found.
    lower_bound : int
        What was proved.
    search_nodes : int
        Starts and refinements visited.
    seconds : float
        CPU seconds of the call.
    """

    table: str
    examples: int
    features: int
    classes: int
    configuration: str
    status: str
    cost: int | None
    lower_bound: int
    search_nodes: int
    seconds: float

    @property
    def proved(self) -> bool:
        """Whether the ensemble is proved to be smallest."""
        return self.status == Status.OPTIMAL.value


@dataclass(frozen=True)
class Ablation:
    """All runs, and where they were made.

    Attributes
    ----------
    name, date : str
        What it is called; the day it was made.
    machine : dict
        Processor, cores, versions, commit.
    trees : int
        Trees of every ensemble.
    limit : float
        Seconds a search may take.
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
    trees: int
    limit: float
    runs: tuple[Run, ...]
    loads: tuple[float | None, ...]
    complete: bool


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit code: 1 when proofs differ or a table is absent, 130 on Ctrl-C, else 0."""
    from benchmarks.ablation_report import markdown, print_ablation, refuted
    from benchmarks.write import write_files

    asked = _parser().parse_args(arguments)
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    problems = list(_problems(Path(os.environ["EXACTREE_DATA"]), asked.tables, asked.trees))
    if len(problems) == (0 if asked.tables else RANDOM_TABLES):
        print(f"The folder that EXACTREE_DATA names has no {PATTERN}.", file=sys.stderr)
        return 1
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # a file or a pipe has no width of its own
    ablation = _measure(problems, asked, console)
    print_ablation(ablation, console)
    console.print(f"Record: {write_files(ablation, markdown(ablation), asked.out)}", soft_wrap=True)
    if wrong := refuted(ablation):
        print("The runs contradict each other: " + " ".join(wrong), file=sys.stderr)
        return 1
    return 0 if ablation.complete else 130


def configurations() -> dict[str, dict[str, bool]]:
    """Return the switches of every configuration by its name."""
    names = [name for name, _ in _native.ensemble_accelerators()]
    alone = {name: {name: False} for name in names}
    return {ALL_ON: {}, **alone, ALL_OFF: dict.fromkeys(names, False)}


def _measure(
    problems: Sequence[tuple[str, Problem]], asked: argparse.Namespace, console: Console
) -> Ablation:
    """Run every configuration on every table; Ctrl-C ends that and keeps what is done."""
    machine, date = facts([]), datetime.now(UTC).date().isoformat()
    runs: list[Run] = []
    loads: list[float | None] = []
    complete = True
    try:
        for table, problem in problems:
            loads.append(load())
            for configuration, switches in configurations().items():
                runs.append(_run(table, problem, configuration, switches, asked.limit))
                console.print(_told(runs[-1]), markup=False, highlight=False)
    except KeyboardInterrupt:
        complete = False
    name = asked.name or SUITE
    kept = tuple(runs), tuple(loads)
    return Ablation(name, date, machine, asked.trees, asked.limit, *kept, complete)


def _run(
    table: str, problem: Problem, configuration: str, switches: dict[str, bool], limit: float
) -> Run:
    before = time.process_time()
    outcome = run_ensemble("witness", problem, time_limit=limit, switches=switches)
    seconds = time.process_time() - before
    if outcome.stopped_by == "interrupt":
        raise KeyboardInterrupt
    (examples, features), classes = problem.dataset.X.shape, len(problem.dataset.classes)
    assert isinstance(outcome.lower_bound, int)
    return Run(
        table,
        examples,
        features,
        classes,
        configuration,
        outcome.status.value,
        None if outcome.ensemble is None else outcome.ensemble.total_size,
        outcome.lower_bound,
        outcome.stats["search_nodes"],
        round(seconds, 4),
    )


def _told(run: Run) -> str:
    found = "" if run.cost is None else f", {run.cost} nodes in all"
    ended = f"{run.status}, {run.search_nodes:,} search nodes, {run.seconds:.3g} CPU s"
    return f"{run.table}, {run.configuration}: {ended}{found}, lower bound {run.lower_bound}"


def _problems(
    data: Path, tables: Sequence[str] | None, trees: int
) -> Iterator[tuple[str, Problem]]:
    """Yield the tables by name: those of the folder, smallest first, then random ones."""
    paths = {path.name.removesuffix(".csv.gz"): path for path in sorted(data.glob(PATTERN))}
    small = [name for name, path in paths.items() if examples_in(path) <= MOST_EXAMPLES]
    wanted = small if tables is None else [name for name in tables if name in paths]
    for name in sorted(wanted, key=lambda name: examples_in(paths[name])):
        X, y = read_table(paths[name])
        limits = Limits(max_errors=int(describe(X, y).least_errors))
        yield name, Problem(X, y, minimize="total_size", n_trees=trees, limits=limits)
    for seed in range(RANDOM_TABLES if tables is None else 0):
        yield f"random {seed}", _random_problem(seed, trees)


def _random_problem(seed: int, trees: int) -> Problem:
    """Return a random table of two or three classes, with none, one or two errors allowed."""
    rng = np.random.default_rng(seed)
    X = np.unique(rng.integers(0, 5, (14, 4)), axis=0).astype(float)
    y = rng.integers(0, 2 + seed % 2, len(X))
    limits = Limits(max_errors=seed % 3)
    return Problem(X, y, minimize="total_size", n_trees=trees, limits=limits)


def _parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {SUITE}", description=__doc__)
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", help="some tables of the folder only")
    add("--trees", type=int, default=3, metavar="K", help="trees of every ensemble (3)")
    add("--limit", type=float, default=10.0, metavar="S", help="seconds a search may take (10)")
    add("--name", help=f"name of the record ({SUITE})")
    records = Path(__file__).resolve().parent / "records"
    add("--out", type=Path, default=records, metavar="DIR", help="folder of the record")
    return parser
