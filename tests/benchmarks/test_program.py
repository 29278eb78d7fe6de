"""Calls of an executable with a table, its output line, and its failures."""

import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.measurement import End
from benchmarks.program import ProgramOutput, measure_program, read_line

X, Y = np.array([[0.1, 2.0], [1.5, 2.0]]), np.array([0, 1])

PROGRAMS = {
    "counts": (
        "lines = open(sys.argv[1]).read().split()\n"
        "assert lines == ['x0,x1,target', '0.10000000000000001,2,0', '1.5,2,1'], lines\n"
        "print(f'MONO;{sys.argv[1]};2;2;1;lb=1;0.000;calls=3;cache=0')"
    ),
    "works": (
        "end = time.process_time() + 0.2\n"
        "while time.process_time() < end: pass\n"
        "print('x;2;2;1;1;9.5;3;0')"
    ),
    "gives_up": "print(f'x;2;2;-1;lb=7;{sys.argv[2]};3;0')",
    "breaks": "sys.exit(3)",
    "chatters": "print('hello')",
    "sleeps": "time.sleep(60)",
}


@pytest.fixture
def program(tmp_path: Path):
    """Return a function that writes one of the programs and returns its file."""
    if sys.platform == "win32":
        pytest.skip("Windows does not run scripts by their first line")

    def write(name: str) -> Path:
        path = tmp_path / name
        path.write_text(f"#!{sys.executable}\nimport sys, time\n{PROGRAMS[name]}\n", "utf-8")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    return write


def test_lines_of_the_prototype_are_read() -> None:
    assert read_line("MONO;t.csv;17;3;7;lb=7;0.001;calls=12;cache=4\n") == ProgramOutput(
        7, 7, 0.001
    )
    assert read_line("t.csv;17;3;-1;9;30.1;12;4") == ProgramOutput(None, 9, 30.1)
    with pytest.raises(ValueError, match="not enough values"):
        read_line("no line")


def test_a_fast_program_is_called_three_times(program) -> None:
    measurement = measure_program(program("counts"), X, Y, limit=2)
    assert (measurement.end, measurement.size, measurement.lower_bound) == (End.PROVED, 1, 1)
    assert measurement.wall_seconds == (0.0, 0.0, 0.0)
    # The printed seconds are without those in which the process starts.
    assert measurement.cpu_seconds == (0.0, 0.0, 0.0)


def test_cpu_seconds_are_at_most_those_of_the_process(program) -> None:
    measurement = measure_program(program("works"), X, Y, limit=20)
    assert measurement.wall_seconds[0] == 9.5
    assert 0.2 <= measurement.cpu_seconds[0] < 9.5


def test_an_output_without_a_tree_is_unfinished(program) -> None:
    measurement = measure_program(program("gives_up"), X, Y, limit=2.5)
    result = (measurement.end, measurement.size, measurement.lower_bound)
    assert result == (End.UNFINISHED, None, 7)
    assert measurement.wall_seconds == (2.5,)


@pytest.mark.parametrize(
    ("name", "reason"), [("breaks", "CalledProcessError"), ("chatters", "ValueError")]
)
def test_a_failure_has_its_reason(program, name: str, reason: str) -> None:
    measurement = measure_program(program(name), X, Y, limit=1)
    assert (measurement.end, measurement.reason) == (End.FAILED, reason)


def test_a_program_that_overruns_its_limit_is_killed(program) -> None:
    measurement = measure_program(program("sleeps"), X, Y, limit=0.1, grace=0.5)
    assert measurement.end is End.UNFINISHED
    assert measurement.reason == "killed after overrunning the limit"


def test_three_classes_are_refused(program) -> None:
    measurement = measure_program(program("counts"), X, np.array([0, 2]), limit=1)
    assert (measurement.end, measurement.reason) == (End.FAILED, "it takes two classes only")
