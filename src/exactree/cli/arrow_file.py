"""Reading and writing of Parquet and Arrow files with pyarrow, which is optional."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from exactree.cli.endings import BadTable
from exactree.files import replacing

__all__ = ["ENDINGS", "ArrowColumns", "read_arrow", "write_arrow"]

ENDINGS = (".parquet", ".arrow", ".feather", ".ipc")


@dataclass(frozen=True)
class ArrowColumns:
    """The columns of a file of Parquet or Arrow.

    Parameters
    ----------
    columns : dict of str to tuple of str
        The values as text, as cells of a CSV file.
    nested : dict of str to str
        The types of columns that hold neither numbers nor text.
    n_rows : int
        The number of rows.
    """

    columns: dict[str, tuple[str, ...]]
    nested: dict[str, str]
    n_rows: int


def read_arrow(path: Path, *, only_names: bool = False) -> ArrowColumns:
    """Return the columns of a file.

    Parameters
    ----------
    path : Path
        A file with one of the `ENDINGS`.
    only_names : bool
        Whether to return columns without cells.

    Raises
    ------
    BadTable
        If pyarrow is not installed, or the file is not such a table.
    """
    table = _read(path)
    names = table.column_names
    for name in names:
        if names.count(name) > 1:
            raise BadTable(
                f"{path} has two columns named {name!r}; names must differ.", "rename one of them."
            )
    types = _pyarrow().types
    nested = {
        field.name: str(field.type)
        for field in table.schema
        if types.is_nested(field.type) or types.is_binary(field.type)
    }
    columns = {name: () if only_names else _cells(table[name]) for name in names}
    return ArrowColumns(columns, nested, table.num_rows)


def _read(path: Path) -> Any:
    """Return the table of pyarrow."""
    pyarrow = _pyarrow()
    with path.open("rb"):
        pass  # an OSError of Python names the reason in one clause
    try:
        if path.suffix.lower() == ".parquet":
            from pyarrow import parquet

            return parquet.read_table(path)
        with pyarrow.OSFile(str(path)) as file:
            try:
                return pyarrow.ipc.open_file(file).read_all()
            except pyarrow.ArrowInvalid:
                file.seek(0)
                return pyarrow.ipc.open_stream(file).read_all()
    except (pyarrow.ArrowException, EOFError) as error:
        reason = str(error).partition(". ")[0].rstrip(".")
        raise BadTable(
            f"{path} is not a file of Parquet or Arrow: {reason}.",
            "the ending of a name is the format: .csv, .parquet, .arrow or .feather.",
        ) from error


def _cells(column: Any) -> tuple[str, ...]:
    """Return the values of a column as text that is read back as the same numbers."""
    pyarrow, types = _pyarrow(), _pyarrow().types
    kind = column.type
    if types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    elif types.is_float16(kind) or types.is_float32(kind):
        column = column.cast(pyarrow.float64())
    elif types.is_decimal(kind) or types.is_nested(kind) or types.is_binary(kind):
        cells = [None if cell is None else str(cell) for cell in column.to_pylist()]
        column = pyarrow.array(cells, pyarrow.string())
    cells = column.cast(pyarrow.string()).to_pylist()
    return tuple("" if cell is None else cell.strip() for cell in cells)


def write_arrow(path: Path, text: str, labels: str | None, source: Path | None) -> None:
    """Write a table to a file of Parquet or Arrow; pyarrow infers the types of its columns.

    Parameters
    ----------
    path : Path
        A file with one of the `ENDINGS`.
    text : str
        The table as CSV, with commas and decimal points.
    labels : str or None
        A column that is text even if it looks like numbers.
    source : Path or None
        A file of Parquet or Arrow whose columns come first, with their types.
    """
    pyarrow = _pyarrow()
    from pyarrow import csv

    types = csv.ConvertOptions(column_types={} if labels is None else {labels: pyarrow.string()})
    table = csv.read_csv(BytesIO(text.encode()), convert_options=types)
    if source is not None:
        whole = _read(source)
        for name in table.column_names:
            if name not in whole.column_names:
                whole = whole.append_column(name, table[name])
        table = whole
    with replacing(path, binary=True) as file:
        if path.suffix.lower() == ".parquet":
            from pyarrow import parquet

            parquet.write_table(table, file)
        else:
            with pyarrow.ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)


def _pyarrow() -> Any:
    try:
        import pyarrow.ipc
        import pyarrow.types
    except ImportError:
        raise BadTable(
            "files of Parquet and Arrow need pyarrow: pip install 'exactree[parquet]'.",
            "or save the table as CSV.",
        ) from None
    return pyarrow
