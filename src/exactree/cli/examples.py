"""Examples of a table as arguments of a problem; columns that need attention are named."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import click
from numpy.typing import NDArray

from exactree.cli.column_kinds import ColumnKinds, encoding_of
from exactree.cli.encoding import CsvColumn, Encoding, features_of_codes
from exactree.cli.endings import BadTable
from exactree.cli.library_words import ReadTable, remember
from exactree.cli.lists import as_option
from exactree.cli.number_texts import INTEGER, decimal_of, is_written_number, plain_number
from exactree.cli.table import CellTable
from exactree.cli.table_options import TableArguments, read
from exactree.cli.target import (
    ROWS_OF_IDENTIFIERS,
    classes_of,
    note_on_classes,
    numbers_of,
    weights_of,
)
from exactree.data.parameters import count

# A column of text with a larger share of numbers is probably one of numbers.
_MOSTLY_NUMBERS = 0.8
# More distinct words among numbers than that are not listed.
_MANY_WORDS = 5


@dataclass(frozen=True, eq=False)
class CsvExamples:
    """The examples of a table, as arguments of `Problem` or `describe`.

    Attributes
    ----------
    table : CellTable
        The table.
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
    target_decimal : str or None
        The decimal mark of a target named in --numbers.
    """

    table: CellTable
    X: NDArray[Any]
    labels: NDArray[Any]
    weights: NDArray[Any] | None
    encoding: Encoding
    categories: tuple[int, ...]
    target_decimal: str | None


def read_examples(source: TableArguments, *, quiet: bool, regression: bool = False) -> CsvExamples:
    """Read a table; the distinct values of a text column are its levels.

    Parameters
    ----------
    source : TableArguments
        The file, its columns and its form. The columns that are not labels, weights or excluded
        are features.
    quiet : bool
        Whether to omit the notes about columns, which go to standard error.
    regression : bool
        Whether the labels are numbers to predict, instead of classes.
    """
    return examples_of(
        read(source.table, source.form, quiet=quiet), source, quiet=quiet, regression=regression
    )


def examples_of(
    table: CellTable, source: TableArguments, *, quiet: bool, regression: bool = False
) -> CsvExamples:
    """Return the examples of a table that has been read, as `read_examples` does.

    Parameters
    ----------
    table : CellTable
        The table.
    source, quiet, regression
        As in `read_examples`.
    """
    kinds = ColumnKinds(source.text, source.numbers)
    excluded = source.exclude
    table.check_columns([*excluded, *kinds.text, *kinds.numbers])
    apart = (source.target, source.weights, *excluded)
    if source.target in excluded or source.weights in excluded:
        raise BadTable(
            "--exclude names the target or the weights.", "leave that column out of --exclude."
        )
    if not table.n_rows:
        raise BadTable(
            f"{table.path} has no rows below the names of its columns.",
            "write one row for each example.",
        )
    decimal = kinds.decimal_in(table, source.target)
    if regression:
        labels: NDArray[Any] = numbers_of(table, source.target, decimal)
    else:
        labels = classes_of(table, source.target, kinds)
    features = [name for name in table.columns if name not in apart]
    if not features:
        raise BadTable(
            f"{table.path} has no columns of features, only {', '.join(map(repr, table.columns))}.",
            "columns other than the target, the weights and those in --exclude are features.",
        )
    encoding = encoding_of(table, features, kinds)
    codes = features_of_codes(table, encoding, source.categories)
    X = encoding.apply(table)
    if not quiet:
        if not regression and (note := note_on_classes(table, source.target, labels)):
            click.echo(f"exactree: the target {source.target!r} {note}", err=True)
        for column in encoding.columns:
            for note in _notes(table, column, kinds):
                click.echo(f"exactree: column {column.name!r} {note}", err=True)
    found = frozenset(map(str, set(labels.tolist())))
    remember(ReadTable(table, encoding.features, source.target, source.weights, found))
    weights = None
    if source.weights is not None:
        weights = weights_of(table, source.weights, kinds.decimal_in(table, source.weights))
    return CsvExamples(table, X, labels, weights, encoding, codes, decimal)


def _notes(table: CellTable, column: CsvColumn, kinds: ColumnKinds) -> Iterator[str]:
    """Yield what is notable about a column of features."""
    present = table.present(column.name)
    exclusion = f"--exclude {as_option([column.name])} leaves it out"
    enough = len(present) == table.n_rows >= ROWS_OF_IDENTIFIERS
    if not column.text:
        if enough and all(map(INTEGER.fullmatch, present)) and _counts(list(map(int, present))):
            yield f"counts the rows, as an identifier does; {exclusion}"
        return
    levels = set(present)
    words = [cell for cell in present if not is_written_number(cell)]
    if 0 < len(words) < (1 - _MOSTLY_NUMBERS) * len(present) and column.name not in kinds.text:
        yield _note_on_words(table, column.name, words)
        return
    text = f"is text with {count(len(levels), 'level')}"
    if enough and len(levels) == table.n_rows:
        text += f", a distinct one in every row, as an identifier has; {exclusion}"
    yield text


def _note_on_words(table: CellTable, name: str, words: list[str]) -> str:
    """Return a note on a column of numbers that is text because of some cells, and the cure."""
    present, option = table.present(name), as_option([name])
    numeric = len(present) - len(words)
    distinct = list({word.lower(): word for word in reversed(words)}.values())[::-1]
    cures = []
    if len(distinct) <= _MANY_WORDS:
        cell = "it" if len(words) == 1 else "them"
        value = "a missing value" if len(words) == 1 else "missing values"
        cure = f"--missing {as_option(distinct)} reads {cell} as {value}"
        others = [cell for cell in present if cell not in words]
        # Without the words, decimal commas of this column are detected.
        marks = {table.decimal, decimal_of([others])}
        plain = any(all(plain_number(cell, mark) for cell in others) for mark in marks)
        cures.append(cure if plain else f"{cure} and --numbers {option} all others as numbers")
    cures.append(f"--text {option} takes each distinct text as a level")
    cures.append(f"--exclude {option} leaves the column out")
    return (
        f"is text because of {words[0]!r} in {table.place(table.cells(name).index(words[0]))}; "
        f"{numeric:,} of its {len(present):,} values are numbers\nhint: {', '.join(cures)}."
    )


def _counts(numbers: list[int]) -> bool:
    return numbers == list(range(numbers[0], numbers[0] + len(numbers)))
