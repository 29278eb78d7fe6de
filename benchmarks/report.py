"""Tables of a record, for the terminal and in Markdown."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from rich.console import Console
from rich.table import Table

from benchmarks import report_errors, report_size
from benchmarks.machine import fact_lines
from benchmarks.ratios import Mean, means
from benchmarks.record import Record, Row

__all__ = ["load_sentences", "markdown", "print_report"]


@dataclass(frozen=True)
class _TitledTable:
    """A table of the record with its title and legend."""

    title: str
    header: list[str]
    rows: list[list[str]]
    legend: str = ""


def _titled_tables(record: Record) -> list[_TitledTable]:
    """Return tables of squared errors, of errors, and of sizes, one of these for each group."""
    by_errors = [row for row in record.rows if row.minimize == "errors"]
    by_size: dict[str, list[Row]] = {}
    for row in record.rows:
        if row.minimize == "size":
            by_size.setdefault(row.group, []).append(row)
    by_squares = [row for row in record.rows if row.minimize == "squared_error"]
    titled_tables = []
    if by_squares:
        titled_tables.append(
            _TitledTable("", *report_errors.lines(by_squares), report_errors.LEGEND)
        )
    if by_errors:
        titled_tables.append(
            _TitledTable("", *report_errors.lines(by_errors), report_errors.LEGEND)
        )
    titled_tables += [
        _TitledTable(group, *report_size.lines(rows)) for group, rows in by_size.items()
    ]
    if by_size:  # one legend for all groups
        titled_tables[-1] = replace(titled_tables[-1], legend=report_size.LEGEND)
    return titled_tables


def _sentences(record: Record) -> list[str]:
    """Return the means, and the results of the comparison."""
    texts = [_text(mean) for mean in means(record.rows)]
    texts += report_size.sentences(record.rows)
    texts += [f"remark: {sentence}" for sentence in record.remarks]
    texts += [f"WRONG: {sentence}" for sentence in record.wrong]
    if not record.wrong:
        but = ", apart from the remarks" if record.remarks else ""
        texts.append(f"No tree contradicts a claimed proof{but}; all errors were counted again.")
    texts += load_sentences(row.load for row in record.rows)
    if not record.complete:
        texts.append("Interrupted: the run is not complete.")
    return texts


def _text(mean: Mean) -> str:
    place = f"{mean.group} tables" if mean.depth is None else f"depth {mean.depth}"
    place += "" if mean.leaf_penalty is None else f", penalty {mean.leaf_penalty}"
    slow = f" that take {mean.peer} more than {mean.above:g} s" if mean.above else ""
    without = f"; without {', '.join(mean.left_out)}" if mean.left_out else ""
    count, value = mean.finished
    both = f"; {value:.3g} for the {count} that both finished" if 0 < count < mean.rows else ""
    return (
        f"{place}: {mean.peer} / exactree, geometric mean of {mean.rows} tables{slow} "
        f"{mean.mean}, minimum {mean.minimum}{both}{without}"
    )


def load_sentences(measured: Iterable[float | None]) -> list[str]:
    """Return a sentence on the load of the machine, if it was measured."""
    loads = [load for load in measured if load is not None]
    if not loads:
        return []
    return [f"Machine load during the run: {min(loads):g} to {max(loads):g}."]


def print_report(record: Record, console: Console) -> None:
    """Print the tables and the sentences."""
    for titled in _titled_tables(record):
        table = Table(title=", ".join(filter(None, [record.name, titled.title, record.date])))
        for column, name in enumerate(titled.header):
            table.add_column(name, justify="left" if column == 0 else "right", overflow="fold")
        for row in titled.rows:
            table.add_row(*row)
        console.print(table)
        if titled.legend:
            console.print(titled.legend.replace("`", ""), markup=False, highlight=False)
    for sentence in _sentences(record):
        console.print(sentence, markup=False, highlight=False)


def markdown(record: Record) -> str:
    """Return the record as a page."""
    titled_tables = _titled_tables(record)
    lines = [
        f"# {record.name}, {record.date}",
        "",
        *fact_lines(record.machine),
        "",
        *(f"{titled.legend}\n" for titled in titled_tables if titled.legend),
    ]
    for titled in titled_tables:
        lines += [f"## {titled.title}", ""] if titled.title else []
        cells = [titled.header, ["---"] * len(titled.header), *titled.rows]
        lines += [*(f"| {' | '.join(line)} |" for line in cells), ""]
    return "\n".join([*lines, *(f"- {sentence}" for sentence in _sentences(record))]) + "\n"
