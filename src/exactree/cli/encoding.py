"""Conversion of columns of cells to features: numbers, or text whose values are levels."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.csv_table import BadTable, CsvTable
from exactree.errors import ModelError

# Different integers from this magnitude on may have the same float64.
_EXACT = 2**53
_INTEGER = re.compile(r"[+-]?[0-9]+")
# Excludes "1_000", "inf" and "nan", which Python reads as numbers.
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")


CellTexts = Sequence[str | None]


@dataclass(frozen=True)
class CsvColumn:
    """The conversion of one column of a table to features.

    Parameters
    ----------
    name : str
        The name in the first row of the table.
    text : bool
        Whether the column has text, which becomes one feature of levels.
    levels : tuple of str or None
        Only in models of version 1, where text was one-hot encoded: the distinct texts, sorted.
    """

    name: str
    text: bool = False
    levels: tuple[str, ...] | None = None

    @property
    def one_hot_levels(self) -> tuple[str, ...]:
        """The levels with a feature in version 1, which encodes two levels as one feature."""
        levels = self.levels or ()
        return levels[1:] if len(levels) == 2 else levels

    @property
    def features(self) -> tuple[str, ...]:
        """The names of the features made from this column."""
        if self.levels is None:
            return (self.name,)
        return tuple(f"{self.name}={level}" for level in self.one_hot_levels)

    def values(self, table: CsvTable) -> list[NDArray[Any]]:
        """Return one array of values for each feature."""
        if self.levels is not None:
            return self._one_hot(table)
        cells = table.cells(self.name)
        if self.text:
            return [np.array(cells, dtype=object)]
        return [_numbers(table, self.name, cells)]

    def _one_hot(self, table: CsvTable) -> list[NDArray[Any]]:
        cells = table.column(self.name)
        known = set(self.levels or ())
        for row, cell in enumerate(cells):
            if cell not in known:
                raise BadTable(
                    f"Column {self.name!r} has {cell!r} in {table.place(row)}, "
                    "a level that did not occur when the tree was fitted."
                )
        return [
            np.array([cell == level for cell in cells], dtype=np.float64)
            for level in self.one_hot_levels
        ]


@dataclass(frozen=True)
class Encoding:
    """The conversion of the columns of a table to the features of a tree, in the tree's order."""

    columns: tuple[CsvColumn, ...]

    @property
    def features(self) -> tuple[str, ...]:
        """The names of all features."""
        return tuple(name for column in self.columns for name in column.features)

    def first_feature(self, name: str) -> int:
        """Return the index of the first feature of a column."""
        names = [column.name for column in self.columns]
        return sum(len(column.features) for column in self.columns[: names.index(name)])

    def apply(self, table: CsvTable) -> NDArray[Any]:
        """Return the features of a table; other columns of the table are ignored."""
        absent = [c.name for c in self.columns if c.name not in table.columns]
        if absent:
            names = ", ".join(map(repr, absent))
            raise BadTable(f"{table.path} lacks columns that the tree was fitted on: {names}.")
        arrays = [values for column in self.columns for values in column.values(table)]
        rows = len(table.lines)
        return np.column_stack(arrays) if arrays else np.empty((rows, 0), dtype=np.float64)

    def to_list(self) -> list[dict[str, Any]]:
        """Return the encoding as plain values for a model file."""
        levels = [None if c.levels is None else list(c.levels) for c in self.columns]
        return [
            {"name": column.name}
            | ({"text": True} if column.text else {})
            | ({} if words is None else {"levels": words})
            for column, words in zip(self.columns, levels, strict=True)
        ]

    @classmethod
    def from_list(cls, entries: object) -> "Encoding":
        """Return the encoding from the values of `to_list`."""
        if not isinstance(entries, list):
            raise ModelError("Its columns are not a list.")
        columns = []
        for entry in entries:
            name = entry.get("name") if isinstance(entry, dict) else None
            levels = entry.get("levels") if isinstance(entry, dict) else None
            words = [name, *(levels if isinstance(levels, list) else [])]
            if not all(isinstance(w, str) for w in words) or not isinstance(levels, list | None):
                raise ModelError("One of its columns has no name or no levels.")
            text = entry.get("text") is True
            columns.append(CsvColumn(words[0], text, None if levels is None else tuple(words[1:])))
        return cls(tuple(columns))


def encoding_of(table: CsvTable, names: Sequence[str]) -> Encoding:
    """Return the encoding of some columns of a table, as numbers or as text."""
    return Encoding(tuple(_column(table, name) for name in names))


def _column(table: CsvTable, name: str) -> CsvColumn:
    """Return a column as numeric if all its values are numbers, else as text."""
    present = (cell for cell in table.cells(name) if cell is not None)
    return CsvColumn(name, not all(_NUMBER.fullmatch(cell) or _infinite(cell) for cell in present))


def _infinite(cell: str) -> bool:
    return cell.lower().lstrip("+-") in {"inf", "infinity"}


def _numbers(table: CsvTable, name: str, cells: CellTexts) -> NDArray[np.float64]:
    """Return a column of numbers as float64, with NaN for missing values.

    Raises BadTable with the row of a cell that is not a finite number or not exact in float64.
    """
    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        if _NUMBER.fullmatch(cell) is None and not _infinite(cell):
            raise BadTable(
                f"Column {name!r} has {cell!r} in {table.place(row)}, which is not a number."
            )
        value = float(cell)
        if not math.isfinite(value):
            raise BadTable(
                f"Column {name!r} has {cell} in {table.place(row)}; numbers must be finite."
            )
        if abs(value) >= _EXACT and _INTEGER.fullmatch(cell) and int(cell) != int(value):
            raise BadTable(
                f"Column {name!r} has {cell} in {table.place(row)}, an integer that float64 "
                "cannot represent exactly."
            )
        values[row] = value
    return values


def features_of_codes(
    table: CsvTable, encoding: Encoding, categories: str | None
) -> tuple[int, ...]:
    """Return the features of the columns named in --categories.

    Parameters
    ----------
    table : CsvTable
        The table.
    encoding : Encoding
        The conversion of its columns to features.
    categories : str or None
        Columns of integer codes, separated by commas.
    """
    codes = [name.strip() for name in categories.split(",")] if categories else []
    for name in codes:
        _check_codes(table, name, [column.name for column in encoding.columns])
    return tuple(encoding.first_feature(name) for name in dict.fromkeys(codes))


def features_named(
    encoding: Encoding, columns: str | None, option: str = "--features"
) -> tuple[int, ...] | None:
    """Return the features of the columns named in an option; None if the option is not used.

    Parameters
    ----------
    encoding : Encoding
        The conversion of columns to features.
    columns : str or None
        Columns of the table, separated by commas.
    option : str
        The option, for messages.
    """
    if columns is None:
        return None
    features_of = {column.name: column.features for column in encoding.columns}
    found: list[int] = []
    for name in (word.strip() for word in columns.split(",")):
        if name not in features_of:
            raise BadTable(f"{option} names {name!r}; the columns are {', '.join(features_of)}.")
        found += [encoding.features.index(feature) for feature in features_of[name]]
    return tuple(dict.fromkeys(found))


def _check_codes(table: CsvTable, name: str, features: Sequence[str]) -> None:
    """Refuse a column that is not a feature, or has cells other than integers."""
    cells = table.cells(name)
    if name not in features:
        raise BadTable(f"Column {name!r} in --categories is the target or the weights.")
    for row, cell in enumerate(cells):
        if cell is not None and _INTEGER.fullmatch(cell) is None:
            raise BadTable(
                f"Column {name!r} has {cell!r} in {table.place(row)}; columns named in "
                "--categories must have integer codes (text columns need not be named)."
            )


def labels_of(table: CsvTable, name: str) -> NDArray[Any]:
    """Return the labels of a column: integers if all are written as integers, else strings."""
    cells = table.column(name)
    if all(
        _INTEGER.fullmatch(cell) and len(cell) < 19 and str(int(cell)) == cell for cell in cells
    ):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return np.array(cells, dtype=np.str_)  # predictions print "1.50", "007" and "+1" unchanged


def numbers_of(table: CsvTable, name: str) -> NDArray[np.float64]:
    """Return the numbers of a column, each of which must be finite."""
    return _numbers(table, name, table.column(name))


def weights_of(table: CsvTable, name: str) -> NDArray[Any]:
    """Return the weights of a column, exactly if all of them are integers."""
    cells = table.column(name)
    if all(_INTEGER.fullmatch(cell) and len(cell) < 19 for cell in cells):
        return np.array([int(cell) for cell in cells], dtype=np.int64)
    return _numbers(table, name, cells)
