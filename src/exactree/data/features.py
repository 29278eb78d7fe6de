"""Reading the features of a user's table: arrays, lists, data frames."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.frames import as_frame, read_frame
from exactree.data.levels import Levels, codes_of, is_text, read_levels
from exactree.data.numbers import object_column, plain_column, reads_as_number, refuse_text
from exactree.data.parameters import count

__all__ = [
    "CompleteFeatures",
    "FeatureTable",
    "check_finite",
    "default_names",
    "read_features",
]

_RAGGED = "X must be a table: every row needs the same number of values."


@dataclass(frozen=True, eq=False)
class FeatureTable:
    """The checked features of a table.

    Attributes
    ----------
    values : ndarray of float64
        Numbers, and codes of levels; NaN for missing values.
    names : tuple of str or None
        The names of the columns; None if they are not text.
    levels : mapping of int to tuple
        The levels of columns of text and categories, in the order of their codes.
    """

    values: NDArray[np.float64]
    names: tuple[str, ...] | None
    levels: Levels


def read_features(X: Any, text: bool = False, known_levels: Levels | None = None) -> FeatureTable:
    """Read the columns of a table.

    Parameters
    ----------
    X : array-like or data frame
        Two-dimensional, of real numbers, booleans, and perhaps text and categories.
    text : bool
        Whether columns of text and categories are accepted.
    known_levels : mapping of int to tuple, optional
        The levels of columns of text or categories; no other column may be of text.

    Raises
    ------
    ValueError, TypeError
        If the table is not two-dimensional or a value is not a real number.
    """
    frame = as_frame(X)
    if frame is not None:
        _refuse_beyond_32_bits(frame.shape)
        return FeatureTable(*read_frame(frame, text, known_levels))
    _refuse_sparse(X)
    table = _as_array(X)
    if table.ndim != 2:
        raise ValueError(
            f"Expected 2D array, got {table.ndim}D array instead: X must have one row per example "
            "and one column per feature. Reshape your data either using array.reshape(-1, 1) if "
            "it has a single feature or array.reshape(1, -1) if it contains a single example."
        )
    _refuse_beyond_32_bits(table.shape)
    names = default_names(table.shape[1])
    if table.dtype.kind not in "OUS" and not known_levels:
        return FeatureTable(plain_column(table, "X", names), None, {})
    columns = {f"X, column {name!r}": table[:, index].tolist() for index, name in enumerate(names)}
    if table.dtype.kind in "US" and columns and not (text or known_levels):
        # If every text is a number, `refuse_text` advises a conversion: any column will do.
        worst = max(columns, key=lambda place: not all(map(reads_as_number, columns[place])))
        refuse_text(columns[worst], worst)
    values = np.empty(table.shape, dtype=np.float64)
    levels: dict[int, tuple[Any, ...]] = {}
    for index, (place, column) in enumerate(columns.items()):
        if known_levels is not None and index in known_levels:
            values[:, index] = codes_of(column, known_levels[index])
        elif text and known_levels is None and is_text(column):
            values[:, index], levels[index] = read_levels(column, place, as_category=False)
        else:
            values[:, index] = object_column(column, place)
    return FeatureTable(values, None, levels)


@dataclass(frozen=True)
class CompleteFeatures:
    """Columns without missing values, and the reason.

    Attributes
    ----------
    why : str
        A clause that names the function that accepts no missing values.
    features : tuple of int, optional
        The columns that must be complete; all by default.
    """

    why: str
    features: tuple[int, ...] | None = None


def check_finite(
    X: NDArray[np.float64],
    names: tuple[str, ...],
    kept: NDArray[np.int64],
    no_missing: str | CompleteFeatures | None = "this takes no missing values",
) -> None:
    """Refuse infinite values, and missing values on request, naming the first column and row.

    Parameters
    ----------
    X : ndarray of float64
        The kept rows.
    names : tuple of str
        Names of the columns.
    kept : ndarray of int64
        Index of each row in the user's table.
    no_missing : str, CompleteFeatures or None
        The reason why no value may be missing, in all columns or in some; None if values may be
        missing.
    """
    if np.isfinite(X).all():
        return
    required = CompleteFeatures(no_missing) if isinstance(no_missing, str) else no_missing
    sound = ~np.isinf(X)
    if required is not None:
        columns = range(X.shape[1]) if required.features is None else required.features
        sound[:, columns] &= ~np.isnan(X[:, columns])
    if sound.all():
        return
    column = int(np.argmin(sound.all(axis=0)))
    row = int(np.argmin(sound[:, column]))
    value = X[row, column]
    defect = (
        f"is missing (NaN); fill it in or drop the row: {required.why}"
        if required is not None and np.isnan(value)
        else f"is infinite ({'inf' if value > 0 else '-inf'}); finite numbers are allowed"
    )
    raise ValueError(
        f"X, column {names[column]!r}, row {int(kept[row])}: the value {defect}. "
        "(Rows are counted from 0.)"
    )


def _refuse_beyond_32_bits(shape: tuple[int, ...]) -> None:
    """Refuse tables whose rows or columns the searches cannot number."""
    if max(shape) >= 2**32:
        rows, columns = shape
        raise ValueError(
            f"X has {count(rows, 'row')} and {count(columns, 'column')}; fewer than {2**32:,} of "
            "each are allowed."
        )


def default_names(columns: int) -> tuple[str, ...]:
    """Return the names of unnamed features: x0, x1, ..."""
    return tuple(f"x{column}" for column in range(columns))


def _refuse_sparse(X: Any) -> None:
    # Recognised by the methods of scipy's sparse containers, so that scipy is not imported.
    if hasattr(X, "tocsr") and hasattr(X, "toarray"):
        rows, columns = X.shape
        raise TypeError(
            "X is a sparse matrix, but dense data is required; use X.toarray(), which takes "
            f"{shown_bytes(rows * columns * np.dtype(X.dtype).itemsize)}."
        )


def shown_bytes(number: int) -> str:
    """Return an amount of memory in the largest unit of which there is one, as "1.5 GiB"."""
    exponent = min(max(number.bit_length() - 1, 0) // 10, 4)
    return f"{number / 1024**exponent:.3g} {('bytes', 'KiB', 'MiB', 'GiB', 'TiB')[exponent]}"


def _as_array(X: Any) -> NDArray[Any]:
    """Return the table as an array without changing its values."""
    if isinstance(X, np.ma.MaskedArray) and X.dtype.kind in "biuf" and X.ndim == 2:
        values = plain_column(X.filled(0), "X", default_names(X.shape[1]))
        return np.where(np.ma.getmaskarray(X), np.nan, values)
    if hasattr(X, "__array_namespace__") and not isinstance(X, np.ndarray):
        return _of_other_library(X)
    try:
        # By itself numpy would turn 1 into "1" in a list with text, and 2**53 + 1 into a float.
        table = np.array(X, dtype=object) if isinstance(X, list | tuple) else np.asarray(X)
    except ValueError:
        raise ValueError(_RAGGED) from None
    if table.dtype.kind == "O" and table.ndim == 1 and any(map(np.ndim, table)):
        raise ValueError(_RAGGED)
    return table


def _of_other_library(X: Any) -> NDArray[Any]:
    """Return an array of another library of the array API, if numpy can read its memory."""
    try:
        table = np.asarray(X)
    except (TypeError, ValueError, RuntimeError, BufferError):
        table = np.array(None)
    if table.dtype.kind == "O":  # numpy wraps what it cannot read
        device = getattr(X, "device", "another device")
        raise TypeError(
            f"X is an array of {type(X).__module__.partition('.')[0]} on {device}, which numpy "
            "cannot read: copy it to an array of numpy first."
        )
    return table
