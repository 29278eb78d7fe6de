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
from benchmarks.suites import Question
from benchmarks.tables import read_numbers, read_table
from exactree import describe

__all__ = ["row_of", "rows"]

Tell = Callable[[str], None]


def rows(
    questions: Iterable[Question],
    peers: Iterable[str] | None,
    programs: Mapping[str, Path],
    limit: float | None,
    known: Mapping[str, Known],
    tell: Tell,
) -> Iterator[Row]:
    """Yield a row for each problem, as soon as it is measured.

    The solvers of a row run one after the other, so that a machine that slows down slows all of
    them.

    Parameters
    ----------
    questions : iterable of Question
        The problem to solve.
    peers : iterable of str or None
        Solvers, where not all of the suite are wanted.
    programs : mapping
        From the name of a solver to its executable; without one it is left out.
    limit : float or None
        Seconds a fit may take, where it is not the limit of the suite.
    known : mapping
        From the name of a table to what was proved before.
    tell : callable
        Gets a line of text for every measurement.
    """
    for question in questions:
        group = question.group
        wanted = group.peers if peers is None else [name for name in group.peers if name in peers]
        solvers = [name for name in wanted if not PEERS[name].program or name in programs]
        row = row_of(question, limit, known.get(question.table))
        measurements = {}
        for name in solvers:
            measurements[name] = _measure(name, question, row, programs)
            tell(f"{row.place}, {name}: {_text(measurements[name], row)}")
        yield replace(row, measurements=measurements)


def row_of(question: Question, limit: float | None, known: Known | None = None) -> Row:
    """Return the row of a question, still without measurements."""
    group = question.group
    X, y = (
        read_numbers(question.path, group.thresholds)
        if group.minimize == "squared_error"
        else read_table(question.path)
    )
    allowed = None
    if group.minimize == "size":
        allowed = int(describe(X, y).min_errors or 0)
    return Row(
        table=question.table,
        examples=X.shape[0],
        features=X.shape[1],
        classes=len(np.unique(y)),
        depth=question.depth,
        limit=group.limit if limit is None or group.fixed_limit else limit,
        measurements={},
        group=group.name,
        minimize=group.minimize,
        max_errors=allowed,
        leaf_penalty=question.leaf_penalty,
        quick=group.quick,
        known=known if group.minimize == "size" else None,
        load=load(),
    )


def _measure(name: str, question: Question, row: Row, programs: Mapping[str, Path]) -> Measurement:
    """Return the measurement of a peer, if it is there."""
    peer, path = PEERS[name], question.path
    if peer.program:
        return measure_program(programs[name], *read_table(path), row.limit)
    if installed(peer.distribution) is None:
        return Measurement(End.MISSING)
    task = Task(
        peer.adapter,
        str(path.resolve()),
        row.depth,
        row.limit,
        peer.exact,
        row.minimize,
        row.max_errors,
        row.leaf_penalty,
        question.group.thresholds,
    )
    return measure_apart(task)


def _text(measurement: Measurement, row: Row) -> str:
    seconds = "" if measurement.seconds is None else f" {measurement.seconds:.4g} CPU s"
    errors = "" if measurement.errors is None else f", {measurement.errors} errors"
    size = "" if measurement.size is None else f", {measurement.size} nodes"
    floor = "" if measurement.lower_bound is None else f", lower bound {measurement.lower_bound}"
    reason = f" ({measurement.reason})" if measurement.reason else ""
    counted = size + floor if row.minimize == "size" else errors
    if measurement.squared_error is not None:
        counted = f", squared error {measurement.squared_error:.6g}"
    if row.leaf_penalty is not None:
        counted = errors + size + floor
    return f"{measurement.end}{seconds}{counted}{reason}"
