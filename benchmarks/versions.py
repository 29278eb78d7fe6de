"""Compare two builds of exactree on the quick suite, in about two minutes.

    python -m benchmarks.versions BEFORE AFTER
    python -m benchmarks.versions BEFORE AFTER --suite binary --runs 2

BEFORE and AFTER are folders that contain the package `exactree` with its native module, built in
the same way; `make bench-compare BASE=commit` makes them. `--suite` compares the rows of a longer
suite. The two builds alternate, each time in a new process with one thread; the minimum CPU seconds
of a build for a problem count. A row is called faster or slower if every run of one build took
longer than every run of the other, which noise does in one of 126 rows of five runs each, and the
minima differ by more than 3 percent. The exit code is 1 if the builds report different costs.
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

from rich.console import Console
from rich.table import Table

from benchmarks.apart import ONE_THREAD, ROOT, measure_apart
from benchmarks.measurement import End, Measurement
from benchmarks.peers import OURS
from benchmarks.quick import PROBLEMS, available
from benchmarks.run import empty_row, task_of
from benchmarks.suites import SUITES, RowProblem

__all__ = ["main"]

# Squared errors are recounted in floats from the predictions.
COST_TOLERANCE = 1e-9
# A difference of the minima below this share is not called a change.
LEAST_CHANGE = 0.03
REPEATS = 3  # solutions of a problem in one process, of which the quickest counts


@dataclass(frozen=True)
class Times:
    """CPU seconds of all runs of two builds for a problem."""

    name: str
    before: tuple[float, ...]
    after: tuple[float, ...]
    agree: bool  # whether the costs of all runs that proved a tree are equal

    @property
    def ratio(self) -> float:
        """Minimum seconds after a change over those before it."""
        return min(self.after) / min(self.before)

    @property
    def change(self) -> str:
        """Return "faster" or "slower" for a change beyond noise, else nothing."""
        if min(self.after) > max(self.before) and self.ratio > 1 + LEAST_CHANGE:
            return "slower"
        if max(self.after) < min(self.before) and self.ratio < 1 - LEAST_CHANGE:
            return "faster"
        return ""


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
        measured = _quick(builds, options.problems or available(), options.runs)
    else:
        data = Path(os.environ["EXACTREE_DATA"])
        problems = SUITES[options.suite].problems(data, groups=options.groups)
        measured = _suite(builds, problems, options.limit, options.runs)
    times = list(measured)
    table = Table("problem", "before, CPU s", "after, CPU s", "after / before", "change")
    for row in times:
        seconds = (f"{min(row.before):.3g}", f"{min(row.after):.3g}")
        table.add_row(row.name, *seconds, f"{row.ratio:.2f}", row.change)
    mean = geometric_mean(row.ratio for row in times)
    table.add_row(f"geometric mean of {len(times)}", "", "", f"{mean:.2f}", "")
    Console().print(table)
    different = [row.name for row in times if not row.agree]
    if different:
        print(f"The builds report different costs: {'; '.join(different)}.", file=sys.stderr)
    return 1 if different else 0


def _quick(builds: tuple[Path, Path], names: list[str], runs: int) -> Iterator[Times]:
    """Yield the times of the problems with these names."""
    pairs = [[_measure(build, names) for build in builds] for _ in range(runs)]
    for name in names:
        before, after = (tuple(of[name][0] for of in found) for found in zip(*pairs, strict=True))
        yield Times(name, before, after, len({of[name][1] for pair in pairs for of in pair}) == 1)


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
        before, after = (tuple(_seconds(m, limit) for m in of) for of in measured.values())
        yield Times(row.place, before, after, most - least <= COST_TOLERANCE * most)


def _seconds(measurement: Measurement, limit: float) -> float:
    """Return the minimum CPU seconds of the fits of a measurement, the limit without a proof."""
    return min(measurement.cpu_seconds) if measurement.end is End.PROVED else limit


def _measure(build: Path, names: list[str]) -> dict[str, tuple[float, str]]:
    """Return CPU seconds and cost of every problem, solved by a build in a new process."""
    process = subprocess.run(
        [sys.executable, "-c", "from benchmarks.versions import solve; solve()", *names],
        cwd=ROOT,
        env=os.environ | ONE_THREAD | {"PYTHONPATH": str(build)},
        capture_output=True,
        text=True,
        check=False,
    )
    if process.returncode:
        raise SystemExit(f"{'; '.join(names)} failed in {build}: {process.stderr.strip()}")
    measured: dict[str, tuple[float, str]] = json.loads(process.stdout)
    return measured


def solve() -> None:
    """Solve the problems named on the command line, and print CPU seconds and cost of each."""
    import exactree as xt

    xt.solve(xt.Problem([[0], [1]], [0, 1]))  # imports what a first call imports
    measured = {}
    for name in sys.argv[1:]:
        quick = PROBLEMS[name]
        problem = xt.Problem(*quick.read(), limits=xt.Limits(**quick.limits), **quick.arguments)
        seconds = []
        for _ in range(REPEATS):
            start = time.process_time()
            outcome = xt.solve(problem)
            seconds.append(time.process_time() - start)
        measured[name] = min(seconds), f"{outcome.status} {outcome.cost}"
    print(json.dumps(measured))


if __name__ == "__main__":
    sys.exit(main())
