"""Checks of single parameters: numbers and names of columns, with one-sentence errors."""

from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.parameters import is_number, shown

__all__ = [
    "columns_named",
    "columns_of_codes",
    "exact_number",
    "number_of_threads",
    "number_of_trees",
    "positive_seconds",
    "whole_number",
]

_SHOWN = 5

# Every thread has its own stack and workspace.
MAX_THREADS = 1024

# Every tree takes memory in a search and in its result, even if it is a single leaf.
MAX_TREES = 1_000


def whole_number(
    name: str, value: Any, minimum: int, allowed: str, maximum: int | None = None
) -> int:
    """Return a parameter as an int.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        The user's argument; True and False are not whole numbers.
    minimum : int
        The smallest allowed value.
    allowed : str
        The allowed values, to end the sentence "max_depth must be ...".
    maximum : int, optional
        The greatest allowed value.

    Raises
    ------
    ValueError
        If the value is not a whole number, too small or too large.
    """
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not whole or value < minimum or (maximum is not None and value > maximum):
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}.")
    return int(value)


def number_of_threads(n_jobs: Any) -> int:
    """Return the number of threads that `n_jobs` requests.

    Parameters
    ----------
    n_jobs : int or None
        The user's argument: None is the number that ``joblib.parallel_config`` sets, 1 without
        it; -1 is all cores, -2 all cores but one, and so on.

    Raises
    ------
    ValueError
        If it is 0, not a whole number, or more than `MAX_THREADS`.
    """
    allowed = f"None or an integer from 1 to {MAX_THREADS}, or negative (-1 for all cores)"
    if n_jobs is None:
        from joblib import effective_n_jobs

        return min(int(effective_n_jobs(None)), MAX_THREADS)
    threads = whole_number("n_jobs", n_jobs, -MAX_THREADS, allowed)
    if threads < 0:
        from joblib import cpu_count

        return max(int(cpu_count()) + 1 + threads, 1)
    if not 1 <= threads <= MAX_THREADS:
        raise ValueError(f"n_jobs must be {allowed}, got {shown(n_jobs)}.")
    return threads


def checked_verbose(verbose: Any) -> bool:
    """Return whether `verbose` requests the display of progress.

    Parameters
    ----------
    verbose : object
        The user's argument.

    Raises
    ------
    ValueError
        If it is not an integer of at least 0.
    """
    if not isinstance(verbose, int | np.integer) or verbose < 0:
        raise ValueError(f"verbose must be 0 or 1, got {verbose!r}.")
    return bool(verbose)


def number_of_trees(n_trees: Any) -> int:
    """Return the number of trees of an ensemble.

    Parameters
    ----------
    n_trees : object
        The user's argument.

    Raises
    ------
    ValueError
        If it is not a whole number from 1 to `MAX_TREES`.
    """
    if isinstance(n_trees, int | np.integer) and n_trees > MAX_TREES:
        raise ValueError(f"n_trees must be at most {MAX_TREES:,}, got {shown(n_trees)}.")
    return whole_number("n_trees", n_trees, 1, "an integer >= 1")


def exact_number(name: str, value: Any, allowed: str, maximum: int | None = None) -> Fraction:
    """Return a non-negative parameter exactly; a float is read by its shortest decimal form.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        The user's argument; 0.01 means 1/100.
    allowed : str
        The allowed values, to end the sentence "leaf_penalty must be ...".
    maximum : int, optional
        The greatest allowed value.

    Raises
    ------
    ValueError
        If the value is not a number, not finite, negative, or too large.
    """
    number: Fraction | None = None
    if isinstance(value, bool):
        pass  # bool is a subclass of int, but True and False are not meant as numbers
    elif isinstance(value, float | np.floating) and np.isfinite(value):
        number = Fraction(str(value))  # not repr, which names the type of a NumPy scalar
    elif isinstance(value, Decimal) and value.is_finite():
        number = Fraction(value)
    elif isinstance(value, Rational | np.integer):
        number = Fraction(int(value.numerator), int(value.denominator))
    if number is None or number < 0 or (maximum is not None and number > maximum):
        raise ValueError(f"{name} must be {allowed}, got {shown(value)}.")
    return number


def columns_named(name: str, value: Any, feature_names: Sequence[str]) -> tuple[int, ...]:
    """Return the indices of columns that are given by name or by index, in increasing order.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        The user's argument.
    feature_names : sequence of str
        The names of all columns.

    Raises
    ------
    ValueError, TypeError
        If the value is not a list of columns of the table, each named once.
    """
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise TypeError(
            f"{name} must be a list of names or indices of columns, got {shown(value)}."
        )
    found: list[int] = []
    for column in value:
        index = _index_of(name, column, feature_names)
        if index in found:
            raise ValueError(f"{name} names column {feature_names[index]!r} twice.")
        found.append(index)
    return tuple(sorted(found))


def columns_of_codes(
    categories: Any, X: NDArray[np.float64], feature_names: Sequence[str], rows: NDArray[np.int64]
) -> tuple[int, ...]:
    """Return the indices of the category columns, whose values must be integers.

    Parameters
    ----------
    categories : object
        The user's argument; None for no category columns.
    X : ndarray of float64
        The table.
    feature_names : sequence of str
        The names of all columns.
    rows : ndarray of int64
        For each row of X, its index in the user's table.

    Raises
    ------
    ValueError, TypeError
        If the value does not name columns, or one of them holds a number that is not an integer.
    """
    if categories is None:
        return ()
    columns = columns_named("categories", categories, feature_names)
    for column in columns:
        values = X[:, column]
        whole = (values == np.floor(values)) | np.isnan(values)
        if not whole.all():
            row = int(np.argmin(whole))
            raise ValueError(
                f"X, column {feature_names[column]!r}, row {int(rows[row])}: {values[row]} is not "
                "an integer; columns named in categories hold integer codes. "
                "(Rows are counted from 0.)"
            )
    return columns


def _index_of(name: str, column: Any, feature_names: Sequence[str]) -> int:
    if isinstance(column, str) and column in feature_names:
        return list(feature_names).index(column)
    whole = isinstance(column, int | np.integer) and not isinstance(column, bool)
    if whole and 0 <= column < len(feature_names):
        return int(column)
    first = ", ".join(map(repr, feature_names[:_SHOWN]))
    more = ", ..." if len(feature_names) > _SHOWN else ""
    raise ValueError(
        f"{name} names {shown(column)}, but the columns of X are {first}{more}, or 0 to "
        f"{len(feature_names) - 1}."
    )


def positive_seconds(time_limit: Any) -> float | None:
    """Return a time limit as a float, None if it is infinite.

    Parameters
    ----------
    time_limit : object
        The user's argument.

    Raises
    ------
    ValueError
        If it is neither None nor a positive number.
    """
    if time_limit is None:
        return None
    if not (is_number(time_limit) and time_limit > 0):
        raise ValueError(
            f"time_limit must be a positive number of seconds or None, got {shown(time_limit)}."
        )
    try:
        seconds = float(time_limit)
    except OverflowError:  # an integer beyond all floats
        return None
    return seconds if isfinite(seconds) else None
