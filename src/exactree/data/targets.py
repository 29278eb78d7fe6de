"""Encoding of the numeric labels of a regression."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from exactree.data.numbers import object_column, plain_column

__all__ = ["MAX_TARGET", "encode_targets"]

# Sums of squares, weighted with integers below 2**62, stay within float64.
MAX_TARGET = 2.0**400
_ADVICE = "a regression predicts numbers; for classes use minimize='errors' or a classifier"


def encode_targets(
    labels: NDArray[Any], kept: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the index of each label among the distinct labels, and the distinct labels.

    Parameters
    ----------
    labels : ndarray
        The labels of the kept rows.
    kept : ndarray of int
        Index of each row in the user's table.

    Returns
    -------
    tuple of (ndarray of int64, ndarray of float64)
        The distinct labels are sorted.

    Raises
    ------
    ValueError, TypeError
        If a label is not a finite number; the message names the row.
    """
    numbers = _numbers(labels)
    finite = np.isfinite(numbers)
    if not finite.all():
        row = int(np.argmin(finite))
        fault = "missing (NaN)" if np.isnan(numbers[row]) else f"infinite ({numbers[row]})"
        raise ValueError(
            f"y, row {int(kept[row])}: the label is {fault}; a regression needs a finite number in "
            "every row. (Rows are counted from 0.)"
        )
    large = np.abs(numbers) > MAX_TARGET
    if large.any():
        row = int(np.argmax(large))
        raise ValueError(
            f"y, row {int(kept[row])}: the label {numbers[row]:g} is beyond 2**400, and float64 "
            "cannot hold its square; divide all labels by a common factor. "
            "(Rows are counted from 0.)"
        )
    classes, codes = np.unique(numbers + 0.0, return_inverse=True)  # -0.0 becomes 0.0
    return codes.astype(np.int64).reshape(-1), classes


def _numbers(labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return the labels as float64, NaN for missing labels."""
    if labels.dtype.kind == "O":
        return object_column(labels.tolist(), "y", _ADVICE)
    return plain_column(labels, "y", advice=_ADVICE)
