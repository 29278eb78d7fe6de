"""Targets of estimators: column vectors are flattened, regression targets refused as classes."""

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import DataConversionWarning

from exactree.data.labels import number_of_continuous_labels, read_labels
from exactree.errors import level_of_user

__all__ = [
    "class_labels",
    "flattened",
    "refuse_regression_target",
]


def class_labels(y: Any) -> NDArray[Any]:
    """Return the target as a one-dimensional array of the user's values.

    Parameters
    ----------
    y : array-like or series
        One label per row; a table of one column is flattened with scikit-learn's
        ``DataConversionWarning``.

    Returns
    -------
    ndarray
        One label per example.

    Raises
    ------
    ValueError
        If y is None or not one-dimensional.
    """
    return read_labels(flattened(y))


def flattened(y: Any) -> Any:
    """Flatten a target that is a table of one column; return any other target unchanged.

    Parameters
    ----------
    y : array-like or series
        One label per row; a column vector raises scikit-learn's ``DataConversionWarning``.
    """
    if isinstance(y, list) and any(isinstance(row, list) for row in y):
        y = np.asarray(y, dtype=object)  # rows of different lengths are refused as labels
    shape: tuple[int, ...] = getattr(y, "shape", ())
    if len(shape) == 2 and shape[1] == 1:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples, ), for example using ravel().",
            DataConversionWarning,
            stacklevel=level_of_user(),
        )
        y = np.asarray(y).ravel()
        y = y.tolist() if y.dtype == object else y
    return y


def refuse_regression_target(labels: NDArray[Any]) -> None:
    """Refuse real numbers that look like a quantity rather than classes.

    Whole numbers are always labels. If some values have a fractional part, labels are refused if
    there are more than 20 distinct values, or more than two and more than half as many as rows.
    So 0.5 and 1.5 are two classes, but 200 measurements are not 200 classes.

    Parameters
    ----------
    labels : ndarray
        One label per example, from `class_labels`.

    Raises
    ------
    ValueError
        If the labels look like a regression target, or one is infinite.
    """
    numbers = _as_floats(labels)
    if numbers is None:
        return
    infinite = np.isinf(numbers)
    if infinite.any():
        row = int(np.argmax(infinite))
        raise ValueError(f"y, row {row}: the label is infinite (inf). (Rows are counted from 0.)")
    distinct = number_of_continuous_labels(numbers)
    if distinct:
        raise ValueError(
            f"Unknown label type: continuous. y has {distinct:,} distinct values in "
            f"{labels.size:,} rows, some with a fractional part, which looks like a regression "
            "target (OptimalTreeRegressor takes those); if they are classes, pass them as text."
        )


def _as_floats(labels: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return the labels as float64 if they are floats, also in an array of objects."""
    if labels.dtype.kind == "O":
        kinds = {type(label) for label in labels}
        if not all(issubclass(kind, float | np.floating) for kind in kinds):
            return None
    elif labels.dtype.kind != "f":
        return None
    return labels.astype(np.float64)
