"""The columns of labels, of numbers to predict, and of weights."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.column_kinds import ColumnKinds, refuse_dates, refuse_written
from exactree.cli.encoding import numbers
from exactree.cli.endings import BadTable
from exactree.cli.lists import as_option
from exactree.cli.number_texts import INTEGER, is_date, is_written_number, plain_number
from exactree.cli.table import CellTable
from exactree.data.labels import number_of_continuous_labels

# Fewer rows may have distinct texts by chance.
ROWS_OF_IDENTIFIERS = 20
# More distinct labels than that are seldom classes.
_MANY_CLASSES = 50


def labels_of(table: CellTable, name: str) -> NDArray[Any]:
    """Return the labels of a column: integers if all are written as integers, else strings."""
    cells = table.column(name)
    if all(INTEGER.fullmatch(cell) and len(cell) < 19 and str(int(cell)) == cell for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return np.array(cells, dtype=np.str_)  # predictions print "1.50", "007" and "+1" unchanged


def classes_of(table: CellTable, name: str, kinds: ColumnKinds) -> NDArray[Any]:
    """Return the labels of a classification.

    Parameters
    ----------
    table : CellTable
        The table.
    name : str
        The target.
    kinds : ColumnKinds
        The columns that the user declares.

    Raises
    ------
    BadTable
        If the column holds measurements or, undeclared, amounts or dates.
    """
    cells = table.column(name)
    if name in kinds.text:
        return np.array(cells, dtype=np.str_)
    values = None
    if (decimal := kinds.decimal_in(table, name)) is not None:
        values = numbers(table, name, cells, decimal, required=True)
    elif all(plain_number(cell, table.decimal) is not None for cell in cells):
        values = np.array([plain_number(cell, table.decimal) for cell in cells], dtype=np.float64)
    elif all(map(is_written_number, cells)):
        refuse_written(table, [name], "class")
    elif all(map(is_date, cells)):
        refuse_dates([name], f"--text {as_option([name])} takes each date as a class.")
    if values is not None:
        _refuse_measurements(name, values)
    return labels_of(table, name)


def _refuse_measurements(name: str, values: NDArray[np.float64]) -> None:
    """Refuse many numbers with fractional parts as classes, as in Python."""
    distinct = number_of_continuous_labels(values)
    if distinct:
        raise BadTable(
            f"Column {name!r} has {distinct:,} distinct values in {len(values):,} rows, some with "
            "a fractional part, which looks like a regression target.",
            f"--task regression predicts numbers; --text {as_option([name])} takes each one as a "
            "class.",
        )


def note_on_classes(table: CellTable, name: str, labels: NDArray[Any]) -> str | None:
    """Return what is notable about the labels of a classification, if there is anything.

    Parameters
    ----------
    table : CellTable
        The table.
    name : str
        The target.
    labels : ndarray
        The labels.
    """
    distinct, words = len(set(labels.tolist())), _words(table.column(name))
    ending = "" if words else "; --task regression predicts numbers"
    if 0 < len(words) < len(labels) / 5:
        numeric = len(labels) - len(words)
        ending = f"; {numeric:,} of its {len(labels):,} values are numbers, {words[0]!r} is not"
    every_row = distinct == len(labels) >= ROWS_OF_IDENTIFIERS
    if not every_row and distinct <= _MANY_CLASSES:
        return None
    kind = "whole numbers" if labels.dtype.kind == "i" else "values"
    one = ", another one in every row as an identifier" if every_row else ""
    return f"has {distinct:,} distinct {kind}{one}, each of which is a class{ending}"


def _words(cells: Sequence[str]) -> list[str]:
    return [cell for cell in cells if not is_written_number(cell)]


def numbers_of(table: CellTable, name: str, decimal: str | None = None) -> NDArray[np.float64]:
    """Return the numbers of a column, each of which must be finite.

    Parameters
    ----------
    table : CellTable
        The table.
    name : str
        The column.
    decimal : str, optional
        The decimal mark of a column that is named in --numbers.
    """
    cells = table.column(name)
    plain = all(plain_number(cell, table.decimal) for cell in cells)
    if decimal is None and not plain and all(map(is_written_number, cells)):
        refuse_written(table, [name])
    return numbers(table, name, cells, decimal, required=True)


def weights_of(table: CellTable, name: str, decimal: str | None = None) -> NDArray[Any]:
    """Return the weights of a column, exactly if all of them are integers.

    Parameters
    ----------
    table, name, decimal
        As in `numbers_of`.
    """
    cells = table.column(name)
    if all(INTEGER.fullmatch(cell) and len(cell) < 19 for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return numbers_of(table, name, decimal)
