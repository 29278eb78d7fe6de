"""Reading of a CSV file into features, labels and weights; text columns are reported."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

from exactree.cli.csv_table import read_csv
from exactree.cli.encoding import (
    Encoding,
    encoding_of,
    features_of_codes,
    labels_of,
    numbers_of,
    weights_of,
)
from exactree.data.features import count

CATEGORIES_HELP = "Columns of integer codes without an order, separated by commas."


@dataclass(frozen=True, eq=False)
class CsvExamples:
    """The examples of a CSV file, as arguments of `Problem` or `describe`.

    Attributes
    ----------
    X : ndarray
        The features.
    labels : ndarray
        The labels, or the numbers of a regression.
    weights : ndarray or None
        The weights, None without a column of weights.
    encoding : Encoding
        The conversion of the columns to the features of X.
    categories : tuple of int
        The indices of the features whose values are codes.
    """

    X: NDArray[Any]
    labels: NDArray[Any]
    weights: NDArray[Any] | None
    encoding: Encoding
    categories: tuple[int, ...]


def read_examples(
    path: Path,
    target: str,
    weights: str | None,
    categories: str | None = None,
    *,
    quiet: bool,
    regression: bool = False,
) -> CsvExamples:
    """Read a table; the distinct values of a text column are its levels.

    Parameters
    ----------
    path : Path
        A ``.csv`` or ``.csv.gz`` file.
    target : str
        Column of the labels.
    weights : str or None
        Column of the weights, if any. The columns besides labels and weights are features.
    categories : str or None
        Columns of integer codes, separated by commas.
    quiet : bool
        Whether to omit the report of text columns, which goes to standard error.
    regression : bool
        Whether the labels are numbers to predict, instead of classes.
    """
    table = read_csv(path)
    labels = (numbers_of if regression else labels_of)(table, target)
    names = [name for name in table.columns if name not in (target, weights)]
    encoding = encoding_of(table, names)
    code_features = features_of_codes(table, encoding, categories)
    for column in encoding.columns:
        if column.text and not quiet:
            levels = {cell for cell in table.cells(column.name) if cell is not None}
            number_of_levels = count(len(levels), "level")
            report = f"exactree: column {column.name!r} is text with {number_of_levels}"
            click.echo(report, err=True)
    weight_column = None if weights is None else weights_of(table, weights)
    return CsvExamples(encoding.apply(table), labels, weight_column, encoding, code_features)
