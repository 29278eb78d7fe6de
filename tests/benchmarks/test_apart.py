"""A solver that crashes, raises, overruns or prints loses only its own measurement."""

from pathlib import Path

import pytest
from benchmarks.apart import measure_apart
from benchmarks.measurement import End, Task

SOLVERS = {
    "breaks": "import os; os.abort()",
    "raises": "raise ValueError('no')",
    "sleeps": "import time; time.sleep(60)",
    "deep": "return Answer(lambda X: X[:, 0], 9, True)",
    "chatters": "print('hello'); return Answer(lambda X: X[:, 0] * 0, 0, True)",
    "gives_up": "return Answer(lambda X: X[:, 0] * 0, 0, False)",
    "hungry": "block = bytearray(50_000_000); return Answer(lambda X: X[:, 0] * 0, 0, True)",
}


@pytest.fixture
def tasks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Task]:
    """Write a table and the adapters of the solvers above; return their tasks by name."""
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    table = tmp_path / "table.csv"
    table.write_text("a,target\n0,0\n1,1\n2,0\n", encoding="utf-8")
    for name, body in SOLVERS.items():
        lines = ["from benchmarks.peers import Answer", "def fit(X, y, depth, time_limit):", body]
        text = "\n".join([*lines[:2], "    " + lines[2], ""])
        (tmp_path / f"solver_{name}.py").write_text(text, encoding="utf-8")
    names = [*SOLVERS, "is_not_there"]
    return {name: Task(f"solver_{name}", str(table), depth=1, limit=1.0) for name in names}


@pytest.mark.parametrize(
    ("name", "end", "reason"),
    [
        ("breaks", End.FAILED, "its process ended with signal SIGABRT"),
        ("raises", End.FAILED, "ValueError"),
        ("deep", End.FAILED, "RuntimeError"),
        ("is_not_there", End.MISSING, "ModuleNotFoundError"),
    ],
)
def test_a_failure_has_its_reason(tasks: dict[str, Task], name: str, end: End, reason: str) -> None:
    measurement = measure_apart(tasks[name])
    assert (measurement.end, measurement.reason) == (end, reason)
    assert measurement.counted(600) is None


def test_a_solver_that_overruns_its_limit_is_killed(tasks: dict[str, Task]) -> None:
    measurement = measure_apart(tasks["sleeps"], grace=1.0)
    assert measurement.end is End.UNFINISHED
    assert measurement.counted(600) == 600


def test_text_printed_by_a_solver_is_ignored(tasks: dict[str, Task]) -> None:
    measurement = measure_apart(tasks["chatters"])
    assert measurement.end is End.PROVED
    assert measurement.errors == 1  # counted from the predictions
    assert len(measurement.cpu_seconds) == 3


def test_an_answer_without_a_proof_is_unfinished(tasks: dict[str, Task]) -> None:
    measurement = measure_apart(tasks["gives_up"])
    assert measurement.end is End.UNFINISHED
    assert len(measurement.cpu_seconds) == 1
    assert measurement.counted(600) == 600


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="measured on Linux only")
def test_measured_memory_is_that_of_the_fit(tasks: dict[str, Task]) -> None:
    hungry, modest = measure_apart(tasks["hungry"]), measure_apart(tasks["chatters"])
    assert hungry.extra_bytes is not None
    assert modest.extra_bytes is not None
    assert 45e6 < hungry.extra_bytes < 60e6
    assert modest.extra_bytes < 5e6
