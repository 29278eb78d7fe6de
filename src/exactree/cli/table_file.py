"""Writing of columns as a text table, in the format of another table."""

import csv
import gzip
from dataclasses import replace
from io import StringIO
from pathlib import Path
from typing import Any

from exactree.cli.text_form import TextForm
from exactree.files import replacing

__all__ = ["TEXT_ENDINGS", "Columns", "write_csv", "write_table"]

# The columns of a table, by name.
Columns = dict[str, tuple[str, ...]]

TEXT_ENDINGS = (".csv", ".csv.gz", ".tsv", ".txt")


def write_csv(file: Any, columns: Columns, form: TextForm) -> None:
    """Write columns to a file that is open for text.

    Parameters
    ----------
    file : file
        Such as the standard output.
    columns : dict of str to tuple of str
        The cells of every column.
    form : TextForm
        Separator and quotes; by default those of most CSV files.
    """
    separator, quote = form.separator or ",", form.quote or '"'
    writer = csv.writer(file, delimiter=separator, quotechar=quote, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(zip(*columns.values(), strict=True))


def write_table(path: Path, columns: Columns, form: TextForm) -> str | None:
    """Write columns to a file in the encoding of a table, gzipped if its name ends in .gz.

    Parameters
    ----------
    path : Path
        The file; the separator of a .tsv file is a tab.
    columns : dict of str to tuple of str
        The cells of every column.
    form : TextForm
        How the table is written; UTF-8 if it has no encoding.

    Returns
    -------
    str or None
        A sentence if the encoding lacks a character of the columns, so that the file is in UTF-8.
    """
    text, note = StringIO(), None
    tabs = path.name.lower().endswith(".tsv")
    write_csv(text, columns, replace(form, separator="\t") if tabs else form)
    encoding = form.encoding or "utf-8"
    try:
        content = text.getvalue().encode(encoding)
    except UnicodeEncodeError as error:
        character = text.getvalue()[error.start]
        note = f"{path} is in UTF-8, because {encoding} has no {character!r}."
        content = text.getvalue().encode("utf-8")
    if path.name.lower().endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with replacing(path, binary=True) as file:
        file.write(content)
    return note
