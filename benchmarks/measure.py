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

SHORT = 1.5  # CPU seconds below which a fit is repeated
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
    """Fit once, or three times if the fit is short, and count the errors of each tree."""
    _fit(task, *tiny_table())()  # so that lazy imports are not measured
    X, y = _read(task)
    fit = _fit(task, X, y)
    runs = [_run(fit, X, y, task)]
    first = runs[0].answer
    finished = first.proved or not task.exact
    while finished and runs[0].cpu < SHORT and len(runs) < REPEATS:
        runs.append(_run(fit, X, y, task))
        if first.proved and not runs[-1].answer.proved:  # reached the limit on a loaded machine
            runs.pop()
            break
    results = [(run.errors, run.squared_error, run.answer.size) for run in runs]
    if len(set(results)) > 1:
        raise RuntimeError(f"equal fits had different errors, squared errors or sizes: {results}")
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
    """Return the table of a task."""
    path = Path(task.table)
    is_regression = task.minimize == "squared_error"
    return read_numbers(path, task.thresholds) if is_regression else read_table(path)


def _fit(task: Task, X: Any, y: Any) -> Fit:
    """Return the call to measure, without arguments.

    An adapter prepares the arguments of a problem with an option before it returns the call.
    """
    adapter = import_module(task.adapter)
    within: dict[str, Any] = {"depth": task.depth, "time_limit": task.limit}
    if task.option is not None:
        fit: Fit = adapter.with_option(X, y, option=task.option, **within)
        return fit
    match task.minimize:
        case "errors" if task.leaf_penalty is not None:
            penalized = {"leaf_penalty": task.leaf_penalty, "time_limit": task.limit}
            return lambda: adapter.sparse(X, y, **penalized)
        case "errors":
            return lambda: adapter.fit(X, y, **within)
        case "squared_error":
            return lambda: adapter.regression(X, y, **within)
        case "size":
            allowed = {"max_errors": task.max_errors, "time_limit": task.limit}
            return lambda: adapter.smallest(X, y, **allowed)


def _run(fit: Fit, X: Any, y: Any, task: Task) -> _Run:
    """Fit once; the clocks measure only the call."""
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
    """Return the errors of the tree, None without a tree and in a regression.

    Raise RuntimeError if the tree is deeper, or makes more errors, than the task allows.
    """
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
    """Return the squared error of the tree; None if it is not minimized or there is no tree."""
    if answer.predict is None or task.minimize != "squared_error":
        return None
    return float(((answer.predict(X) - y) ** 2).sum())


def attempt(task: Task) -> Measurement:
    """Return the measurement of a task, also if the solver raises an exception."""
    try:
        return measure(task)
    except ImportError as error:
        print(error, file=sys.stderr)
        return Measurement(End.MISSING, reason=type(error).__name__)
    except MemoryError:
        return Measurement(End.UNFINISHED, reason="out of memory")
    except Exception as error:  # an exception of a solver affects only this measurement
        print(error, file=sys.stderr)
        return Measurement(End.FAILED, reason=type(error).__name__)


def main() -> None:
    """Measure the task on standard input; output of the solver goes to standard error."""
    result_file = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    json.dump(vars(attempt(Task(**json.load(sys.stdin)))), result_file)
    result_file.close()


if __name__ == "__main__":
    main()
