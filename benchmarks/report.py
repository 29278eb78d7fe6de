"""A record as a table for people: on the terminal, and in Markdown."""

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table

from benchmarks.measurement import End, Measurement
from benchmarks.peers import PEERS
from benchmarks.ratios import means, ratio
from benchmarks.record import Record, Row

__all__ = ["markdown", "print_report"]

LEGEND = (
    "CPU seconds / errors; proved unless marked: `*` greedy, `?` not proved within the limit, "
    "which then counts as its seconds. MB: memory the fits added, in the order of the solvers. "
    "Ratio: CPU seconds of the peer over those of exactree."
)


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


def _lines(record: Record) -> tuple[list[str], list[list[str]]]:
    """Return the header and the rows of the table."""
    met = {name for row in record.rows for name in row.measurements}
    solvers = [name for name in PEERS if name in met]
    compared = [n for n in solvers if any(ratio(row, n) for row in record.rows)]
    ratios = [f"{name} ratio" for name in compared]
    header = ["table", "n x p (classes)", "depth", *solvers, "MB", *ratios]
    return header, [_line(row, solvers, compared) for row in record.rows]


def _sentences(record: Record) -> list[str]:
    """Return the means, and what the comparison of errors found."""
    said = []
    for mean in means(record.rows):
        without = f"; without {', '.join(mean.left_out)}" if mean.left_out else ""
        said.append(
            f"depth {mean.depth}: {mean.peer} / exactree, geometric mean of {mean.rows} tables "
            f"{mean.mean}, least {mean.least}{without}"
        )
    said += [f"remark: {sentence}" for sentence in record.remarks]
    said += [f"WRONG: {sentence}" for sentence in record.wrong]
    if not record.wrong:
        said.append("No tree refutes a proof, remarks aside; all errors are recounted.")
    if not record.complete:
        said.append("Interrupted: the run is not complete.")
    return said


def print_report(record: Record, console: Console) -> None:
    """Print the table and the sentences."""
    header, rows = _lines(record)
    table = Table(title=f"{record.name}, {record.date}")
    for place, name in enumerate(header):
        table.add_column(name, justify="left" if place == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    console.print(table)
    for sentence in [LEGEND.replace("`", ""), *_sentences(record)]:
        console.print(sentence, markup=False, highlight=False)


def markdown(record: Record) -> str:
    """Return the record as a page."""
    header, rows = _lines(record)
    packages = ", ".join(f"{n} {v or '-'}" for n, v in record.machine["packages"].items())
    machine = [f"{name}: {value}" for name, value in record.machine.items() if name != "packages"]
    lines = [
        f"# {record.name}, {record.date}",
        "",
        *(f"- {fact}" for fact in [*machine, f"packages: {packages}"]),
        "",
        LEGEND,
        "",
        *(f"| {' | '.join(cells)} |" for cells in [header, ["---"] * len(header), *rows]),
        "",
        *(f"- {sentence}" for sentence in _sentences(record)),
    ]
    return "\n".join(lines) + "\n"
