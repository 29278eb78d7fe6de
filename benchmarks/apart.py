"""Measurement of a task in a fresh process, so that a crash affects one measurement only."""

import json
import os
import signal
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.measurement import End, Measurement, Task

__all__ = ["measure_apart"]

ROOT = Path(__file__).resolve().parents[1]

# Solvers are compared on one thread; by default their libraries may use several.
ONE_THREAD = dict.fromkeys(
    ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"], "1"
)


def measure_apart(task: Task, grace: float = 30.0, build: Path | None = None) -> Measurement:
    """Return the measurement of a task, made in a separate process.

    Parameters
    ----------
    task : Task
        The task to measure.
    grace : float
        Seconds for the start of the process, for reading the table, and for a solver to stop after
        its limit, in addition to 1.1 times the limit. A process that takes longer is killed.
    build : Path or None
        Folder that contains the package `exactree` to measure; None for the installed package.

    Returns
    -------
    Measurement
        The result, also if the solver crashed or was killed.
    """
    package = {} if build is None else {"PYTHONPATH": str(build)}
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.measure"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | ONE_THREAD | package,
        start_new_session=True,  # so that processes of the solver are stopped with it
    )
    try:
        request = json.dumps(asdict(task))
        output, errors = process.communicate(request, timeout=1.1 * task.limit + grace)
    except subprocess.TimeoutExpired:
        return Measurement(End.UNFINISHED, reason="killed after overrunning the limit")
    finally:
        _stop(process)
    measurement = _read(output, process.returncode)
    if measurement.reason and errors:
        print(errors.strip().splitlines()[-1], file=sys.stderr)
    return measurement


def _read(output: str, code: int) -> Measurement:
    """Return the measurement printed by the process, or the cause of its failure."""
    try:
        entries = json.loads(output)
    except json.JSONDecodeError:
        cause = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return Measurement(End.FAILED, reason=f"its process ended with {cause}")
    return Measurement.of_entries(entries)


def _stop(process: subprocess.Popen[str]) -> None:
    """End a process if it is still running, with all processes that it started."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate()
