"""Reading data frames of any library through narwhals; no such library is required."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from exactree.data.levels import codes_of, is_text, read_levels
from exactree.data.numbers import object_column, plain_column, refuse_text

if TYPE_CHECKING:
    import narwhals as nw
    from numpy.typing import NDArray

    from exactree.data.levels import Levels

__all__ = ["as_frame", "read_frame"]


def as_frame(X: Any) -> nw.DataFrame[Any] | None:
    """Return a data frame in narwhals' form, or None for anything else.

    Parameters
    ----------
    X : object
        The user's table.

    Raises
    ------
    TypeError
        If the frame is lazy.
    ValueError
        If two columns have the same name.
    """
    if isinstance(X, np.ndarray | list | tuple):
        return None
    import narwhals as nw  # imported here so that `import exactree` stays light
    from narwhals.exceptions import DuplicateError

    try:
        frame = nw.from_native(X, pass_through=True)
    except DuplicateError as error:
        names = " ".join(str(error).split())
        raise ValueError(f"X has columns of the same name; rename them: {names}") from None
    if isinstance(frame, nw.LazyFrame):
        raise TypeError("X is a lazy frame; call its collect() first.")
    return frame if isinstance(frame, nw.DataFrame) else None


def read_frame(
    frame: nw.DataFrame[Any], text: bool = False, known_levels: Levels | None = None
) -> tuple[NDArray[np.float64], tuple[str, ...] | None, Levels]:
    """Return the values of a data frame, NaN for missing values, its column names and levels.

    Parameters
    ----------
    frame : narwhals.DataFrame
        Its columns must be numeric or boolean, or text and categories.
    text : bool
        Whether columns of text and categories are accepted.
    known_levels : mapping of int to tuple, optional
        The levels of columns of text or categories; no other column may be of text.

    Returns
    -------
    tuple of (ndarray of float64, tuple of str or None, mapping of int to tuple)
        The names are None if they are not text, as in scikit-learn.

    Raises
    ------
    ValueError, TypeError
        If a column is not numeric, or some names are text and others are not.
    """
    names = _text_names(list(frame.columns))
    values = np.empty(frame.shape, dtype=np.float64)
    levels: dict[int, tuple[Any, ...]] = {}
    for number, series in enumerate(frame.iter_columns()):
        place = f"X, column {frame.columns[number]!r}"
        if known_levels is not None and number in known_levels:
            values[:, number] = codes_of(series.to_list(), known_levels[number])
        elif text and known_levels is None and (kind := _kind_of_text(series)):
            column, as_category = series.to_list(), kind == "category"
            values[:, number], levels[number] = read_levels(column, place, as_category=as_category)
        else:
            values[:, number] = _read_column(series, place)
    return values, names, levels


def _kind_of_text(series: nw.Series[Any]) -> str | None:
    """Return "category" or "text" for a column of categories or text, None for other columns."""
    import narwhals as nw

    if series.dtype in (nw.Categorical, nw.Enum):
        return "category"
    if series.dtype == nw.String or (series.dtype == nw.Object and is_text(series.to_list())):
        return "text"
    return None


def _text_names(columns: list[Any]) -> tuple[str, ...] | None:
    texts = [isinstance(name, str) for name in columns]
    if not all(texts) and any(texts):
        other = columns[texts.index(False)]
        raise TypeError(
            f"Feature names are only supported if all of them are strings: X has a column named "
            f"{other!r}; rename it, for example with X.columns = X.columns.astype(str)."
        )
    return tuple(columns) if columns and all(texts) else None


def _read_column(series: nw.Series[Any], place: str) -> NDArray[np.float64]:
    """Return one column as float64, NaN for missing values."""
    import narwhals as nw

    kind = series.dtype
    if kind in (nw.String, nw.Categorical, nw.Enum):
        refuse_text(series.to_list(), place)
    # Numpy has no integers of 128 bits.
    if kind in (nw.Object, nw.Unknown, nw.Int128, nw.UInt128) or kind.is_decimal():
        return object_column(series.to_list(), place)
    if kind.is_nested():
        raise TypeError(f"{place} holds {kind}; make columns of numbers of it first.")
    missing = series.is_null()
    if not (kind.is_numeric() or kind == nw.Boolean) or not missing.any():
        values = series.to_numpy()
        return (object_column if values.dtype.kind == "O" else plain_column)(values, place)
    # Nulls are filled before the conversion, because an integer column with nulls would become
    # floats and lose the digits that `plain_column` checks.
    filled = plain_column(series.fill_null(False if kind == nw.Boolean else 0).to_numpy(), place)
    filled = np.array(filled)
    filled[missing.to_numpy().astype(bool)] = np.nan
    return filled
