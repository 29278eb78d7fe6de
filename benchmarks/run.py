"""Runs of comparisons: row by row, and solver by solver within a row."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.apart import measure_apart
from benchmarks.known import Known
from benchmarks.machine import installed, load
from benchmarks.measurement import End, Measurement, Task
from benchmarks.peers import PEERS
from benchmarks.program import measure_program
from benchmarks.record import Row
from benchmarks.suites import RowProblem
from benchmarks.tables import read_numbers, read_table
from exactree import describe

__all__ = ["empty_row", "rows", "task_of"]


def rows(
    problems: Iterable[RowProblem],
    peers: Iterable[str] | None,
    programs: Mapping[str, Path],
    limit: float | None,
    known: Mapping[str, Known],
    report: Callable[[str], None],
) -> Iterator[Row]:
    """Yield a row for each problem, as soon as it is measured.

    The solvers of a row run one after another, so that a machine that slows down affects all of
    them.

    Parameters
    ----------
    problems : iterable of RowProblem
        The problems to solve.
    peers : iterable of str or None
        The chosen solvers; None for all solvers of the suite.
    programs : mapping
        From the name of a solver to its executable; a program without an executable is left out.
    limit : float or None
        Seconds that a fit may take; None for the limit of the suite.
    known : mapping
        From the name of a table to earlier results.
    report : callable
        Receives a line of text for every measurement.
    """
    for problem in problems:
        group = problem.group
        chosen = group.peers if peers is None else [name for name in group.peers if name in peers]
        solvers = [name for name in chosen if not PEERS[name].program or name in programs]
        row = empty_row(problem, limit, known.get(problem.table))
        measurements = {}
        for name in solvers:
            measurements[name] = _measure(name, problem, row, programs)
            report(f"{row.place}, {name}: {_text(measurements[name], row)}")
        yield replace(row, measurements=measurements)


def empty_row(problem: RowProblem, limit: float | None, known: Known | None = None) -> Row:
    """Return the row of a problem without measurements."""
    group = problem.group
    X, y = (
        read_numbers(problem.path, group.thresholds)
        if group.minimize == "squared_error"
        else read_table(problem.path)
    )
    allowed = None
    if group.minimize == "size":
        allowed = int(describe(X, y).min_errors or 0)
    return Row(
        table=problem.table,
        examples=X.shape[0],
        features=X.shape[1],
        classes=len(np.unique(y)),
        depth=problem.depth,
        limit=group.limit if limit is None or group.fixed_limit else limit,
        measurements={},
        group=group.name,
        minimize=group.minimize,
        max_errors=allowed,
        leaf_penalty=problem.leaf_penalty,
        quick=group.quick,
        known=known if group.minimize == "size" else None,
        load=load(),
    )


def _measure(name: str, problem: RowProblem, row: Row, programs: Mapping[str, Path]) -> Measurement:
    """Return the measurement of a peer, `End.MISSING` if it is not installed."""
    peer, path = PEERS[name], problem.path
    if peer.program:
        return measure_program(programs[name], *read_table(path), row.limit)
    if installed(peer.distribution) is None:
        return Measurement(End.MISSING)
    return measure_apart(task_of(name, problem, row))


def task_of(name: str, problem: RowProblem, row: Row) -> Task:
    """Return the task of a peer in a row."""
    peer = PEERS[name]
    return Task(
        peer.adapter,
        str(problem.path.resolve()),
        row.depth,
        row.limit,
        peer.exact,
        row.minimize,
        row.max_errors,
        row.leaf_penalty,
        problem.group.thresholds,
    )


def _text(measurement: Measurement, row: Row) -> str:
    seconds = "" if measurement.seconds is None else f" {measurement.seconds:.4g} CPU s"
    errors = "" if measurement.errors is None else f", {measurement.errors} errors"
    size = "" if measurement.size is None else f", {measurement.size} nodes"
    bound = "" if measurement.lower_bound is None else f", lower bound {measurement.lower_bound}"
    reason = f" ({measurement.reason})" if measurement.reason else ""
    result = size + bound if row.minimize == "size" else errors
    if measurement.squared_error is not None:
        result = f", squared error {measurement.squared_error:.6g}"
    if row.leaf_penalty is not None:
        result = errors + size + bound
    return f"{measurement.end}{seconds}{result}{reason}"
