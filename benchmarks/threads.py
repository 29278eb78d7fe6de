"""The command `python -m benchmarks.threads`: wall seconds with one thread and with two.

Calls with one thread and with two alternate. The minimum of three calls of each kind counts,
because other load only adds time.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.machine import facts
from benchmarks.tables import read_table
from exactree import Limits, Outcome, Problem, solve

CALLS = 3


@dataclass(frozen=True)
class ThreadRequest:
    """A table and its problem."""

    table: str
    depth: int | None
    leaf_penalty: str = "0"

    def problem(self, data: Path) -> Problem:
        """Return the problem, reading its table."""
        X, y = read_table(data / f"{self.table}.csv.gz")
        return Problem(X, y, leaf_penalty=float(self.leaf_penalty), limits=Limits(self.depth))


# Numeric features, binary features, and a leaf penalty without a limit on depth: some seconds each.
REQUESTS = (
    ThreadRequest("continuous/contree_raisin_train", 4),
    ThreadRequest("continuous/contree_room_train", 4),
    ThreadRequest("continuous/contree_segment_train", 4),
    ThreadRequest("binary/cp4im_german_credit", 5),
    ThreadRequest("binary/branches_careval", None, "0.005"),
)


def timed(problem: Problem, n_jobs: int) -> tuple[float, float, Outcome]:
    """Return wall seconds and CPU seconds of a proof, and its outcome."""
    wall, cpu = perf_counter(), process_time()
    outcome = solve(problem, n_jobs=n_jobs)
    return perf_counter() - wall, process_time() - cpu, outcome


def row(request: ThreadRequest, problem: Problem) -> str:
    """Measure a problem and return its line of the table.

    Raises
    ------
    AssertionError
        If one thread and two find different costs.
    """
    calls = [(timed(problem, 1), timed(problem, 2)) for _ in range(CALLS)]
    costs = {outcome.cost for pair in calls for _, _, outcome in pair}
    assert len(costs) == 1, f"{request.table}: {costs}"
    (wall_of_one, _), (wall_of_two, cpu_of_two) = (
        min((wall, cpu) for wall, cpu, _ in of_kind) for of_kind in zip(*calls, strict=True)
    )
    cells = f"{request.table} | {request.depth or 'any'} | {request.leaf_penalty}"
    ratio = wall_of_one / wall_of_two
    return f"| {cells} | {wall_of_one:.2f} | {wall_of_two:.2f} | {ratio:.2f} | {cpu_of_two:.2f} |"


def page(data: Path) -> str:
    """Return the page of the record: the machine, and a table of times."""
    lines = ["# One thread and two", ""]
    lines += [f"- {name}: {fact}" for name, fact in facts(()).items()]
    names = "table | depth | leaf penalty | 1 thread, s | 2 threads, s | ratio | 2 threads, CPU s"
    lines += ["", f"| {names} |", "| --- | --- | --- | --- | --- | --- | --- |"]
    lines += [row(request, request.problem(data)) for request in REQUESTS]
    return "\n".join(lines)


if __name__ == "__main__":
    if "EXACTREE_DATA" not in os.environ:
        sys.exit("Set EXACTREE_DATA to the folder with the tables.")
    print(page(Path(os.environ["EXACTREE_DATA"])))
