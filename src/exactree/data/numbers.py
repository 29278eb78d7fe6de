"""Conversion of a user's numbers to float64, refusing numbers that float64 cannot hold."""

import numbers
from collections.abc import Sequence
from decimal import Decimal
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "in_python_if_wide",
    "is_missing",
    "object_column",
    "plain_column",
    "reads_as_number",
    "refuse_text",
]

_MAX_EXACT_INTEGER = 2**53
_ADVICE = (
    "numbers and text do not mix in a column, and where text is not accepted it must be one-hot "
    "encoded, for example with get_dummies"
)


def plain_column(
    values: NDArray[Any], place: str, names: Sequence[str] = (), advice: str = _ADVICE
) -> NDArray[np.float64]:
    """Return an array of a numeric or boolean dtype as float64, without a copy if it is float64.

    Parameters
    ----------
    values : ndarray
        Any dtype except object.
    place : str
        The name of the array in error messages.
    names : sequence of str
        Names of the columns when `values` has two dimensions.
    advice : str
        Advice for columns of text.

    Raises
    ------
    ValueError
        If the dtype is not numeric, or an integer or an extended-precision number is not exact in
        float64.
    """
    kind = values.dtype.kind
    if kind == "c":
        raise ValueError(f"Complex data not supported: {place} holds complex numbers.")
    if kind in "mM":
        raise ValueError(
            f"{place} holds dates or durations; turn them into numbers first, such as days since a "
            "day, or months."
        )
    if kind not in "biuf":
        refuse_text(values.tolist(), place, advice)
    with np.errstate(over="ignore"):
        result: NDArray[np.float64] = values.astype(np.float64, copy=False)
    rounded = np.empty((0, values.ndim), dtype=np.int64)
    if kind in "iu" and values.dtype.itemsize == 8:
        large = np.argwhere((result >= _MAX_EXACT_INTEGER) | (result <= -_MAX_EXACT_INTEGER))
        positions = map(tuple, large.tolist())
        exact = [int(result[position]) == int(values[position]) for position in positions]
        rounded = large[~np.array(exact, dtype=bool)]
    elif kind == "f" and values.dtype.itemsize > result.dtype.itemsize:
        rounded = np.argwhere((result.astype(values.dtype) != values) & ~np.isnan(values))
    if len(rounded):
        position = tuple(rounded[0].tolist())
        where = f"{place}, column {names[position[1]]!r}" if names else place
        raise ValueError(_not_exact(where, position[0], values[position]))
    return result


def object_column(
    values: Sequence[Any] | NDArray[Any], place: str, advice: str = _ADVICE
) -> NDArray[np.float64]:
    """Return a sequence of Python objects as float64, NaN for missing values.

    Parameters
    ----------
    values : sequence
        Real numbers, booleans, and None or NaN for missing values.
    place : str
        The name of the sequence in error messages.
    advice : str
        Advice for columns of text.

    Raises
    ------
    ValueError, TypeError
        If a value is not a real number, or an integer or a `numpy.longdouble` is not exact in
        float64, or two different decimals or fractions are rounded to the same number.
    """
    result = np.empty(len(values), dtype=np.float64)
    rounded: dict[float, Any] = {}
    for row, value in enumerate(values):
        if type(value) is float or type(value) is bool:
            result[row] = value
        elif is_missing(value):
            result[row] = np.nan
        else:
            result[row] = number = _number(value, place, row, advice)
            if isinstance(value, Decimal | numbers.Rational):
                first = rounded.setdefault(number, value)
                if first != value:
                    raise ValueError(
                        f"{place}, row {row}: {value} and {first} are the same number in float64; "
                        "subtract a constant or rescale the column."
                    )
    return result


def in_python_if_wide(series: Any) -> Any:
    """Return a series of 128-bit integers, which numpy lacks, as a list; anything else unchanged.

    Parameters
    ----------
    series : object
        Such as a series of polars.
    """
    wide = str(getattr(series, "dtype", "")) in ("Int128", "UInt128")
    return series.to_list() if wide else series


def refuse_text(values: Sequence[Any], place: str, advice: str = _ADVICE) -> NoReturn:
    """Refuse a column of text or categories, naming the first value that is not a number.

    Parameters
    ----------
    values : sequence
        The column.
    place : str
        The name of the column in the error message.
    advice : str
        Advice that ends the message.

    Raises
    ------
    ValueError
        Always.
    """
    for row, value in enumerate(values):
        if not is_missing(value) and not reads_as_number(value):
            raise ValueError(f"{place}, row {row}: {value!r} is text, not a number; {advice}.")
    raise ValueError(f"{place} holds numbers as text; convert it, for example by astype(float).")


def is_missing(value: Any) -> bool:
    """Return whether a value stands for a missing one: None, NaN, NaT or pandas.NA."""
    if value is None or type(value).__name__ == "NAType":
        return True
    if isinstance(value, float | np.floating | np.datetime64 | np.timedelta64 | Decimal):
        return bool(value != value)
    return type(value).__name__ == "NaTType"


def reads_as_number(value: Any) -> bool:
    """Return whether a value, perhaps text, can be read as a number."""
    try:
        float(value)
    except (TypeError, ValueError):
        return False
    return True


def _number(value: Any, place: str, row: int, advice: str) -> float:
    """Return one object as a float, or refuse it."""
    if isinstance(value, str | bytes):
        raise ValueError(f"{place}, row {row}: {value!r} is text, not a number; {advice}.")
    if isinstance(value, numbers.Complex | np.complexfloating) and not isinstance(
        value, numbers.Real
    ):
        raise ValueError(f"Complex data not supported: {place}, row {row} holds {value!r}.")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(_not_exact(place, row, value)) from None
    except (TypeError, ValueError) as error:  # scikit-learn's checks compare the message of float()
        raise TypeError(f"{place}, row {row}: {error}.") from None
    if _is_rounded(value, number):
        raise ValueError(_not_exact(place, row, value))
    return number


def _is_rounded(value: Any, number: float) -> bool:
    """Return whether a number of an exact type was changed by the conversion."""
    if isinstance(value, np.floating):
        return bool(value != number)
    if isinstance(value, Decimal) and not value.is_finite():
        return False
    # Rounding 1/10 is expected; rounding 2**53 + 1, as a decimal or a fraction, would be an error.
    exact = isinstance(value, Decimal | numbers.Rational)
    return exact and value != number and bool(np.isinf(number) or value == int(value))


def _not_exact(place: str, row: int, value: Any) -> str:
    if isinstance(value, np.floating):
        return (
            f"{place}, row {row}: {value!r} cannot be held exactly in float64, which features and "
            "numbers are read as; round them first, for example with astype(float)."
        )
    shown = str(value) if abs(value) < 2**200 else f"a number of {int(value).bit_length()} bits"
    return (
        f"{place}, row {row}: {shown} cannot be held exactly in float64; integers beyond 2**53 "
        "must be multiples of a power of two (subtract a constant or rescale the column)."
    )
