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

Fit = Callable[[Any, Any], Answer]


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
    fit = _fit(task)
    X, y = _read(task)
    fit(*tiny_table())  # so that lazy imports are not measured
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
    )


def _read(task: Task) -> tuple[Any, Any]:
    """Return the table of a task."""
    path = Path(task.table)
    is_regression = task.minimize == "squared_error"
    return read_numbers(path, task.thresholds) if is_regression else read_table(path)


def _fit(task: Task) -> Fit:
    """Return the function of a table that is measured."""
    adapter = import_module(task.adapter)
    penalty = task.leaf_penalty
    match task.minimize:
        case "errors" if penalty is not None:
            return lambda X, y: adapter.sparse(X, y, leaf_penalty=penalty, time_limit=task.limit)
        case "errors":
            return lambda X, y: adapter.fit(X, y, depth=task.depth, time_limit=task.limit)
        case "squared_error":
            return lambda X, y: adapter.regression(X, y, depth=task.depth, time_limit=task.limit)
        case "size":
            return lambda X, y: adapter.smallest(
                X, y, max_errors=task.max_errors, time_limit=task.limit
            )


def _run(fit: Fit, X: Any, y: Any, task: Task) -> _Run:
    """Fit once; the clocks measure only the call."""
    gc.collect()
    forget_peak()
    before = peak_bytes()
    wall, cpu = time.perf_counter(), time.process_time()
    answer = fit(X, y)
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
    """Return the errors of the tree, or None without a tree; raise if it breaks a limit."""
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


def main() -> None:
    """Measure the task on standard input; output of the solver goes to standard error."""
    result_file = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    task = Task(**json.load(sys.stdin))
    try:
        result = vars(measure(task))
    except ImportError as error:
        result = {"end": End.MISSING, "reason": type(error).__name__}
        print(error, file=sys.stderr)
    except MemoryError:
        result = {"end": End.UNFINISHED, "reason": "out of memory"}
    except Exception as error:  # an exception of a solver affects only this measurement
        result = {"end": End.FAILED, "reason": type(error).__name__}
        print(error, file=sys.stderr)
    json.dump(result, result_file)
    result_file.close()


if __name__ == "__main__":
    main()
