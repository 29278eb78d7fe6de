"""Measurement of an executable that finds the smallest tree without errors.

The executable is called with a CSV file and a number of seconds. The file has a line of names and
lines of numbers; the last column is the class, 0 or 1. The output is a line of entries, separated
by semicolons, of which the last seven are: rows, features, minimum number of inner nodes (-1 if
the search did not finish), lower bound, seconds, and two counts.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from benchmarks.measure import REPEATS, SHORT
from benchmarks.measurement import End, Measurement

__all__ = ["ProgramOutput", "measure_program", "read_line"]


@dataclass(frozen=True)
class ProgramOutput:
    """Output of the executable.

    Attributes
    ----------
    size : int or None
        Minimum number of inner nodes, None if the search did not finish.
    lower_bound : int
        Proved lower bound on the number of inner nodes.
    seconds : float
        Wall seconds by its own clock, without reading the file.
    """

    size: int | None
    lower_bound: int
    seconds: float


class _Call(NamedTuple):
    """Output of one call of the executable, and CPU seconds of its process."""

    output: ProgramOutput
    cpu: float


def measure_program(
    program: Path, X: Any, y: Any, limit: float, grace: float = 30.0
) -> Measurement:
    """Return the measurement of an executable, called three times if it is quick.

    The CPU seconds are those of its process, or the wall seconds of its own clock if these are
    fewer, because its clock excludes the start of the process and reading the file.

    Parameters
    ----------
    program : Path
        The executable.
    X, y : ndarray
        The table; labels are 0 and 1.
    limit : float
        The number of seconds on its command line.
    grace : float
        Seconds beyond 1.1 times the limit after which it is killed.
    """
    if y.max() > 1:
        return Measurement(End.FAILED, reason="it takes two classes only")
    calls: list[_Call] = []
    with _written(X, y) as table:
        while not calls or (calls[0].output.size is not None and _again(calls)):
            try:
                calls.append(_call(program, table, limit, grace))
            except subprocess.TimeoutExpired:
                return Measurement(End.UNFINISHED, reason="killed after overrunning the limit")
            except (OSError, subprocess.CalledProcessError, ValueError) as error:
                return Measurement(End.FAILED, reason=type(error).__name__)
    first = calls[0].output
    same_end = [call for call in calls if (call.output.size is None) == (first.size is None)]
    return Measurement(
        End.UNFINISHED if first.size is None else End.PROVED,
        cpu_seconds=tuple(min(call.cpu, call.output.seconds) for call in same_end),
        wall_seconds=tuple(call.output.seconds for call in same_end),
        size=first.size,
        lower_bound=first.lower_bound,
    )


def _again(calls: list[_Call]) -> bool:
    return calls[0].cpu < SHORT and len(calls) < REPEATS


def _call(program: Path, table: Path, limit: float, grace: float) -> _Call:
    """Call the executable once."""
    before = _seconds_of_children()
    process = subprocess.run(
        [program.resolve(), table, f"{limit:g}"],
        capture_output=True,
        text=True,
        check=True,
        timeout=1.1 * limit + grace,
    )
    return _Call(read_line(process.stdout), _seconds_of_children() - before)


def read_line(line: str) -> ProgramOutput:
    """Parse the output of the executable; raise ValueError if it is malformed."""
    cells = [cell.rpartition("=")[2] for cell in line.strip().split(";")]
    _, _, size, lower_bound, seconds, _, _ = cells[-7:]
    return ProgramOutput(int(size) if int(size) >= 0 else None, int(lower_bound), float(seconds))


@contextmanager
def _written(X: Any, y: Any) -> Iterator[Path]:
    """Yield a temporary file with the table as the executable reads it."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "table.csv"
        names = ",".join([*(f"x{f}" for f in range(X.shape[1])), "target"])
        numbers = np.column_stack([X, y])
        np.savetxt(path, numbers, fmt="%.17g", delimiter=",", header=names, comments="")
        yield path


def _seconds_of_children() -> float:
    """Return the CPU seconds of all finished processes that this process started."""
    from resource import RUSAGE_CHILDREN, getrusage  # does not exist on Windows

    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
