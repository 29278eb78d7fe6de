"""Warnings about columns of text that are probably no categories, and about unusual targets."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.numbers import reads_as_number
from exactree.data.parameters import shown

if TYPE_CHECKING:
    from exactree.data.dataset import Dataset

__all__ = ["identifiers", "notes_on_columns", "notes_on_target"]

# Fewer rows may have distinct texts, or labels, by chance.
_ENOUGH_ROWS = 20
# A column of text with a larger share of numbers is probably one of numbers.
_MOSTLY_NUMBERS = 0.8


def identifiers(dataset: "Dataset") -> tuple[int, ...]:
    """Return the columns of text or categories that have a distinct value in every row.

    Parameters
    ----------
    dataset : Dataset
        The table; only tables of at least 20 rows have such columns.
    """
    rows = len(dataset.X)
    if rows < _ENOUGH_ROWS:
        return ()
    full = [column for column, levels in dataset.levels.items() if len(levels) >= rows]
    return tuple(column for column in full if len(np.unique(dataset.X[:, column])) == rows)


def notes_on_columns(dataset: "Dataset") -> Iterator[str]:
    """Yield a sentence on every column of text that looks like an identifier or like numbers.

    Parameters
    ----------
    dataset : Dataset
        The table.
    """
    for column in identifiers(dataset):
        kind = "text" if _all_text(dataset.levels[column]) else "a category"
        yield (
            f"Column {dataset.feature_names[column]!r} is {kind} with {len(dataset.X):,} levels, a "
            "distinct one in every row, as an identifier has; leave it out."
        )
    for column, levels in dataset.levels.items():
        note = _note_on_numbers(dataset, column, levels)
        if note is not None:
            yield note


def _note_on_numbers(dataset: "Dataset", column: int, levels: tuple[Any, ...]) -> str | None:
    """Return a sentence on a column of text most of whose values are numbers."""
    if not any(isinstance(level, str) for level in levels):
        return None
    is_number = np.array([reads_as_number(level) for level in levels], dtype=bool)
    codes = dataset.X[:, column]
    present = np.flatnonzero(~np.isnan(codes))
    numeric = is_number[codes[present].astype(np.int64)]
    numbers, values = int(numeric.sum()), len(present)
    if not _MOSTLY_NUMBERS * values < numbers < values:
        return None
    first = int(present[int(np.argmin(numeric))])
    other = shown(levels[int(codes[first])])
    return (
        f"Column {dataset.feature_names[column]!r} is text because of {other} in row "
        f"{int(dataset.kept[first])}; {numbers:,} of its {values:,} values are numbers "
        "(rows are counted from 0). If it "
        "is a missing value, read it as such: pandas.to_numeric(..., errors='coerce')."
    )


def _all_text(levels: tuple[Any, ...]) -> bool:
    return all(isinstance(level, str) for level in levels)


def notes_on_target(dataset: "Dataset") -> Iterator[str]:
    """Yield a sentence if there are more than half as many classes as rows.

    Parameters
    ----------
    dataset : Dataset
        The table of a classification.
    """
    rows, classes = len(dataset.labels), len(np.unique(dataset.labels))
    if rows <= _ENOUGH_ROWS or 2 * classes <= rows:
        return
    numbers = dataset.classes.dtype.kind in "iuf"
    kind = "whole numbers" if numbers else "labels"
    advice = (
        "OptimalTreeRegressor predicts numbers"
        if numbers
        else "a classification needs classes that many rows share"
    )
    yield (
        f"y has {classes:,} distinct {kind} in {rows:,} rows, each of which is a class; {advice}."
    )
