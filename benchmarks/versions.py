"""Compare two builds of exactree on a quick suite of about two minutes.

    python -m benchmarks.versions BEFORE AFTER
    python -m benchmarks.versions BEFORE AFTER --suite binary --runs 2

BEFORE and AFTER are folders that contain the package `exactree` with its native module, built in
the same way. The quick suite is for changes that should not change speed. It has a problem for
every kind of search. `--suite` compares the rows of a longer suite. The two builds alternate, each
time in a new process with one thread; the minimum CPU seconds of a build for a problem count. The
exit code is 1 if the builds report different costs.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.apart import ONE_THREAD, ROOT, measure_apart
from benchmarks.measurement import End, Measurement
from benchmarks.peers import OURS
from benchmarks.run import empty_row, task_of
from benchmarks.suites import SUITES, RowProblem
from benchmarks.tables import read_numbers, read_table

__all__ = ["PROBLEMS", "main"]

# Squared errors are recounted in floats from the predictions.
COST_TOLERANCE = 1e-9

# Name -> table in the folder of EXACTREE_DATA, limits, and other arguments of `Problem`.
PROBLEMS: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "continuous, depth 3": ("continuous/contree_raisin_train", {"max_depth": 3}, {}),
    "more rows, depth 3": ("continuous/contree_rice_train", {"max_depth": 3}, {}),
    "size limit": ("continuous/contree_bank_train", {"max_depth": 4, "max_size": 6}, {}),
    "rows per leaf": (
        "continuous/contree_rice_train",
        {"max_depth": 2, "min_samples_leaf": 5},
        {},
    ),
    "leaf penalty": (
        "continuous/contree_bank_train",
        {"max_depth": 4},
        {"leaf_penalty": 0.005},
    ),
    "Gini": ("continuous/contree_raisin_train", {"max_depth": 2}, {"minimize": "gini"}),
    "binary, depth 4": ("binary/cp4im_german_credit", {"max_depth": 4}, {}),
    "sparse binary, depth 3": ("binary/cp4im_audiology", {"max_depth": 3}, {}),
    "fewest nodes": ("min_size/glass_0.2_0", {}, {"minimize": "size"}),
    "regression": ("regression/osrt_yacht", {"max_depth": 4}, {"minimize": "squared_error"}),
}


@dataclass(frozen=True)
class Times:
    """Minimum CPU seconds of two builds for a problem."""

    name: str
    before: float
    after: float
    agree: bool  # whether the costs of all runs that proved a tree are equal

    @property
    def ratio(self) -> float:
        """Seconds after a change over seconds before it."""
        return self.after / self.before


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two builds; return 1 if they report different costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("before", type=Path, help="folder of the package before a change")
    parser.add_argument("after", type=Path, help="folder of the package after it")
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, help="some problems only")
    parser.add_argument("--suite", choices=SUITES, help="the rows of a suite instead")
    parser.add_argument("--groups", nargs="+", help="some groups of the suite only")
    parser.add_argument("--limit", type=float, default=10.0, help="seconds of a row (10)")
    parser.add_argument("--runs", type=int, default=5, help="runs of each build (5)")
    options = parser.parse_args(arguments)
    builds = (options.before.resolve(), options.after.resolve())
    if options.suite is None:
        measured = _quick(builds, options.problems or PROBLEMS, options.runs)
    else:
        data = Path(os.environ["EXACTREE_DATA"])
        problems = SUITES[options.suite].problems(data, groups=options.groups)
        measured = _suite(builds, problems, options.limit, options.runs)
    times = list(measured)
    table = Table("problem", "before, CPU s", "after, CPU s", "after / before")
    for row in times:
        table.add_row(row.name, f"{row.before:.3g}", f"{row.after:.3g}", f"{row.ratio:.2f}")
    mean = geometric_mean(row.ratio for row in times)
    table.add_row(f"geometric mean of {len(times)}", "", "", f"{mean:.2f}")
    Console().print(table)
    different = [row.name for row in times if not row.agree]
    if different:
        print(f"The builds report different costs: {'; '.join(different)}.", file=sys.stderr)
    return 1 if different else 0


def _quick(builds: tuple[Path, Path], names: Iterable[str], runs: int) -> Iterator[Times]:
    """Yield the times of the problems with these names."""
    for name in names:
        pairs = [[_measure(build, name) for build in builds] for _ in range(runs)]
        before, after = (min(seconds for seconds, _ in runs) for runs in zip(*pairs, strict=True))
        yield Times(name, before, after, len({cost for pair in pairs for _, cost in pair}) == 1)


def _suite(
    builds: tuple[Path, Path], problems: Iterable[RowProblem], limit: float, runs: int
) -> Iterator[Times]:
    """Yield the times of rows of a suite, but for those that neither build proves.

    A build that does not prove a row has the limit as its time.
    """
    for problem in problems:
        row = replace(empty_row(problem, None), limit=limit)
        task = task_of(OURS, problem, row)
        measured: dict[str, list[Measurement]] = {"before": [], "after": []}
        order = list(zip(measured, builds, strict=True))
        for _ in range(runs):
            for name, build in order:
                measured[name].append(measure_apart(task, build=build))
            order.reverse()  # neither build always comes second
            if all(End.PROVED is not found[0].end for found in measured.values()):
                break
        proved = [m for found in measured.values() for m in found if m.end is End.PROVED]
        if not proved:
            print(f"{row.place}: neither build proves it within {limit:g} s", file=sys.stderr)
            continue
        values = (replace(row, measurements={OURS: m}).value(OURS) for m in proved)
        costs = [float(value) for value in values if value is not None]
        least, most = min(costs), max(costs)
        before, after = (min(_seconds(m, limit) for m in found) for found in measured.values())
        yield Times(row.place, before, after, most - least <= COST_TOLERANCE * most)


def _seconds(measurement: Measurement, limit: float) -> float:
    """Return the minimum CPU seconds of the fits of a measurement, the limit without a proof."""
    return min(measurement.cpu_seconds) if measurement.end is End.PROVED else limit


def _measure(build: Path, name: str) -> tuple[float, str]:
    """Return the CPU seconds and the cost of a problem, solved by a build in a new process."""
    process = subprocess.run(
        [sys.executable, "-c", "from benchmarks.versions import solve; solve()", name],
        cwd=ROOT,
        env=os.environ | ONE_THREAD | {"PYTHONPATH": str(build)},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise SystemExit(f"{name} failed in {build}: {process.stderr.strip()}")
    seconds, cost = json.loads(process.stdout)
    return seconds, cost


def solve() -> None:
    """Solve the problem named on the command line, and print its CPU seconds and its cost."""
    import exactree as xt

    path, limits, arguments = PROBLEMS[sys.argv[1]]
    file = Path(os.environ["EXACTREE_DATA"], f"{path}.csv.gz")
    X, y = read_numbers(file) if path.startswith("regression") else read_table(file)
    problem = xt.Problem(X, y, limits=xt.Limits(**limits), **arguments)
    start = time.process_time()
    outcome = xt.solve(problem)
    print(json.dumps([time.process_time() - start, f"{outcome.status} {outcome.cost}"]))


if __name__ == "__main__":
    sys.exit(main())
