"""The spreadsheet formula of a model, with the column letters of a table."""

from pathlib import Path

import click

from exactree.cli.encoding import CsvColumn
from exactree.cli.endings import BadTable
from exactree.cli.model_file import SavedModel
from exactree.cli.predict import used_features
from exactree.cli.table import column_names
from exactree.export.spreadsheet import letters_of, to_spreadsheet
from exactree.trees import Ensemble

__all__ = ["ALIASES", "SPREADSHEET", "formula_of", "table_option"]

# The name of the format, and other names of it.
SPREADSHEET = "spreadsheet"
ALIASES = {"excel": SPREADSHEET}

table_option = click.option(
    "--table",
    type=click.Path(path_type=Path),
    help="Table whose column letters the formula of --format spreadsheet uses.",
)


def formula_of(model: SavedModel, table: Path | None) -> tuple[str, str]:
    """Return the formula of a model, and a legend of its column letters.

    Parameters
    ----------
    model : SavedModel
        A model of one tree.
    table : Path or None
        The table of the sheet. By default the columns are A, B, C and so on, in the order of the
        model.
    """
    if isinstance(model.predictor, Ensemble):
        return to_spreadsheet(model.predictor), ""  # raises: ensembles are refused
    columns = [column for column in model.encoding.columns for _ in column.features]
    used = sorted(used_features(model))
    if table is None:
        letters = [letters_of(number) for number in range(len(columns))]
    else:
        letters = _letters_in(table, columns, used)
    named = [f"{letters[feature]} = {columns[feature].name}" for feature in used]
    legend = ", ".join(dict.fromkeys(named)) or "the formula uses no column"
    if table is None and named:
        legend += "; --table FILE uses the letters of FILE"
    return to_spreadsheet(model.predictor, letters), legend


def _letters_in(table: Path, columns: list[CsvColumn], used: list[int]) -> list[str]:
    """Return the letter of each feature in a table; A for unused features that it lacks."""
    try:
        names = column_names(table)
    except OSError as error:
        raise BadTable(
            f"{table} cannot be read: {error.strerror or error}.",
            "--table names the table whose column letters the formula uses.",
        ) from error
    absent = [columns[feature].name for feature in used if columns[feature].name not in names]
    if absent:
        listed = ", ".join(dict.fromkeys(map(repr, absent)))
        hint = f"its columns are: {', '.join(names)}."
        raise BadTable(f"{table} lacks columns that the tree uses: {listed}.", hint)
    return [
        letters_of(names.index(column.name) if column.name in names else 0) for column in columns
    ]
