"""The table of a record on minimum errors or squared error, with or without a leaf penalty."""

from collections.abc import Sequence

from benchmarks.measurement import End, Measurement
from benchmarks.peers import PEERS
from benchmarks.ratios import ratio
from benchmarks.record import Row

__all__ = ["LEGEND", "lines"]

LEGEND = (
    "CPU seconds / errors or squared error; with a leaf penalty / errors, leaves: cost. Results "
    "are proved unless marked: `*` greedy; `?` not proved within the limit, followed by `>=` the "
    "lower bound if the solver reports it. MB: memory that the fits added, in the order of the "
    "solvers. Ratio: CPU seconds of the peer divided by those of exactree; an unfinished solver "
    "counts with the limit."
)


def lines(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table, as text."""
    measured = {name for row in rows for name in row.measurements}
    solvers = [name for name in PEERS if name in measured]
    compared = [name for name in solvers if any(ratio(row, name) for row in rows)]
    ratios = [f"{name} ratio" for name in compared]
    limit_name = "depth" if rows[0].leaf_penalty is None else "penalty"
    header = ["table", "n x p (classes)", limit_name, *solvers, "MB", *ratios]
    return header, [_line(row, solvers, compared) for row in rows]


def _line(row: Row, solvers: Sequence[str], compared: Sequence[str]) -> list[str]:
    """Return the entries of one row, as text."""
    measured = [row.measurements.get(name, Measurement(End.MISSING)) for name in solvers]
    memory = ["-" if m.extra_bytes is None else f"{m.extra_bytes / 1e6:.0f}" for m in measured]
    return [
        row.table,
        _extent(row),
        str(row.depth) if row.leaf_penalty is None else row.leaf_penalty,
        *(_time_and_errors(name, row) for name in solvers),
        ", ".join(memory),
        *(str(ratio(row, name) or "-") for name in compared),
    ]


def _extent(row: Row) -> str:
    classes = "" if row.minimize == "squared_error" else f" ({row.classes})"
    return f"{row.examples} x {row.features}{classes}"


def _time_and_errors(name: str, row: Row) -> str:
    measurement = row.measurements.get(name, Measurement(End.MISSING))
    match measurement.end:
        case End.PROVED:
            return f"{measurement.seconds:.3g} / {_cost(name, row)}"
        case End.GREEDY:
            return f"{measurement.seconds:.2g} / {_cost(name, row)}*"
        case End.UNFINISHED:
            bound = measurement.lower_bound
            bound_text = "" if bound is None else f" >= {bound:g}"
            return f"> {row.limit:g} / {_cost(name, row)}?{bound_text}"
        case End.FAILED:
            return "failed"
        case End.MISSING:
            return "-"


def _cost(name: str, row: Row) -> str:
    """Return the errors of a solver's tree; with a leaf penalty, errors, leaves and cost."""
    measurement, cost = row.measurements[name], row.value(name)
    if cost is None:
        return "no tree"
    if row.minimize == "squared_error":
        return f"{float(cost):.6g}"
    if row.leaf_penalty is None or measurement.size is None:
        return str(measurement.errors)
    return f"{measurement.errors}, {measurement.size + 1}: {float(cost):g}"
