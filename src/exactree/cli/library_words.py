"""Messages of the library in the words of the command line: names of columns, lines, options.

The library identifies columns of unnamed tables as 'x0', 'x1', ..., counts rows from 0, and names
its own parameters. The messages of a command name the columns and lines of its file, and options.
"""

import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from typing import Any

import click

from exactree.cli.lists import as_option
from exactree.cli.table import CellTable

__all__ = ["READ", "ReadTable", "in_own_words", "remember"]

# The key of the context of a command under which the table is remembered.
READ = "exactree.table"
# Options whose names differ from that of the parameter.
OPTION_OF = {"n_jobs": "jobs", "sample_weight": "weights", "cost_matrix": "cost"}
_MISSING = re.compile(
    r"X, column (?P<column>'.+?'), row (?P<row>\d+): the value is missing \(NaN\); fill it in or "
    r"drop the row: (?P<why>.+?)\.? \(Rows are counted from 0\.\)"
)
_NEGATIVE = "Negative values in data passed to sample_weight: "
_ROWS = re.compile(r"\brows (\d+(?:, \d+)*)")
_SHOWN_LABELS = 20
_COLUMN = re.compile(r"'x(\d+)'")


@dataclass(frozen=True)
class ReadTable:
    """A table that a command has read.

    Attributes
    ----------
    table : CellTable
        The table.
    features : sequence of str
        The names of the features, in the order of the library.
    target : str
        The column of the labels.
    weights : str or None
        The column of the weights, if any.
    labels : set of str
        The labels, which are not mistaken for names.
    """

    table: CellTable
    features: Sequence[str]
    target: str
    weights: str | None = None
    labels: Set[str] = frozenset()


def remember(read: ReadTable) -> None:
    """Keep a table for the messages of the command that is running.

    Parameters
    ----------
    read : ReadTable
        The table.
    """
    context = click.get_current_context(silent=True)
    if context is not None:
        context.meta[READ] = read


def in_own_words(message: str) -> tuple[str, str | None]:
    """Return a message of the library in the words of the command, and a hint if there is one.

    Parameters
    ----------
    message : str
        One sentence or several.
    """
    context = click.get_current_context(silent=True)
    if context is None:
        return message, None
    read = context.meta.get(READ)
    hint = None
    if isinstance(read, ReadTable):
        message, hint = _of_table(message, read)
    return _of_options(message, context), hint


def _of_table(message: str, read: ReadTable) -> tuple[str, str | None]:
    """Replace columns and rows."""

    def name(match: re.Match[str]) -> str:
        feature = int(match[1])
        known = feature < len(read.features) and f"x{feature}" not in read.labels
        return repr(read.features[feature]) if known else match[0]

    message = _COLUMN.sub(name, message)
    if (missing := _MISSING.search(message)) is not None:
        column, place = missing["column"], read.table.place(int(missing["row"]))
        hint = _without_missing(column[1:-1], read)
        return f"Column {column} has no value in {place}: {missing['why']}.", hint
    if (unknown := "is not a label of y") in message:
        labels = ", ".join(sorted(read.labels))
        listing = f"the labels are: {labels}." if len(read.labels) <= _SHOWN_LABELS else None
        return message.replace(unknown, f"is not a label of {read.target!r}"), listing
    counted = message.replace(" (Rows are counted from 0.)", "").replace(
        " (rows are counted from 0)", ""
    )
    counted = counted.replace(_NEGATIVE, "sample_weight, ")
    for place, column in (("y", read.target), ("sample_weight", read.weights)):
        counted = re.sub(rf"\b{place}, row (?=\d)", f"Column {column!r}, row ", counted)
    counted = re.sub(r"\bX, column ", "Column ", counted)
    counted = re.sub(r"\brow (\d+)", lambda match: read.table.place(int(match[1])), counted)
    return _ROWS.sub(lambda match: _places(match[1], read.table), counted), None


def _without_missing(column: str, read: ReadTable) -> str:
    """Return a hint for a column with missing values, and for all others that have some."""
    known = [name for name in read.features if name in read.table.columns]
    others = [name for name in known if None in read.table.cells(name)]
    if len(others) < 2:
        option = as_option([column])
        return f"fill in the cell, or remove the row; --exclude {option} leaves the column out."
    return (
        "fill in the cells, or remove the rows; "
        f"--exclude {as_option(others)} leaves out all columns with missing values."
    )


def _places(rows: str, table: CellTable) -> str:
    """Return several rows in words, such as "rows 1, 2 (lines 2, 3 of t.csv)"."""
    numbers = [int(row) for row in rows.split(", ")]
    if max(numbers) >= table.n_rows:
        return f"rows {rows}"
    shown = ", ".join(str(number + 1) for number in numbers)
    if not table.lines:
        return f"rows {shown} of {table.path}"
    lines = ", ".join(str(table.lines[number]) for number in numbers)
    return f"rows {shown} (lines {lines} of {table.path})"


def _of_options(message: str, context: click.Context) -> str:
    """Replace parameters by the options of the command."""
    names = {parameter.name for parameter in context.command.params}
    message = message.replace("monotonic_cst", _direction(context.params))
    for name in sorted({*names, *OPTION_OF}, key=len, reverse=True):
        option = OPTION_OF.get(name, name)
        if option not in names or name not in message:
            continue
        written = f"--{option.replace('_', '-')}"
        message = re.sub(rf"(?<![\w'-]){name}='([\w-]+)'", rf"{written} \1", message)
        message = re.sub(rf"(?<![\w'-]){name}=(?=[\w.-])", f"{written} ", message)
        if "_" in name:  # a name of one word may be a word
            message = re.sub(rf"(?<![\w'-]){name}(?![\w'=])", written, message)
    return message


def _direction(given: dict[str, Any]) -> str:
    """Return the options of monotone columns that are given."""
    options = [f"--{name}" for name in ("increasing", "decreasing") if given.get(name)]
    return " or ".join(options) if options else "--increasing"
