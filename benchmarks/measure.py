"""Measurement of one task in this process: task on standard input, result on output."""

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.measurement import End, Measurement, Task
from benchmarks.peak_memory import forget_peak, peak_bytes
from benchmarks.peers.peer import Answer
from benchmarks.tables import read_numbers, read_table, tiny_table

SHORT = 1.5  # CPU seconds below which one fit says too little
REPEATS = 3

Fit = Callable[[], Answer]


@dataclass(frozen=True)
class _Run:
    answer: Answer
    errors: int | None
    squared_error: float | None
    cpu: float
    wall: float
    extra_bytes: int | None


def measure(task: Task) -> Measurement:
    """Fit once, or three times when that is short, and count the errors of each tree."""
    _fit(task, *tiny_table())()  # loads what is loaded late
    X, y = _read(task)
    fit = _fit(task, X, y)
    runs = [_run(fit, X, y, task)]
    first = runs[0].answer
    done = first.proved or not task.exact
    while done and runs[0].cpu < SHORT and len(runs) < REPEATS:
        runs.append(_run(fit, X, y, task))
        if first.proved and not runs[-1].answer.proved:  # the limit is near on a loaded machine
            runs.pop()
            break
    found = [(run.errors, run.squared_error, run.answer.size) for run in runs]
    if len(set(found)) > 1:
        raise RuntimeError(f"the same fit made these errors, and sizes: {found}")
    in_time = all(run.cpu <= task.limit for run in runs)
    end = End.GREEDY if not task.exact else End.PROVED if first.proved else End.UNFINISHED
    return Measurement(
        end=end if in_time else End.UNFINISHED,
        errors=runs[0].errors,
        cpu_seconds=tuple(run.cpu for run in runs),
        wall_seconds=tuple(run.wall for run in runs),
        extra_bytes=runs[0].extra_bytes,
        reason="" if in_time else "overran the limit",
        size=first.size,
        lower_bound=first.lower_bound,
        squared_error=runs[0].squared_error,
        cost=first.cost,
    )


def _read(task: Task) -> tuple[Any, Any]:
    """Return the table that a task is about."""
    path = Path(task.table)
    numbers = task.minimize == "squared_error"
    return read_numbers(path, task.thresholds) if numbers else read_table(path)


def _fit(task: Task, X: Any, y: Any) -> Fit:
    """Return the call to measure on a table; what it needs from an option is made before it."""
    adapter = import_module(task.adapter)
    within: dict[str, Any] = {"depth": task.depth, "time_limit": task.limit}
    if task.option is not None:
        fit: Fit = adapter.with_option(X, y, option=task.option, **within)
        return fit
    match task.minimize:
        case "errors" if task.leaf_penalty is not None:
            priced = {"leaf_penalty": task.leaf_penalty, "time_limit": task.limit}
            return lambda: adapter.sparse(X, y, **priced)
        case "errors":
            return lambda: adapter.fit(X, y, **within)
        case "squared_error":
            return lambda: adapter.regression(X, y, **within)
        case "size":
            allowed = {"max_errors": task.max_errors, "time_limit": task.limit}
            return lambda: adapter.smallest(X, y, **allowed)


def _run(fit: Fit, X: Any, y: Any, task: Task) -> _Run:
    """Fit once with the clocks around the call alone."""
    gc.collect()
    forget_peak()
    before = peak_bytes()
    wall, cpu = time.perf_counter(), time.process_time()
    answer = fit()
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    after = peak_bytes()
    return _Run(
        answer=answer,
        errors=_counted_errors(answer, X, y, task),
        squared_error=_counted_squares(answer, X, y, task),
        cpu=cpu,
        wall=wall,
        extra_bytes=None if before is None or after is None else after - before,
    )


def _counted_errors(answer: Answer, X: Any, y: Any, task: Task) -> int | None:
    """Return the errors of the tree, if there is one, which must keep to the problem."""
    if answer.predict is None:
        return None
    if task.depth is not None and answer.depth > task.depth:
        raise RuntimeError(f"the tree has depth {answer.depth}, allowed was {task.depth}")
    if task.minimize == "squared_error":
        return None
    errors = int(np.count_nonzero(answer.predict(X) != y))
    if task.max_errors is not None and errors > task.max_errors:
        raise RuntimeError(f"the tree makes {errors} errors, allowed were {task.max_errors}")
    return errors


def _counted_squares(answer: Answer, X: Any, y: Any, task: Task) -> float | None:
    """Return the squared error of the tree, if that is used for and there is one."""
    if answer.predict is None or task.minimize != "squared_error":
        return None
    return float(((answer.predict(X) - y) ** 2).sum())


def attempt(task: Task) -> Measurement:
    """Return the measurement of a task, also of a solver that raises."""
    try:
        return measure(task)
    except ImportError as error:
        print(error, file=sys.stderr)
        return Measurement(End.MISSING, reason=type(error).__name__)
    except MemoryError:
        return Measurement(End.UNFINISHED, reason="out of memory")
    except Exception as error:  # whatever a solver raises costs one measurement
        print(error, file=sys.stderr)
        return Measurement(End.FAILED, reason=type(error).__name__)


def main() -> None:
    """Answer the task on standard input; what a solver prints goes to standard error."""
    answer_to = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(vars(attempt(Task(**json.load(sys.stdin)))), answer_to)
    answer_to.close()


if __name__ == "__main__":
    main()
