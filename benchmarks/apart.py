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

# Solvers are compared on one thread, whatever their libraries would like.
ONE_THREAD = dict.fromkeys(
    ["OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"], "1"
)


def measure_apart(task: Task, grace: float = 30.0) -> Measurement:
    """Return the measurement of a task, made in a separate process.

    Parameters
    ----------
    task : Task
        What to measure.
    grace : float
        Seconds for starting and for reading the table, and for a solver to notice its own limit.
        A tenth of the limit is added. A process that takes longer is killed.

    Returns
    -------
    Measurement
        Also for a solver that crashed or had to be killed.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.measure"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=os.environ | ONE_THREAD,
        start_new_session=True,  # so that what a solver starts is stopped with it
    )
    try:
        question = json.dumps(asdict(task))
        answer, errors = process.communicate(question, timeout=1.1 * task.limit + grace)
    except subprocess.TimeoutExpired:
        return Measurement(End.UNFINISHED, reason="killed after overrunning the limit")
    finally:
        _stop(process)
    measurement = _read(answer, process.returncode)
    if measurement.reason and errors:
        print(errors.strip().splitlines()[-1], file=sys.stderr)
    return measurement


def _read(answer: str, code: int) -> Measurement:
    """Return the measurement printed by the process, or how the process failed."""
    try:
        entries = json.loads(answer)
    except json.JSONDecodeError:
        how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"
        return Measurement(End.FAILED, reason=f"its process ended with {how}")
    return Measurement.of_entries(entries)


def _stop(process: subprocess.Popen[str]) -> None:
    """End a process that still runs, with everything it started."""
    if process.poll() is None:
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
        process.communicate()
