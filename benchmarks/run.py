"""Run a comparison: one row after the other, all solvers of a row in turn."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.apart import measure_apart
from benchmarks.machine import installed
from benchmarks.measurement import End, Measurement, Task
from benchmarks.peers import PEERS
from benchmarks.record import Row
from benchmarks.suites import Suite
from benchmarks.tables import read_table

__all__ = ["rows"]

Tell = Callable[[str], None]


def rows(
    suite: Suite,
    data: Path,
    tables: Sequence[str],
    depths: Sequence[int],
    peers: Sequence[str],
    limit: float,
    tell: Tell,
) -> Iterator[Row]:
    """Yield a row per depth and table, as soon as it is measured.

    The solvers of a row run one after the other, so that a machine that slows down slows all of
    them.

    Parameters
    ----------
    suite : Suite
        Says where the tables are.
    data : Path
        The data folder.
    tables, depths, peers : sequences
        What is measured.
    limit : float
        Seconds a fit may take.
    tell : callable
        Gets a line of text for every measurement.
    """
    for depth in depths:
        for table in tables:
            path = suite.path(data, table)
            X, y = read_table(path)
            measurements = {}
            for name in peers:
                measurements[name] = _measure(name, path, depth, limit)
                tell(f"{table}, depth {depth}, {name}: {_told(measurements[name])}")
            yield Row(
                table=table,
                examples=X.shape[0],
                features=X.shape[1],
                classes=len(np.unique(y)),
                depth=depth,
                limit=limit,
                measurements=measurements,
            )


def _measure(name: str, path: Path, depth: int, limit: float) -> Measurement:
    """Return the measurement of a peer, if it is there."""
    peer = PEERS[name]
    if installed(peer.distribution) is None:
        return Measurement(End.MISSING)
    return measure_apart(Task(peer.adapter, str(path.resolve()), depth, limit, peer.exact))


def _told(measurement: Measurement) -> str:
    seconds = "" if measurement.seconds is None else f" {measurement.seconds:.4g} CPU s"
    errors = "" if measurement.errors is None else f", {measurement.errors} errors"
    reason = f" ({measurement.reason})" if measurement.reason else ""
    return f"{measurement.end}{seconds}{errors}{reason}"
