"""The cells of a model: one example for all rows that no rule of the model distinguishes.

A cell is a choice of one interval between neighbouring thresholds, or of one code, for every
feature that the model uses. The model predicts a single class in each cell. A tree that uses only
rules of the model predicts the same everywhere if it does so for one example of every cell. And
some smallest tree that predicts the same everywhere uses only rules of the model: a threshold
strictly between two neighbouring thresholds of the model can be replaced by either of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from math import inf, prod
from typing import TYPE_CHECKING

import numpy as np

from exactree.compress.model import InputModel
from exactree.data.parameters import count

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


@dataclass(frozen=True)
class Axis:
    """A feature of a model, and a representative value for each of its cells.

    Attributes
    ----------
    feature : int
        The feature.
    thresholds, codes : tuple of float
        The numbers in its rules.
    values : tuple of float
        A value for every cell of the feature, ascending except next to codes.
    """

    feature: int
    thresholds: tuple[float, ...]
    codes: tuple[float, ...]
    values: tuple[float, ...]


@dataclass(frozen=True)
class Cells:
    """The cells of a model.

    Attributes
    ----------
    axes : tuple of Axis
        The features that change predictions.
    labels : ndarray of int64
        The class index of every cell, with one dimension for each axis.
    """

    axes: tuple[Axis, ...]
    labels: NDArray[np.int64]


def cells_of(model: InputModel, max_cells: int) -> Cells:
    """Return the cells of a model, ignoring rules that change no prediction.

    Parameters
    ----------
    model : InputModel
        The model.
    max_cells : int
        Maximum number of cells.

    Raises
    ------
    ValueError
        If there are more cells.
    """
    features = sorted({*model.thresholds, *model.codes})
    axes = [_axis(model, feature) for feature in features]
    number = prod(len(axis.values) for axis in axes)
    if number > max_cells:
        rules = sum(len(axis.thresholds) + len(axis.codes) for axis in axes)
        raise ValueError(
            f"The {count(rules, 'rule')} of the model on {count(len(axes), 'feature')} give "
            f"{number:,} cells, more than max_cells={max_cells:,}; a model with fewer thresholds "
            "has fewer cells."
        )
    shape = [len(axis.values) for axis in axes]
    X = np.zeros((number, len(model.feature_names)))
    for axis, places in zip(axes, places_of(shape), strict=True):
        X[:, axis.feature] = np.array(axis.values)[places]
    labels = model.predict_index(X).reshape(shape)
    for dimension, axis in enumerate(axes):
        axes[dimension], labels = _merged(axis, labels, dimension)
    kept = tuple(axis for axis in axes if len(axis.values) > 1)
    return Cells(kept, labels.reshape([len(axis.values) for axis in kept]))


def places_of(shape: Sequence[int]) -> NDArray[np.int64]:
    """Return the index on every axis (row) of every cell (column), in the order of `ravel`."""
    return np.indices(shape).reshape(len(shape), prod(shape))


def _axis(model: InputModel, feature: int) -> Axis:
    """Return a feature with a value for each of its cells."""
    thresholds, codes = model.thresholds.get(feature, ()), model.codes.get(feature, ())
    values: list[float] = []
    for low, high in pairwise((-inf, *thresholds, inf)):
        inside = {code for code in codes if low < code <= high}
        other = _other(low, high, inside)
        values += [*sorted(inside), *([] if other is None else [other])]
    return Axis(feature, thresholds, codes, tuple(values))


def _other(low: float, high: float, codes: set[float]) -> float | None:
    """Return a finite number in (low, high] that is not among the codes, if there is any."""
    if high < inf:
        value, towards = high, -inf
    else:
        value, towards = (0.0 if low == -inf else float(np.nextafter(low, inf))), inf
    while value in codes:
        value = float(np.nextafter(value, towards))
    return value if low < value <= high and value < inf else None


def _merged(
    axis: Axis, labels: NDArray[np.int64], dimension: int
) -> tuple[Axis, NDArray[np.int64]]:
    """Remove thresholds that change no prediction, for any values of the other features.

    If two neighbouring intervals have the same classes for all values of the other features, the
    first interval is removed with the threshold between them. This does not change the minimum
    size: a tree for the complete table also fits the reduced table; and a tree for the reduced
    table never separates the two intervals, so it predicts the same class for both.
    """
    if axis.codes:
        return axis, labels
    slabs = np.moveaxis(labels, dimension, 0)
    # An interval is kept if the classes of the next interval differ: the threshold is needed.
    kept = [
        number
        for number in range(len(axis.values))
        if number + 1 == len(axis.values) or not np.array_equal(slabs[number], slabs[number + 1])
    ]
    ends = tuple(axis.thresholds[number] for number in kept[:-1])
    values = tuple(axis.values[number] for number in kept)
    return replace(axis, thresholds=ends, values=values), np.take(labels, kept, axis=dimension)
