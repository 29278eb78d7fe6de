"""Encoding of labels of any hashable type as class indices."""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.numbers import in_python_if_wide, is_missing

__all__ = ["encode", "in_order", "number_of_continuous_labels", "read_labels"]

_MAX_EXACT_INTEGER = 2**53
_NUMPY_KINDS = "biufUSmM"
# Labels with fractional parts and more distinct values than this are seldom classes.
_MAX_FRACTIONAL_CLASSES = 20


def read_labels(y: Any) -> NDArray[Any]:
    """Return the labels as a one-dimensional array without changing their values.

    Parameters
    ----------
    y : array-like or series
        One label per row.

    Returns
    -------
    ndarray
        Of a numpy dtype if y is an array of such a dtype, or a list of strings, of booleans or of
        numbers that keep their values; else of dtype object.

    Raises
    ------
    ValueError
        If y is None, or an array that is not one-dimensional.
    """
    if y is None:
        raise ValueError("A problem requires y to be passed, but the target y is None.")
    y = in_python_if_wide(y)
    if isinstance(y, list | tuple):
        return _from_objects(list(y))
    labels = np.asarray(y.to_numpy() if hasattr(y, "to_numpy") else y)
    if labels.ndim != 1:
        one_column = labels.ndim == 2 and labels.shape[1] == 1
        way_out = "use y.ravel()" if one_column else "fit one model for each column"
        raise ValueError(
            f"y should be a 1d array, got an array of shape {labels.shape} instead; give one "
            f"label per row: {way_out}."
        )
    return labels if labels.dtype.kind in _NUMPY_KINDS else _object_array(labels.tolist())


def encode(labels: NDArray[Any], kept: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return each label's class index, and the classes.

    Parameters
    ----------
    labels : ndarray
        The labels of the kept rows.
    kept : ndarray of int
        Index of each row in the user's table.

    Returns
    -------
    tuple of (ndarray of int64, ndarray)
        The classes are sorted, or in order of first appearance when they cannot be compared.

    Raises
    ------
    ValueError, TypeError
        If a label is missing or not hashable; the message names the row.
    """
    if labels.dtype.kind == "O":
        return _encode_objects(labels, kept)
    missing = labels != labels
    if missing.any():
        raise ValueError(_missing(int(kept[int(np.argmax(missing))])))
    classes, codes = np.unique(labels, return_inverse=True)
    return codes.astype(np.int64).reshape(-1), classes


def _encode_objects(
    labels: NDArray[Any], kept: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    first: dict[Any, int] = {}
    codes = np.empty(len(labels), dtype=np.int64)
    for row, label in enumerate(labels):
        if is_missing(label):
            raise ValueError(_missing(int(kept[row])))
        try:
            codes[row] = first.setdefault(label, len(first))
        except TypeError:
            raise TypeError(
                f"y, row {int(kept[row])}: labels must be hashable, but this one is of type "
                f"{type(label).__name__!r}. (Rows are counted from 0.)"
            ) from None
    distinct = list(first)
    classes = in_order(distinct)
    index_of = {label: index for index, label in enumerate(classes)}
    class_indices = np.array([index_of[label] for label in distinct], dtype=np.int64)
    return class_indices[codes], _object_array(classes)


def in_order(distinct: list[Any]) -> list[Any]:
    """Return labels sorted, or in the given order if they have no total order.

    Parameters
    ----------
    distinct : list
        Distinct labels.
    """
    try:
        ordered = sorted(distinct)
        # Sets, for example, compare by inclusion, so sorting them does not order them.
        is_order = all(a < b for a, b in pairwise(ordered))
    except (TypeError, ValueError):
        return distinct
    return ordered if is_order else distinct


def number_of_continuous_labels(numbers: NDArray[np.float64]) -> int:
    """Return the number of distinct labels if they look like a regression target, else 0.

    Parameters
    ----------
    numbers : ndarray of float64
        Finite labels, or NaN for missing labels, which the data checks refuse unless the row has
        weight zero.
    """
    numbers = numbers[~np.isnan(numbers)]
    if (numbers == np.floor(numbers)).all():
        return 0
    distinct = np.unique(numbers).size
    many = distinct > _MAX_FRACTIONAL_CLASSES or distinct > max(2, numbers.size // 2)
    return distinct if many else 0


def _from_objects(labels: list[Any]) -> NDArray[Any]:
    """Return an array of a numpy dtype if that keeps the labels; the classes then have it too."""
    kinds = {type(label) for label in labels}
    if kinds <= {str, np.str_} or kinds <= {bool, np.bool_}:
        return np.asarray(labels)
    # Exact types, because numpy would replace members of an IntEnum by plain integers.
    if all(kind in (int, float) or issubclass(kind, np.integer | np.floating) for kind in kinds):
        mixed = any(issubclass(kind, float | np.floating) for kind in kinds)
        if not mixed or all(not abs(label) > _MAX_EXACT_INTEGER for label in labels):
            array = np.asarray(labels)
            return array if array.dtype.kind in "iuf" else _object_array(labels)
    return _object_array(labels)


def _object_array(labels: list[Any]) -> NDArray[Any]:
    # Filled in a loop, because numpy would spread tuples over a second dimension.
    array = np.empty(len(labels), dtype=object)
    for row, label in enumerate(labels):
        array[row] = label
    return array


def _missing(row: int) -> str:
    return f"y, row {row}: the label is missing (NaN or None). (Rows are counted from 0.)"
