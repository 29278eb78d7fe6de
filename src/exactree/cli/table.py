"""Reading of tables into named columns of cells; files that are not tables are refused."""

import csv
import gzip
import shlex
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from io import StringIO
from pathlib import Path

from exactree.cli.arrow_file import ENDINGS, read_arrow
from exactree.cli.endings import BadTable
from exactree.cli.number_texts import decimal_of
from exactree.cli.text_form import TextForm, decoded, difference_in_words, sniffed

# Cells that other programs write for missing values, in lower case.
MISSING = frozenset({"", "na", "n/a", "nan", "null", "none", "?"})
# The csv module accepts this limit on every system, even if a C long has 32 bits.
_MAX_CHARACTERS = 2**31 - 1
# The least similarity of names that is no coincidence; that of "target" and "age" is 0.67.
_SIMILAR = 0.7
# Endings of tables, of which some are named if a folder is given instead of a table.
_TABLES = (".csv", ".tsv", ".gz", *ENDINGS)
_FEW = 4
# Bytes at the beginning of files that are often taken for tables.
_OTHER_FILES = {b"PK\x03\x04": "an Excel workbook or a zip file", b"%PDF": "a PDF file"}


@dataclass(frozen=True)
class CellTable:
    """The header and the cells of a table, by column.

    Parameters
    ----------
    path : Path
        The file, for messages.
    columns : dict of str to tuple of str
        The cells of every column, without surrounding blanks.
    lines : tuple of int
        The line of a text file on which each row ends; empty for other files.
    n_rows : int
        The number of rows.
    form : TextForm
        How the table is written.
    nested : dict of str to str
        The types of columns that hold neither numbers nor text; only in files of Parquet and Arrow.
    """

    path: Path
    columns: dict[str, tuple[str, ...]]
    lines: tuple[int, ...]
    n_rows: int
    form: TextForm
    nested: dict[str, str] = field(default_factory=dict)

    @property
    def decimal(self) -> str:
        """The decimal mark of its numbers."""
        return self.form.decimal or "."

    def cells(self, name: str) -> tuple[str | None, ...]:
        """Return the cells of a column, with None for missing values."""
        self.check_columns([name])
        if name in self.nested:
            reason = (
                f"Column {name!r} of {self.path} holds {self.nested[name]}, not numbers or text."
            )
            raise BadTable(reason, f"--exclude {shlex.quote(name)} leaves it out.")
        missing = _missing_cells(self.form)
        return tuple(None if cell.lower() in missing else cell for cell in self.columns[name])

    def present(self, name: str) -> list[str]:
        """Return the cells of a column that are not missing."""
        return [cell for cell in self.cells(name) if cell is not None]

    def column(self, name: str) -> tuple[str, ...]:
        """Return the cells of a column, and refuse missing values."""
        cells = self.cells(name)
        if None in cells:
            raise BadTable(
                f"Column {name!r} has no value in {self.place(cells.index(None))}; "
                "labels and weights must not be missing.",
                "fill in the cell, or remove the row.",
            )
        return self.columns[name]

    def check_columns(self, names: Sequence[str]) -> None:
        """Refuse names that are not columns, with the most similar column as a hint."""
        for name in names:
            if name not in self.columns:
                near = _most_similar(name, self.columns)
                hint = _separator_hint(self) or "name one of these columns."
                listed = ", ".join(self.columns)
                reason = f"{self.path} has no column {name!r}; its columns are: {listed}."
                raise BadTable(reason, hint if near is None else f"did you mean {near!r}?")

    def absent_hint(self, absent: Sequence[str], used: Collection[str]) -> str:
        """Return a hint for columns of a model that are absent: what is there, and what to rename.

        Parameters
        ----------
        absent : sequence of str
            The absent columns.
        used : collection of str
            All columns of the model, which are not similar columns by another name.
        """
        others = [name for name in self.columns if name not in used]
        renamed = []
        for name in absent:
            near = _most_similar(name, others)
            if near is not None:
                others.remove(near)
                renamed.append(f"{near!r} to {name!r}")
        hint = f"its columns are: {', '.join(self.columns)}"
        if renamed:
            same = "it is" if len(renamed) == 1 else "they are"
            return f"{hint}; if {same} the same, rename {' and '.join(renamed)}."
        only_one = _separator_hint(self)
        return f"{hint}." if only_one is None else f"{hint}; {only_one}"

    def place(self, row: int) -> str:
        """Return the position of a row in words; rows are counted from 1, below the header."""
        if not self.lines:
            return f"row {row + 1} of {self.path}"
        return f"row {row + 1} (line {self.lines[row]} of {self.path})"


def _missing_cells(form: TextForm) -> frozenset[str]:
    """Return the cells that are missing values, in lower case."""
    return MISSING.union(cell.lower() for cell in form.missing)


def _most_similar(name: str, columns: Collection[str]) -> str | None:
    """Return the column with the most similar name, in upper or lower case, if any is similar."""
    by_key = {column.casefold(): column for column in reversed(list(columns))}
    near = get_close_matches(name.casefold(), by_key, n=1, cutoff=_SIMILAR)
    return by_key[near[0]] if near else None


def _separator_hint(table: CellTable) -> str | None:
    if len(table.columns) > 1 or not table.lines:
        return None
    return "it has only one column; --sep gives the separator of the cells."


def read_table(path: Path, form: TextForm | None = None) -> CellTable:
    """Read a table from a file of text, Parquet or Arrow.

    Parameters
    ----------
    path : Path
        A ``.parquet``, ``.arrow`` or ``.feather`` file, or text, plain or gzipped, whose first row
        names the columns.
    form : TextForm, optional
        How a text is written; by default it is detected.

    Returns
    -------
    CellTable
        The cells as text.

    Raises
    ------
    BadTable
        If the file is not such a table, or its rows differ in length.
    """
    form = form or TextForm()
    try:
        if path.suffix.lower() in ENDINGS:
            found = read_arrow(path)
            form = TextForm(decimal=".", missing=form.missing)
            return CellTable(path, found.columns, (), found.n_rows, form, found.nested)
        text, encoding = decoded(_content(path), path, form.encoding)
    except OSError as error:
        reason = f"{path} cannot be read: {error.strerror or error}."
        raise BadTable(reason, _nearest_file(path)) from error
    except (EOFError, zlib.error) as error:
        raise BadTable(
            f"{path} is not a CSV file: {error}.", "save the table again; .gz files are gzipped."
        ) from error
    return _parsed(path, text, sniffed(text, replace(form, encoding=encoding)))


def found_form(table: CellTable, given: TextForm) -> str | None:
    """Return a sentence about the detected form of a table if it is not the most frequent one.

    Parameters
    ----------
    table : CellTable
        The table.
    given : TextForm
        The form that the user gave.
    """
    words = difference_in_words(table.form, given, table.path.suffix) if table.lines else ""
    return f"{table.path} was read with {words}." if words else None


def column_names(path: Path) -> list[str]:
    """Return the names of the columns, for shell completion.

    Parameters
    ----------
    path : Path
        The table; a text is read only up to the end of its first lines.
    """
    if path.suffix.lower() in ENDINGS:
        return list(read_arrow(path, only_names=True).columns)
    data = _content(path, 2**16)
    lines = data[: data.rfind(b"\n") + 1] or data
    text, encoding = decoded(lines, path, None)
    form = sniffed(text, TextForm(encoding=encoding))
    reader = csv.reader(StringIO(text), delimiter=form.separator or ",", quotechar=form.quote)
    return [name.strip() for name in next(reader, [])]


def _content(path: Path, size: int = -1) -> bytes:
    """Return the bytes of a plain or gzipped file, all or the first ones."""
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rb") as file:
        data: bytes = file.read(size)
    for beginning, kind in _OTHER_FILES.items():
        if data.startswith(beginning):
            raise BadTable(f"{path} is {kind}, not a CSV file.", "save the table as CSV.")
    return data


def _parsed(path: Path, text: str, form: TextForm) -> CellTable:
    """Return the table of a text."""
    rows: list[list[str]] = []
    lines: list[int] = []
    try:
        with _cells_of_any_length():
            reader = csv.reader(
                StringIO(text, newline=""),
                delimiter=form.separator or ",",
                quotechar=form.quote,
                skipinitialspace=True,
                strict=True,
            )
            header = [name.strip() for name in next(reader, [])]
            for row in reader:
                if row:  # csv gives an empty list for a blank line
                    rows.append([cell.strip() for cell in row])
                    lines.append(reader.line_num)
    except csv.Error as error:
        hint = "--sep and --quote give the separator and the quotes of the cells."
        kind = (form.encoding or "").upper()
        raise BadTable(f"{path} is not a CSV file in {kind}: {error}.", hint) from error
    _check_shape(path, header, rows, lines, form)
    cells: Iterable[tuple[str, ...]] = zip(*rows, strict=True) if rows else (() for _ in header)
    columns = dict(zip(header, cells, strict=True))
    if form.decimal is None:
        commas = any("," in cell for column in columns.values() for cell in column)
        missing = _missing_cells(form)
        present = (
            [
                [cell for cell in column if cell.lower() not in missing]
                for column in columns.values()
            ]
            if commas
            else []
        )
        form = replace(form, decimal=decimal_of(present))
    return CellTable(path, columns, tuple(lines), len(rows), form)


@contextmanager
def _cells_of_any_length() -> Iterator[None]:
    """Raise the csv module's limit of 131,072 characters, a global setting, temporarily."""
    before = csv.field_size_limit(_MAX_CHARACTERS)
    try:
        yield
    finally:
        csv.field_size_limit(before)


def _nearest_file(path: Path) -> str:
    """Return a hint for a file that cannot be read: a similar name, or tables in the folder."""
    if path.is_dir():
        tables = sorted(str(file) for file in path.iterdir() if file.suffix in _TABLES)
        few = ", ".join(tables[:_FEW]) + (", ..." if len(tables) > _FEW else "")
        return f"it is a folder; name a file: {few}." if few else "it is a folder; name a file."
    if path.exists():
        return "check the permissions of the file."
    if not path.parent.is_dir():
        return f"there is no folder {str(path.parent)!r}."
    near = get_close_matches(path.name, [file.name for file in path.parent.iterdir()], n=1)
    if near:
        return f"did you mean {str(path.with_name(near[0]))!r}?"
    return f"there is no similar name in the folder {str(path.parent.resolve())!r}."


def _check_shape(
    path: Path, header: list[str], rows: list[list[str]], lines: list[int], form: TextForm
) -> None:
    if not header:
        raise BadTable(
            f"{path} is empty; its first row must name the columns.", "save the table again as CSV."
        )
    for position, name in enumerate(header):
        if not name:
            raise BadTable(
                f"Column {position + 1} of {path} has no name in the first row.",
                "give it a name; the to_csv of pandas leaves its index out with index=False.",
            )
        if name in header[:position]:
            raise BadTable(
                f"{path} has two columns named {name!r}; names must differ.", "rename one of them."
            )
    for row, line in zip(rows, lines, strict=True):
        if len(row) != len(header):
            raise BadTable(
                f"Line {line} of {path} has {len(row)} cells, but the first row names "
                f"{len(header)} columns.",
                f"cells are separated by {form.separator!r}; --sep gives another separator.",
            )
