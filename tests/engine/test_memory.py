"""A memory limit, or a system without free memory, ends a search as a time limit does."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import exactree as xt
from exactree.engine import without_search
from exactree.problem import Problem, Status


def classification(rows: int, columns: int, depth: int) -> Problem:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, columns)).round(2), rng.integers(0, 2, rows)
    return Problem(X, y, limits=xt.Limits(max_depth=depth))


def regression(rows: int, columns: int, depth: int) -> Problem:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(rows, columns)).round(2), rng.normal(size=rows)
    return Problem(X, y, minimize="squared_error", limits=xt.Limits(max_depth=depth))


@pytest.mark.parametrize("make", [classification, regression], ids=lambda make: make.__name__)
def test_a_memory_limit_that_the_table_exceeds_leaves_a_tree_and_a_valid_bound(make: Any) -> None:
    problem = make(2000, 8, 1)
    optimum = xt.solve(problem).cost
    outcome = xt.solve(problem, memory_limit=100_000)
    assert (outcome.status, outcome.stopped_by) == (Status.FEASIBLE, "memory limit")
    assert "stopped by the memory limit" in str(outcome)
    assert outcome.lower_bound <= optimum <= outcome.cost


@pytest.mark.parametrize("jobs", [1, 3])
def test_any_memory_limit_gives_the_optimum_or_a_stopped_search(jobs: int) -> None:
    problem = classification(150, 4, 3)
    optimum, stopped = xt.solve(problem).cost, 0
    for limit in (10_000, 100_000, 300_000, 1_000_000, 3_000_000, 100_000_000):
        outcome = xt.solve(problem, memory_limit=limit, n_jobs=jobs)
        if outcome.status is Status.OPTIMAL:
            assert (outcome.cost, outcome.stopped_by) == (optimum, None)
        else:
            stopped += 1
            assert outcome.stopped_by == "memory limit"
            assert outcome.lower_bound <= optimum <= outcome.cost
    assert 1 <= stopped < 6


@pytest.mark.parametrize("limits", [{"min_recall": 0.95}, {"min_precision": 0.9}])
def test_any_memory_limit_gives_the_best_rate_or_a_stopped_search(limits: Any) -> None:
    rng = np.random.default_rng(2)
    X = rng.random((80, 4)).round(2)
    y = ((X[:, 0] * X[:, 1] > 0.25) ^ (rng.random(80) < 0.3)).astype(int)
    rate = "precision_error" if "min_recall" in limits else "recall_error"
    problem = Problem(X, y, minimize=rate, limits=xt.Limits(max_depth=3, **limits))
    optimum, reasons = xt.solve(problem).cost, set()
    for limit in (100_000, 300_000, 600_000, 1_000_000, 100_000_000):
        outcome = xt.solve(problem, memory_limit=limit)
        reasons.add(outcome.stopped_by)
        if outcome.status is Status.OPTIMAL:
            assert outcome.cost == optimum
        else:
            assert outcome.lower_bound <= optimum <= outcome.cost
    assert reasons == {"memory limit", None}


def test_searches_for_errors_and_for_size_stop_at_the_memory_limit() -> None:
    outcome = xt.solve(classification(2000, 8, 2), memory_limit=100_000)
    assert outcome.stopped_by == "memory limit"
    size = Problem(np.eye(60), np.arange(60) % 2, minimize="size")
    assert xt.solve(size, memory_limit=30_000).stopped_by == "memory limit"


def test_an_outcome_without_search_is_a_leaf() -> None:
    outcome = without_search(classification(50, 2, 2), "memory limit")
    assert (outcome.status, outcome.lower_bound) == (Status.FEASIBLE, 0)
    assert outcome.tree is not None
    assert outcome.tree.size == 0
    none = Problem([[0.0], [1.0]], [0, 1], minimize="size")
    assert without_search(none, "memory limit").status is Status.STOPPED


PROGRAM = """
import resource, sys
import numpy as np
import exactree as xt

def status_kilobytes(name):
    lines = open("/proc/self/status", encoding="utf-8")
    return next(int(line.split()[1]) for line in lines if line.startswith(name))

"""

PEAK = (
    PROGRAM
    + """
rng = np.random.default_rng(0)
X, y = rng.normal(size=(20_000, 8)), rng.integers(0, 2, 20_000)
problem = xt.Problem(X, y, limits=xt.Limits(max_depth=3))
xt.solve(xt.Problem([[0.0], [1.0]], [0, 1]))
before = status_kilobytes("VmHWM")
outcome = xt.solve(problem, time_limit=2, n_jobs=4, memory_limit=int(sys.argv[1]))
print(status_kilobytes("VmHWM") - before)
"""
)

NO_MORE = (
    PROGRAM
    + """
rng = np.random.default_rng(0)
X, y = rng.integers(0, 2, (3000, 60)).astype(float), rng.integers(0, 2, 3000)
problems = [
    xt.Problem(X, y, limits=xt.Limits(max_depth=6)),
    xt.Problem(rng.normal(size=(5000, 8)), rng.integers(0, 2, 5000), limits=xt.Limits(max_depth=4)),
    xt.Problem(X[:150, :20], y[:150], minimize="size"),
    xt.Problem(X, rng.normal(size=3000), minimize="squared_error", limits=xt.Limits(max_depth=4)),
]
xt.solve(xt.Problem([[0.0], [1.0]], [0, 1]))
limit = 1024 * status_kilobytes("VmSize") + int(sys.argv[1])
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
for problem in problems:
    outcome = xt.solve(problem, time_limit=0.3, n_jobs=int(sys.argv[2]))
    print(outcome.stopped_by)
"""
)


def run(program: str, *arguments: int) -> list[str]:
    command = [sys.executable, "-c", program, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.split("\n")[:-1]


linux = pytest.mark.skipif(
    not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc"
)


@linux
def test_the_memory_limit_bounds_the_memory_of_all_threads_together() -> None:
    """Python itself needs less than 16 MB for the call and its outcome."""
    limit, of_python = 10_000_000, 16_000_000
    assert 1024 * int(run(PEAK, limit)[0]) < limit + of_python


@linux
@pytest.mark.parametrize(("megabytes", "jobs"), [(8, 1), (40, 2), (300, 1), (300, 4)])
def test_without_free_memory_searches_end_and_the_process_continues(
    megabytes: int, jobs: int
) -> None:
    stopped_by = run(NO_MORE, megabytes << 20, jobs)
    assert len(stopped_by) == 4
    assert set(stopped_by) <= {"memory limit", "time limit", "None"}
