"""The columns of labels, of numbers to predict, and of weights."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.column_kinds import refuse_written
from exactree.cli.encoding import numbers
from exactree.cli.number_texts import INTEGER, is_written_number, plain_number
from exactree.cli.table import CellTable


def labels_of(table: CellTable, name: str) -> NDArray[Any]:
    """Return the labels of a column: integers if all are written as integers, else strings."""
    cells = table.column(name)
    if all(INTEGER.fullmatch(cell) and len(cell) < 19 and str(int(cell)) == cell for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return np.array(cells, dtype=np.str_)  # predictions print "1.50", "007" and "+1" unchanged


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
