"""Reading of CSV files into named columns of text; files that are not tables are refused."""

import csv
import gzip
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TextIO

# Cells that other programs write for missing values, in lower case.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
# The csv module accepts this limit on every system, even if a C long has 32 bits.
_MAX_CHARACTERS = 2**31 - 1


class BadTable(ValueError):
    """Raised for a table or a column that cannot be used.

    Parameters
    ----------
    reason : str
        The reason, in one sentence.
    hint : str, optional
        A suggestion for the user.
    """

    def __init__(self, reason: str, hint: str | None = None) -> None:
        super().__init__(reason)
        self.hint = hint


@dataclass(frozen=True)
class CsvTable:
    """The header and the cells of a CSV file, by column.

    Parameters
    ----------
    path : Path
        The file, for messages.
    columns : dict of str to tuple of str
        The cells of every column, without surrounding blanks.
    lines : tuple of int
        The line of the file on which each row ends.
    """

    path: Path
    columns: dict[str, tuple[str, ...]]
    lines: tuple[int, ...]

    def cells(self, name: str) -> tuple[str | None, ...]:
        """Return the cells of a column, with None for missing values."""
        if name not in self.columns:
            names = ", ".join(self.columns)
            near = get_close_matches(name, self.columns, n=1)
            hint = f"did you mean {near[0]!r}?" if near else None
            raise BadTable(f"{self.path} has no column {name!r}; its columns are: {names}.", hint)
        return tuple(None if cell.lower() in MISSING else cell for cell in self.columns[name])

    def column(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column, and refuse missing values."""
        cells = self.cells(name)
        if None in cells:
            raise BadTable(
                f"Column {name!r} has no value in {self.place(cells.index(None))}; "
                "labels and weights must not be missing."
            )
        return self.columns[name]

    def place(self, row: int) -> str:
        """Return the position of a row in words; rows are counted from 1, below the header."""
        return f"row {row + 1} (line {self.lines[row]} of {self.path})"


@contextmanager
def opened(path: Path) -> Iterator[TextIO]:
    """Open a plain or gzipped text file; a byte-order mark is skipped."""
    if path.suffix == ".gz":
        with gzip.open(path, "rt", encoding="utf-8-sig", newline="") as file:
            yield file
    else:
        with path.open(encoding="utf-8-sig", newline="") as file:
            yield file


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Raise the csv module's limit of 131,072 characters, a global setting, temporarily."""
    before = csv.field_size_limit(_MAX_CHARACTERS)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def read_csv(path: Path) -> CsvTable:
    """Read a comma-separated file, plain or gzipped.

    Parameters
    ----------
    path : Path
        A ``.csv`` or ``.csv.gz`` file whose first row names the columns.

    Returns
    -------
    CsvTable
        The cells as text.

    Raises
    ------
    BadTable
        If the file is not such a table, or its rows differ in length.
    """
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        with opened(path) as file, _cells_of_any_length():
            reader = csv.reader(file, strict=True)
            header = [name.strip() for name in next(reader, [])]
            for row in reader:
                if row:  # csv gives an empty list for a blank line
                    rows.append([cell.strip() for cell in row])
                    lines.append(reader.line_num)
    except OSError as error:
        reason = f"{path} cannot be read: {error.strerror or error}."
        raise BadTable(reason, _nearest_file(path)) from error
    except (EOFError, UnicodeDecodeError, zlib.error, csv.Error) as error:
        raise BadTable(f"{path} is not a CSV file in UTF-8: {error}.") from error
    _check_shape(path, header, rows, lines)
    cells = zip(*rows, strict=True) if rows else iter(() for _ in header)
    return CsvTable(path, dict(zip(header, cells, strict=True)), tuple(lines))


def _nearest_file(path: Path) -> str | None:
    """Return a hint with the most similar file name if a file does not exist."""
    if path.exists() or not path.parent.is_dir():
        return None
    near = get_close_matches(path.name, [file.name for file in path.parent.iterdir()], n=1)
    return f"did you mean {str(path.with_name(near[0]))!r}?" if near else None


def _check_shape(path: Path, header: list[str], rows: list[list[str]], lines: list[int]) -> None:
    if not header:
        raise BadTable(f"{path} is empty; its first row must name the columns.")
    for position, name in enumerate(header):
        if not name:
            raise BadTable(f"Column {position + 1} of {path} has no name in the first row.")
        if name in header[:position]:
            raise BadTable(f"{path} has two columns named {name!r}; names must differ.")
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise BadTable(
                f"Line {line} of {path} has {len(row)} cells, but the first row names "
                f"{len(header)} columns."
            )
