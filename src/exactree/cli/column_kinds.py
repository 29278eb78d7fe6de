"""The kinds of columns: numbers or text, detected or declared, and refusals of all others."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from exactree.cli.encoding import CsvColumn, Encoding
from exactree.cli.endings import BadTable
from exactree.cli.lists import as_option
from exactree.cli.number_texts import (
    decimal_of_written,
    is_date,
    is_written_number,
    plain_number,
    written_number,
)
from exactree.cli.table import CellTable


@dataclass(frozen=True)
class ColumnKinds:
    """The columns that the user declares, instead of having their kinds detected.

    Parameters
    ----------
    text : tuple of str
        Columns whose cells are levels, whatever they look like.
    numbers : tuple of str
        Columns of numbers with currency signs, percent signs or thousands separators.
    """

    text: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()

    def decimal_in(self, table: CellTable, name: str) -> str | None:
        """Return the decimal mark of a column in `numbers`, None for other columns."""
        if name not in self.numbers:
            return None
        return decimal_of_written(table.present(name), table.decimal)


def encoding_of(
    table: CellTable, names: Sequence[str], kinds: ColumnKinds | None = None
) -> Encoding:
    """Return the encoding of some columns of a table, as numbers or as text.

    Parameters
    ----------
    table : CellTable
        The table.
    names : sequence of str
        The columns.
    kinds : ColumnKinds, optional
        The columns that the user declares.

    Raises
    ------
    BadTable
        If columns hold dates, or numbers that are not written plainly, and are not declared; the
        hint names all such columns.
    """
    kinds = kinds or ColumnKinds()
    columns, written, dates = [], [], []
    for name in names:
        present = table.present(name)
        decimal = kinds.decimal_in(table, name)
        if name in kinds.text:
            columns.append(CsvColumn(name, text=True))
        elif decimal is not None or _all_numbers(table, present):
            columns.append(CsvColumn(name, decimal=decimal))
        elif all(map(is_written_number, present)):
            written.append(name)
        elif all(map(is_date, present)):
            dates.append(name)
        else:
            columns.append(CsvColumn(name, text=True))
    if dates:
        listed = as_option(dates)
        refuse_dates(
            dates,
            f"--exclude {listed} leaves out, --text {listed} takes each date as a level.",
        )
    if written:
        refuse_written(table, written)
    return Encoding(tuple(columns))


def _all_numbers(table: CellTable, present: Sequence[str]) -> bool:
    return all(plain_number(cell, table.decimal) is not None for cell in present)


def refuse_dates(names: Sequence[str], hint: str) -> NoReturn:
    """Refuse columns of dates, as data frames with dates are refused in Python.

    Parameters
    ----------
    names : sequence of str
        The columns.
    hint : str
        What else may be done.

    Raises
    ------
    BadTable
        Always.
    """
    first = "Column" if len(names) == 1 else "Columns"
    verb = "holds" if len(names) == 1 else "hold"
    raise BadTable(
        f"{first} {', '.join(map(repr, names))} {verb} dates; turn them into numbers first, such "
        "as days since a day, or months.",
        hint,
    )


def refuse_written(table: CellTable, names: Sequence[str], unit: str = "level") -> NoReturn:
    """Refuse columns of numbers with signs or separators, and say how to read them.

    Parameters
    ----------
    table : CellTable
        The table.
    names : sequence of str
        The columns; the message is about the first.
    unit : str
        What a distinct text would be: a level, or a class.

    Raises
    ------
    BadTable
        Always.
    """
    name, cells = names[0], table.cells(names[0])
    row = next(
        row
        for row, cell in enumerate(cells)
        if cell is not None and plain_number(cell, table.decimal) is None
    )
    cell = str(cells[row])
    decimal = decimal_of_written(table.present(name), table.decimal)
    listed = as_option(names)
    hint = f"--numbers {listed} reads {cell!r} as {written_number(cell, decimal)}"
    other = {".": ",", ",": "."}[table.decimal]
    if plain_number(cell, other) is not None:
        hint += f", --decimal {other} as {plain_number(cell, other)}"
    raise BadTable(
        f"Column {name!r} has {cell!r} in {table.place(row)}, a number with a currency sign, a "
        "thousands separator or another decimal mark.",
        f"{hint}; --text {listed} takes each distinct text as a {unit}.",
    )
