"""The table of a record that asked for the least errors."""

from collections.abc import Sequence

from benchmarks.measurement import End, Measurement
from benchmarks.peers import PEERS
from benchmarks.ratios import ratio
from benchmarks.record import Row

__all__ = ["LEGEND", "lines"]

LEGEND = (
    "CPU seconds / errors; proved unless marked: `*` greedy, `?` not proved within the limit, "
    "which then counts as its seconds. MB: memory the fits added, in the order of the solvers. "
    "Ratio: CPU seconds of the peer over those of exactree."
)


def lines(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table, as text."""
    met = {name for row in rows for name in row.measurements}
    solvers = [name for name in PEERS if name in met]
    compared = [n for n in solvers if any(ratio(row, n) for row in rows)]
    ratios = [f"{name} ratio" for name in compared]
    header = ["table", "n x p (classes)", "depth", *solvers, "MB", *ratios]
    return header, [_line(row, solvers, compared) for row in rows]


def _line(row: Row, solvers: Sequence[str], compared: Sequence[str]) -> list[str]:
    """Return the entries of one row, as text."""
    measured = [row.measurements.get(name, Measurement(End.MISSING)) for name in solvers]
    memory = ["-" if m.extra_bytes is None else f"{m.extra_bytes / 1e6:.0f}" for m in measured]
    return [
        row.table,
        f"{row.examples} x {row.features} ({row.classes})",
        str(row.depth),
        *(_time_and_errors(one, row.limit) for one in measured),
        ", ".join(memory),
        *(str(ratio(row, name) or "-") for name in compared),
    ]


def _time_and_errors(measurement: Measurement, limit: float) -> str:
    match measurement.end:
        case End.PROVED:
            return f"{measurement.seconds:.3g} / {measurement.errors}"
        case End.GREEDY:
            return f"{measurement.seconds:.2g} / {measurement.errors}*"
        case End.UNFINISHED:
            errors = "no tree" if measurement.errors is None else f"{measurement.errors}"
            return f"> {limit:g} / {errors}?"
        case End.FAILED:
            return "failed"
        case End.MISSING:
            return "-"
