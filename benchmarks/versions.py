"""Compare two builds of exactree on a quick suite of about two minutes.

    python -m benchmarks.versions BEFORE AFTER

BEFORE and AFTER are folders that contain the package `exactree` with its native module, built in
the same way. The suite is for changes that should not change speed. It has a problem for every kind
of search. The two builds alternate, each time in a new process with one thread; the minimum CPU
seconds of a build for a problem count. The exit code is 1 if the builds report different costs.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.apart import ONE_THREAD, ROOT
from benchmarks.tables import read_numbers, read_table

__all__ = ["PROBLEMS", "main"]

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


def main(arguments: Sequence[str] | None = None) -> int:
    """Compare two builds; return 1 if they report different costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.versions", description=__doc__)
    parser.add_argument("before", type=Path, help="folder of the package before a change")
    parser.add_argument("after", type=Path, help="folder of the package after it")
    parser.add_argument("--problems", nargs="+", choices=PROBLEMS, help="some problems only")
    parser.add_argument("--runs", type=int, default=5, help="runs of each build (5)")
    options = parser.parse_args(arguments)
    builds = [options.before.resolve(), options.after.resolve()]
    table = Table("problem", "before, CPU s", "after, CPU s", "after / before")
    ratios, same = [], True
    for name in options.problems or PROBLEMS:
        runs = [[_measure(build, name) for build in builds] for _ in range(options.runs)]
        before, after = (
            min(seconds for seconds, _ in of_build) for of_build in zip(*runs, strict=True)
        )
        same &= len({cost for pair in runs for _, cost in pair}) == 1
        ratios.append(after / before)
        table.add_row(name, f"{before:.3f}", f"{after:.3f}", f"{ratios[-1]:.2f}")
    table.add_row("geometric mean", "", "", f"{geometric_mean(ratios):.2f}")
    Console().print(table)
    if not same:
        print("The builds report different costs.", file=sys.stderr)
    return 0 if same else 1


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
