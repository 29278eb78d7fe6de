"""A list of the columns of a table: use, kind, distinct values, missing cells, range or levels."""

from dataclasses import dataclass

from exactree.cli.examples import CsvExamples
from exactree.cli.number_texts import (
    decimal_of_written,
    is_date,
    is_written_number,
    plain_number,
    written_number,
)
from exactree.cli.table_options import TableArguments

__all__ = ["ColumnFacts", "column_lines", "columns_of"]

_SHOWN_LEVELS = 4
_LONGEST_LEVEL = 20


@dataclass(frozen=True)
class ColumnFacts:
    """What is in a column of a file.

    Attributes
    ----------
    name : str
        The name in the first row.
    use : str
        "feature", "target", "weights" or "excluded".
    kind : str
        "number", "text", "codes", "classes", or of excluded columns "date".
    distinct : int
        Number of distinct values.
    missing : int
        Number of missing cells.
    values : str
        The range of numbers, or some levels.
    """

    name: str
    use: str
    kind: str
    distinct: int
    missing: int
    values: str


def columns_of(
    examples: CsvExamples, source: TableArguments, regression: bool
) -> list[ColumnFacts]:
    """Return the facts of all columns of a table, in the order of the file.

    Parameters
    ----------
    examples : CsvExamples
        The examples of the table.
    source : TableArguments
        The use of its columns.
    regression : bool
        Whether the target is a number.
    """
    table = examples.table
    text = {column.name for column in examples.encoding.columns if column.text}
    found = []
    for name in table.columns:
        use = "feature"
        if name in source.exclude or name in table.nested:
            use = "excluded"
        elif name in (source.target, source.weights):
            use = "target" if name == source.target else "weights"
        present = [] if name in table.nested else table.present(name)
        if use == "target":
            kind = "number" if regression else "classes"
        elif use == "excluded":
            kind = table.nested.get(name) or _kind(present)
        else:
            kind = "text" if name in text else "codes" if name in source.categories else "number"
        distinct, values = _values(present, kind, table.decimal, name in source.numbers)
        missing = 0 if name in table.nested else table.n_rows - len(present)
        found.append(ColumnFacts(name, use, kind, distinct, missing, values))
    return found


def _kind(present: list[str]) -> str:
    """Return the kind of a column that is not read otherwise."""
    if all(map(is_written_number, present)):
        return "number"
    return "date" if all(map(is_date, present)) else "text"


def _values(cells: list[str], kind: str, decimal: str, declared: bool) -> tuple[int, str]:
    """Return the number of distinct values, and a range or some levels."""
    if kind == "number":
        mark = decimal
        if declared or not all(plain_number(cell, decimal) for cell in cells):
            mark = decimal_of_written(cells, decimal)
        texts = [written_number(cell, mark) or plain_number(cell, mark) for cell in cells]
        numbers = sorted({float(text) for text in texts if text is not None})
        return len(numbers), f"{numbers[0]:.10g} to {numbers[-1]:.10g}" if numbers else ""
    levels = sorted(set(cells), key=lambda level: (len(level), level) if kind == "codes" else level)
    shown = [_shortened(level) for level in levels[:_SHOWN_LEVELS]]
    return len(levels), ", ".join(shown) + (", ..." if len(levels) > _SHOWN_LEVELS else "")


def _shortened(level: str) -> str:
    return level if len(level) <= _LONGEST_LEVEL else f"{level[:_LONGEST_LEVEL]}..."


def column_lines(columns: list[ColumnFacts]) -> list[str]:
    """Return the facts as lines of a table.

    Parameters
    ----------
    columns : list of ColumnFacts
        The columns of a file.
    """
    rows = [("column", "use", "kind", "values", "missing", "range or levels")]
    rows += [
        (c.name, c.use, c.kind, f"{c.distinct:,}", f"{c.missing:,}", c.values) for c in columns
    ]
    widths = [max(len(row[place]) for row in rows) for place in range(5)]
    return [
        f"{name:<{widths[0]}}  {use:<{widths[1]}}  {kind:<{widths[2]}}  {distinct:>{widths[3]}}  "
        f"{missing:>{widths[4]}}  {values}".rstrip()
        for name, use, kind, distinct, missing, values in rows
    ]
