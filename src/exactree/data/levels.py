"""Levels of columns of text and categories; the code of a level is its index."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.labels import in_order
from exactree.data.numbers import is_missing, reads_as_number, refuse_text

__all__ = ["Levels", "codes_of", "is_text", "read_levels"]

# Levels by the index of the column.
Levels = Mapping[int, tuple[Any, ...]]
UNSEEN = -1.0


def is_text(values: Sequence[Any]) -> bool:
    """Return whether all values of a column are text or missing, and some are text.

    Parameters
    ----------
    values : sequence
        The column.
    """
    present = [value for value in values if not is_missing(value)]
    return bool(present) and all(isinstance(value, str) for value in present)


def read_levels(
    values: Sequence[Any], place: str, *, as_category: bool
) -> tuple[NDArray[np.float64], tuple[Any, ...]]:
    """Return the codes of a column, NaN for missing values, and its levels.

    Parameters
    ----------
    values : sequence
        Text or any hashable values.
    place : str
        The name of the column in error messages.
    as_category : bool
        Whether the column has a categorical type. Otherwise numbers as text are refused, because
        they are usually numbers that were read wrongly.

    Raises
    ------
    ValueError
        If all values are numbers as text.
    """
    present = [value for value in values if not is_missing(value)]
    if not as_category and all(map(reads_as_number, present)):
        refuse_text(values, place)
    levels = tuple(in_order(list(dict.fromkeys(map(plain, present)))))
    return codes_of(values, levels), levels


def codes_of(values: Sequence[Any], levels: tuple[Any, ...]) -> NDArray[np.float64]:
    """Return the codes of a column; a value that is not a level gets -1.

    Parameters
    ----------
    values : sequence
        The column.
    levels : tuple
        In the order of their codes.
    """
    codes: dict[Any, float] = {level: float(code) for code, level in enumerate(levels)}
    found = np.empty(len(values), dtype=np.float64)
    for row, value in enumerate(values):
        found[row] = np.nan if is_missing(value) else codes.get(plain(value), UNSEEN)
    return found


def plain(value: Any) -> Any:
    """Return a numpy scalar, or a text of a derived type, as an object of Python's own types.

    Then equal values compare equal, and can be written to JSON.
    """
    if isinstance(value, np.generic):
        return value.item()
    return str.__str__(value) if isinstance(value, str) else value
