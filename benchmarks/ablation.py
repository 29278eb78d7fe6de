"""The commands `python -m benchmarks witness-ablation`, `ensembles-ablation` and `ensembles`.

The first two commands measure the effect of each accelerator of a witness search: on the same
tables with all accelerators, with all but one, and with none, which is the algorithm of the paper.
The last command compares methods with all their accelerators. Numbers of steps, which are search
nodes for a witness search, are the same on every machine; seconds are not.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from rich.console import Console

from benchmarks.ablation_record import Ablation, Run
from benchmarks.ablation_report import markdown, print_ablation, refuted
from benchmarks.ablations import Suite
from benchmarks.machine import facts, load
from benchmarks.write import write_under
from exactree import Outcome, Problem
from exactree.engine import branch_and_bound, reason_to_refuse_ensemble, run_ensemble, run_paper

__all__ = ["main"]

SHORT = 1.5  # CPU seconds below which a run is repeated
REPEATS = 3
# Statistics whose sum is the number of steps of a method; of a witness search, they include the
# nodes of searches for single leaves.
STEPS = {
    "branch-and-bound": ("nodes", "placed"),
    "threshold": ("calls",),
    "witness": ("search_nodes", "leaf_search_nodes"),
}

NO_DATA = (
    "Nothing was compared: the environment variable EXACTREE_DATA is not set. "
    "It names the folder with the tables; benchmarks/README.md says which."
)


def main(suite: Suite, arguments: Sequence[str]) -> int:
    """Run a comparison; return its exit code.

    It is 1 if proofs contradict each other or none of the tables exists, 130 for Ctrl-C, else 0.
    """
    options = _parser(suite).parse_args(arguments)
    if not os.environ.get("EXACTREE_DATA"):
        print(NO_DATA)
        return 0
    data = Path(os.environ["EXACTREE_DATA"])
    problems = list(suite.problems(data, options.tables, options.trees))
    only_random = 0 if options.tables else suite.random_tables  # these need no file
    if len(problems) == only_random:
        print(f"The folder that EXACTREE_DATA names has no {suite.pattern}.", file=sys.stderr)
        return 1
    console = Console()
    if not console.is_terminal:
        console = Console(width=120)  # files and pipes have no width
    ablation = _measure(suite, problems, options, console)
    print_ablation(ablation, console)
    stem = f"{ablation.date}-{ablation.name}"
    record = write_under(options.out, stem, asdict(ablation), markdown(ablation))
    console.print(f"Record: {record}", soft_wrap=True)
    if wrong := refuted(ablation):
        print("The runs contradict each other: " + " ".join(wrong), file=sys.stderr)
        return 1
    return 0 if ablation.complete else 130


def _measure(
    suite: Suite,
    problems: Sequence[tuple[str, Problem]],
    options: argparse.Namespace,
    console: Console,
) -> Ablation:
    """Run every configuration on every table; Ctrl-C ends this and keeps finished runs."""
    machine, date = facts([]), datetime.now(UTC).date().isoformat()
    runs: list[Run] = []
    loads: list[float | None] = []
    complete = True
    try:
        for table, problem in problems:
            loads.append(load())
            for name, switches in suite.configurations().items():
                runs.append(_run(table, problem, name, "witness", switches, options.limit))
                console.print(_text(runs[-1]), markup=False, highlight=False)
            for method in suite.others:
                if problem.n_trees > 1 and reason_to_refuse_ensemble(method, problem) is not None:
                    continue
                runs.append(_run(table, problem, method, method, {}, options.limit))
                console.print(_text(runs[-1]), markup=False, highlight=False)
    except KeyboardInterrupt:
        complete = False
    name, measured = options.name or suite.name, (tuple(runs), tuple(loads))
    limits = (options.trees, options.limit)
    ablation = Ablation(name, date, machine, *limits, *measured, complete, suite.others)
    return replace(ablation, switched=suite.switched)


def _run(
    table: str,
    problem: Problem,
    configuration: str,
    method: str,
    switches: dict[str, bool],
    limit: float,
) -> Run:
    taken: list[float] = []
    while not taken or (taken[0] < SHORT and len(taken) < REPEATS):
        before = time.process_time()
        outcome = _solve(method, problem, limit, switches)
        taken.append(time.process_time() - before)
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
        _size(outcome),
        outcome.lower_bound,
        sum(outcome.stats.get(name, 0) for name in STEPS[method]),
        round(median(taken), 4),
    )


def _size(outcome: Outcome) -> int | None:
    if outcome.ensemble is not None:
        return outcome.ensemble.total_size
    return None if outcome.tree is None else outcome.tree.size


def _solve(method: str, problem: Problem, limit: float, switches: dict[str, bool]) -> Outcome:
    if method == "branch-and-bound" and problem.n_trees == 1:
        return branch_and_bound(problem, time_limit=limit, switches=switches)
    run = run_paper if problem.n_trees == 1 else run_ensemble
    return run(method, problem, time_limit=limit, switches=switches)


def _text(run: Run) -> str:
    size = "" if run.cost is None else f", size {run.cost}"
    work = f"{run.status}, {run.steps:,} steps, {run.seconds:.3g} CPU s"
    return f"{run.table}, {run.configuration}: {work}{size}, lower bound {run.lower_bound}"


def _parser(suite: Suite) -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks {suite.name}", description=__doc__)
    add = parser.add_argument
    add("--tables", nargs="+", metavar="NAME", help="some tables of the folder only")
    if suite.trees > 1:
        add("--trees", type=int, metavar="K", help=f"trees of every ensemble ({suite.trees})")
    seconds = f"seconds of a search ({suite.limit:g})"
    add("--limit", type=float, default=suite.limit, metavar="S", help=seconds)
    add("--name", help=f"name of the record ({suite.name})")
    records = Path(__file__).resolve().parent / "records"
    add("--out", type=Path, default=records, metavar="DIR", help="folder of the record")
    parser.set_defaults(trees=suite.trees)
    return parser
