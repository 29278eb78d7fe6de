"""Table of a record for the fewest nodes, and a summary of its proofs."""

from collections.abc import Iterable, Sequence

from benchmarks.known import Known
from benchmarks.measurement import End, Measurement
from benchmarks.peers import OURS, PEERS
from benchmarks.ratios import ratio
from benchmarks.record import Row

__all__ = ["LEGEND", "lines", "sentences"]

LEGEND = (
    "CPU seconds (wall seconds) / proved minimum number of nodes; or `>` the limit / nodes of the "
    "best tree found, `>=` the proved lower bound. Errors: allowed errors, which are the minimum "
    "over all trees. Known: proved before. MB: memory that the fit of exactree added. Ratio: CPU "
    "seconds of the peer divided by those of exactree."
)
SHORT_LIMIT = 30.0  # CPU seconds within which proofs are counted also if the limit is longer


def lines(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table, as text."""
    measured = {name for row in rows for name in row.measurements}
    solvers = [name for name in PEERS if name in measured]
    compared = [name for name in solvers if any(ratio(row, name) for row in rows)]
    ratios = [f"{name} ratio" for name in compared]
    header = ["table", "n x p (classes)", "errors", "known", *solvers, "MB", *ratios]
    return header, [_line(row, solvers, compared) for row in rows]


def _line(row: Row, solvers: Sequence[str], compared: Sequence[str]) -> list[str]:
    measured = [row.measurements.get(name, Measurement(End.MISSING)) for name in solvers]
    ours = row.measurements.get(OURS)
    memory = None if ours is None else ours.extra_bytes
    return [
        row.table,
        f"{row.examples} x {row.features} ({row.classes})",
        str(row.max_errors),
        "-" if row.known is None else str(row.known),
        *(_time_and_size(measurement, row.limit) for measurement in measured),
        "-" if memory is None else f"{memory / 1e6:.0f}",
        *(str(ratio(row, name) or "-") for name in compared),
    ]


def _time_and_size(measurement: Measurement, limit: float) -> str:
    match measurement.end:
        case End.PROVED | End.GREEDY:
            wall = sorted(measurement.wall_seconds)[len(measurement.wall_seconds) // 2]
            return f"{measurement.seconds:.3g} ({wall:.3g}) / {measurement.size}"
        case End.UNFINISHED:
            tree = "no tree" if measurement.size is None else f"{measurement.size}"
            bound = measurement.lower_bound
            return f"> {limit:g} / {tree}" + ("" if bound is None else f", >= {bound}")
        case End.FAILED:
            return "failed"
        case End.MISSING:
            return "-"


def sentences(rows: Iterable[Row]) -> list[str]:
    """Return the numbers of proofs, and how they compare with known results."""
    texts = []
    groups: dict[tuple[str, float], list[Row]] = {}
    for row in rows:
        if row.minimize == "size":
            groups.setdefault((row.group, row.limit), []).append(row)
    for (group, limit), rows_of_group in groups.items():
        known = any(row.known for row in rows_of_group)
        for within in sorted({limit, min(limit, SHORT_LIMIT) if known else limit}):
            texts += _proofs(group, rows_of_group, within)
        texts += _compared(group, rows_of_group)
    return texts


def _proofs(group: str, rows: list[Row], within: float) -> list[str]:
    """Return the number of tables that each solver proves within some seconds."""
    counts = {}
    for name in PEERS:
        measured = [row.measurements[name] for row in rows if name in row.measurements]
        proved = [m for m in measured if m.end is End.PROVED and (m.seconds or 0.0) <= within]
        if measured:
            counts[name] = f"{name} {len(proved)} of {len(measured)}"
    return [f"{group}: proved within {within:g} CPU s: {', '.join(counts.values())}."]


def _compared(group: str, rows: list[Row]) -> list[str]:
    """Return how the results of exactree compare with earlier proofs."""
    known = [(row, row.known) for row in rows if row.known is not None and OURS in row.measurements]
    if not known:
        return []
    proved = [(row, k.minimum) for row, k in known if row.measurements[OURS].end is End.PROVED]
    agree = [minimum == row.value(OURS) for row, minimum in proved if minimum is not None]
    new = [f"{row.table} {row.value(OURS)}" for row, minimum in proved if minimum is None]
    texts = f"{group}: {sum(agree)} of {len(agree)} proofs agree with known results"
    if new:
        texts += f"; without an earlier proof in the reference list: {', '.join(new)}"
    return [texts + ".", *_unproved(group, known)]


def _unproved(group: str, known: list[tuple[Row, Known]]) -> list[str]:
    """Return how exactree compares on the tables that it did not prove."""
    unproved = [(row, k) for row, k in known if row.measurements[OURS].end is not End.PROVED]
    if not unproved:
        return []
    good = [
        row.value(OURS) is not None and (row.measurements[OURS].lower_bound or 0) >= k.lower_bound
        for row, k in unproved
    ]
    return [
        f"{group}: {sum(good)} of {len(good)} tables without a proof have a tree and a lower bound "
        "no worse than known results."
    ]
