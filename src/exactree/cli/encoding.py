"""Conversion of columns of cells to features: numbers, or text whose values are levels."""

import math
from collections.abc import Sequence, Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.cli.endings import BadTable
from exactree.cli.lists import as_option
from exactree.cli.number_texts import INTEGER, plain_number, written_number
from exactree.cli.table import CellTable
from exactree.errors import ModelError

# Different integers from this magnitude on may have the same float64.
_EXACT = 2**53

CellTexts = Sequence[str | None]


class Level(str):
    """A text that is a level even if all levels of its column are numbers.

    From a column of plain texts that are numbers, the library refuses to make levels.
    """

    __slots__ = ()

    def __float__(self) -> float:
        raise TypeError("a level is not a number")


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
    decimal : str or None
        The decimal mark of a column named in --numbers, whose cells may have currency signs and
        thousands separators.
    """

    name: str
    text: bool = False
    levels: tuple[str, ...] | None = None
    decimal: str | None = None

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

    def values(self, table: CellTable) -> list[NDArray[Any]]:
        """Return one array of values for each feature."""
        if self.levels is not None:
            return self._one_hot(table)
        cells = table.cells(self.name)
        if self.text:
            levels = [None if cell is None else Level(cell) for cell in cells]
            return [np.array(levels, dtype=object)]
        return [numbers(table, self.name, cells, self.decimal)]

    def absent(self, table: CellTable) -> list[NDArray[Any]]:
        """Return missing values for each feature."""
        if self.text:
            return [np.full(table.n_rows, None, dtype=object)]
        return [np.full(table.n_rows, np.nan) for _ in self.features]

    def _one_hot(self, table: CellTable) -> list[NDArray[Any]]:
        cells = table.column(self.name)
        known = set(self.levels or ())
        for row, cell in enumerate(cells):
            if cell not in known:
                raise BadTable(
                    f"Column {self.name!r} has {cell!r} in {table.place(row)}, "
                    "a level that did not occur when the tree was fitted.",
                    "fit the model again; newer models accept new levels.",
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

    def apply(self, table: CellTable, used: Set[int] | None = None) -> NDArray[Any]:
        """Return the features of a table; other columns of the table are ignored.

        Parameters
        ----------
        table : CellTable
            The table.
        used : set of int, optional
            The features that a tree uses; all others are missing values. By default all.
        """
        needed = [
            column
            for column in self.columns
            if used is None or not used.isdisjoint(self._features_of(column))
        ]
        absent = [column.name for column in needed if column.name not in table.columns]
        if absent:
            names = ", ".join(map(repr, absent))
            verb = "was fitted on" if used is None else "uses"
            hint = table.absent_hint(absent, [column.name for column in self.columns])
            raise BadTable(f"{table.path} lacks columns that the tree {verb}: {names}.", hint)
        arrays = [
            values
            for column in self.columns
            for values in (column.values(table) if column in needed else column.absent(table))
        ]
        return np.column_stack(arrays) if arrays else np.empty((table.n_rows, 0), dtype=np.float64)

    def check_target(self, table: CellTable, target: str) -> None:
        """Refuse a table without the column that a model with these columns predicts."""
        if target not in table.columns:
            hint = table.absent_hint([target], [column.name for column in self.columns])
            raise BadTable(f"{table.path} lacks the column {target!r}, which has the labels.", hint)

    def _features_of(self, column: CsvColumn) -> range:
        first = self.first_feature(column.name)
        return range(first, first + len(column.features))

    def to_list(self) -> list[dict[str, Any]]:
        """Return the encoding as plain values for a model file."""
        levels = [None if c.levels is None else list(c.levels) for c in self.columns]
        return [
            {"name": column.name}
            | ({"text": True} if column.text else {})
            | ({} if words is None else {"levels": words})
            | ({} if column.decimal is None else {"decimal": column.decimal})
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
            decimal = entry.get("decimal")
            if decimal not in (None, ".", ","):
                raise ModelError("One of its columns has no valid decimal mark.")
            known = None if levels is None else tuple(words[1:])
            columns.append(CsvColumn(words[0], text, known, decimal))
        return cls(tuple(columns))


def numbers(
    table: CellTable,
    name: str,
    cells: CellTexts,
    decimal: str | None = None,
    *,
    required: bool = False,
) -> NDArray[np.float64]:
    """Return a column of numbers as float64, with NaN for missing values.

    Parameters
    ----------
    table : CellTable
        The table.
    name : str
        The column.
    cells : sequence of str or None
        Its cells.
    decimal : str, optional
        The decimal mark of a column that is named in --numbers.
    required : bool
        Whether a missing value is no cure for a cell that is not a number.

    Raises
    ------
    BadTable
        With the row of a cell that is not a finite number, or an integer that float64 cannot
        represent exactly.
    """
    values = np.full(len(cells), np.nan)
    for row, cell in enumerate(cells):
        if cell is None:
            continue
        number = written_number(cell, decimal) if decimal else plain_number(cell, table.decimal)
        if number is None:
            reason = f"Column {name!r} has {cell!r} in {table.place(row)}, which is not a number."
            raise BadTable(reason, _cure(table, cell, required))
        value = float(number)
        if not math.isfinite(value):
            raise BadTable(
                f"Column {name!r} has {cell} in {table.place(row)}; numbers must be finite.",
                _missing_cure(cell, required),
            )
        if abs(value) >= _EXACT and INTEGER.fullmatch(number) and int(number) != int(value):
            raise BadTable(
                f"Column {name!r} has {cell} in {table.place(row)}, an integer that float64 "
                "cannot represent exactly.",
                f"--text {as_option([name])} takes each distinct cell as a level; or subtract a "
                "constant.",
            )
        values[row] = value
    return values


def _cure(table: CellTable, cell: str, required: bool) -> str:
    """Return a hint for a cell that is not a number."""
    other = {".": ",", ",": "."}[table.decimal]
    number = plain_number(cell, other)
    if number is not None and table.lines:
        return f"--decimal {other} reads it as {number}."
    return _missing_cure(cell, required)


def _missing_cure(cell: str, required: bool) -> str:
    """Return a hint that a cell may be a missing value, unless no value may be missing."""
    if required:
        return "labels and weights must not be missing: correct the cell, or remove the row."
    return f"--missing {as_option([cell])} reads it as a missing value."


def features_of_codes(
    table: CellTable, encoding: Encoding, codes: Sequence[str]
) -> tuple[int, ...]:
    """Return the features of the columns named in --categories.

    Parameters
    ----------
    table : CellTable
        The table.
    encoding : Encoding
        The conversion of its columns to features.
    codes : sequence of str
        Columns of integer codes.
    """
    for name in codes:
        _check_codes(table, name, [column.name for column in encoding.columns])
    return tuple(encoding.first_feature(name) for name in codes)


def features_named(
    encoding: Encoding, columns: Sequence[str] | None, option: str = "--features"
) -> tuple[int, ...] | None:
    """Return the features of the columns named in an option; None if the option is not used.

    Parameters
    ----------
    encoding : Encoding
        The conversion of columns to features.
    columns : sequence of str or None
        Columns of the table.
    option : str
        The option, for messages.
    """
    if columns is None:
        return None
    features_of = {column.name: column.features for column in encoding.columns}
    found: list[int] = []
    for name in columns:
        if name not in features_of:
            near = get_close_matches(name, features_of, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "name columns of features, not others."
            listed = ", ".join(features_of)
            raise BadTable(f"{option} names {name!r}; the columns are {listed}.", hint)
        found += [encoding.features.index(feature) for feature in features_of[name]]
    return tuple(dict.fromkeys(found))


def _check_codes(table: CellTable, name: str, features: Sequence[str]) -> None:
    """Refuse a column that is not a feature, or has cells other than integers."""
    cells = table.cells(name)
    if name not in features:
        raise BadTable(
            f"Column {name!r} in --categories is the target or the weights.",
            "leave it out of --categories; a target of integers has classes by itself.",
        )
    for row, cell in enumerate(cells):
        if cell is not None and INTEGER.fullmatch(cell) is None:
            raise BadTable(
                f"Column {name!r} has {cell!r} in {table.place(row)}; columns named in "
                "--categories must have integer codes (text columns need not be named).",
                f"--text {as_option([name])} takes each distinct cell as a level.",
            )
