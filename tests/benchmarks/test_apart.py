"""A solver that crashes, raises, overruns or prints loses only its own measurement."""

from pathlib import Path

import pytest
from benchmarks.apart import measure_apart
from benchmarks.measurement import End, Task

SOLVERS = {
    "breaks": "import os; os.abort()",
    "raises": "raise ValueError('no')",
    "sleeps": "import time; time.sleep(60)",
    "too_deep": "return Answer(lambda X: X[:, 0], depth=9, proved=True)",
    "chatters": "print('hello'); return zeros(proved=True)",
    "gives_up": "return zeros(proved=False)",
    "hungry": "block = bytearray(50_000_000); return zeros(proved=True)",
}
HEADER = """\
from benchmarks.peers import Answer

def zeros(proved):
    return Answer(lambda X: X[:, 0] * 0, depth=0, proved=proved)

def fit(X, y, depth, time_limit):
"""
TIME_LIMIT = 600  # seconds that count for an unfinished solver


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Task]:
    """Write a table and the adapters of the solvers above; return their tasks by name."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    table = tmp_path / "table.csv"
    table.write_text("a,target\n0,0\n1,1\n2,0\n", encoding="utf-8")
    for name, body in SOLVERS.items():
        (tmp_path / f"solver_{name}.py").write_text(f"{HEADER}    {body}\n", encoding="utf-8")
    names = [*SOLVERS, "is_not_there"]
    return {name: Task(f"solver_{name}", str(table), depth=1, limit=1.0) for name in names}


@pytest.mark.parametrize(
    ("name", "end", "reason"),
    [
        ("breaks", End.FAILED, "its process ended with signal SIGABRT"),
        ("raises", End.FAILED, "ValueError"),
        ("too_deep", End.FAILED, "RuntimeError"),
        ("is_not_there", End.MISSING, "ModuleNotFoundError"),
    ],
)
def test_a_failure_has_its_reason(tasks: dict[str, Task], name: str, end: End, reason: str) -> None:
    measurement = measure_apart(tasks[name])
    assert (measurement.end, measurement.reason) == (end, reason)
    assert measurement.counted(TIME_LIMIT) is None


def test_a_solver_that_overruns_its_limit_is_killed(tasks: dict[str, Task]) -> None:
    measurement = measure_apart(tasks["sleeps"], grace=1.0)
    assert measurement.end is End.UNFINISHED
    assert measurement.counted(TIME_LIMIT) == TIME_LIMIT


def test_text_printed_by_a_solver_is_ignored(tasks: dict[str, Task]) -> None:
    measurement = measure_apart(tasks["chatters"])
    assert measurement.end is End.PROVED
    assert measurement.errors == 1  # of the predictions 0, 0, 0 for the labels 0, 1, 0
    assert len(measurement.cpu_seconds) == 3  # a short fit is repeated twice


def test_an_answer_without_a_proof_is_unfinished(tasks: dict[str, Task]) -> None:
    measurement = measure_apart(tasks["gives_up"])
    assert measurement.end is End.UNFINISHED
    assert len(measurement.cpu_seconds) == 1  # a fit without a proof is not repeated
    assert measurement.counted(TIME_LIMIT) == TIME_LIMIT


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="measured on Linux only")
def test_measured_memory_is_that_of_the_fit(tasks: dict[str, Task]) -> None:
    hungry, modest = measure_apart(tasks["hungry"]), measure_apart(tasks["chatters"])
    assert hungry.extra_bytes is not None
    assert modest.extra_bytes is not None
    assert 45e6 < hungry.extra_bytes < 60e6
    assert modest.extra_bytes < 5e6
