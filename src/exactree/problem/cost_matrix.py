"""Cost matrix: exact costs of predictions, by true and by predicted class."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np

from exactree.data.dataset import Dataset
from exactree.data.labels import encode, read_labels
from exactree.data.weights import TOTAL_LIMIT
from exactree.problem.parameters import exact_number

__all__ = ["Costs", "read_costs", "with_room_for_costs"]

# Indexed by true and by predicted class.
Costs = tuple[tuple[Fraction, ...], ...]


def read_costs(dataset: Dataset, cost_matrix: Any) -> tuple[Dataset, Costs | None]:
    """Return a table that has a class for every label the matrix names, and the exact costs.

    Parameters
    ----------
    dataset : Dataset
        The table.
    cost_matrix : mapping of label to mapping of label to number, square array, or None
        As in `Problem`.

    Raises
    ------
    ValueError
        If the costs are invalid; the message names the labels.
    """
    if cost_matrix is None:
        return dataset, None
    if isinstance(cost_matrix, Mapping):
        return _of_mapping(dataset, cost_matrix)
    return dataset, _of_array(dataset, cost_matrix)


def with_room_for_costs(dataset: Dataset, costs: Costs | None, priced: bool) -> Dataset:
    """Scale fractional weights so that weights times costs fit into 62 bits.

    The integers that stand for fractional weights use all 62 bits (see `integer_weights`), so their
    last bits are rounded away here, and `weight_rounding` grows by the relative error. Whole
    weights are never rounded.

    Parameters
    ----------
    dataset : Dataset
        The table.
    costs : tuple of tuple of Fraction or None
        The cost matrix.
    priced : bool
        Whether leaves have a price, which takes further bits (see `LeafPrice`).
    """
    if costs is None or dataset.weight_scale == 1:
        return dataset
    cells = [cost for row in costs for cost in row]
    scale = lcm(*(cost.denominator for cost in cells))
    factor = max(int(max(cells) * scale), 1) * (8 * len(dataset.X) if priced else 2)
    excess_bits = (dataset.total_weight * factor // TOTAL_LIMIT).bit_length()
    # The scale stays an integer: it is divided by powers of two only.
    max_bits = (dataset.weight_scale & -dataset.weight_scale).bit_length() - 1
    bits = min(excess_bits, max_bits)
    weights = np.maximum((dataset.weights + ((1 << bits) >> 1)) >> bits, 1)
    relative_errors = np.abs((weights << bits) - dataset.weights) / dataset.weights
    return replace(
        dataset,
        weights=weights,
        weight_scale=dataset.weight_scale >> bits,
        weight_rounding=dataset.weight_rounding + float(relative_errors.max()),
    )


def _of_mapping(dataset: Dataset, cost_matrix: Mapping[Any, Any]) -> tuple[Dataset, Costs]:
    """Read costs by labels; by default a wrong prediction costs 1 and a right prediction 0."""
    named: dict[Any, None] = {}
    for true, row in cost_matrix.items():
        if not isinstance(row, Mapping):
            raise ValueError(
                f"cost_matrix[{true!r}] must map predicted labels to numbers, got {row!r}."
            )
        named |= dict.fromkeys([true, *row])
    dataset = _with_classes(dataset, list(named))
    labels = dataset.classes.tolist()
    rows = [[Fraction(int(true != predicted)) for predicted in labels] for true in labels]
    for true, row in cost_matrix.items():
        for predicted, cost in row.items():
            name = f"cost_matrix[{true!r}][{predicted!r}]"
            rows[labels.index(true)][labels.index(predicted)] = _cost(name, cost)
    return dataset, tuple(map(tuple, rows))


def _of_array(dataset: Dataset, cost_matrix: Any) -> Costs:
    """Read costs as a square array in the order of the classes."""
    labels = dataset.classes.tolist()
    rows = cost_matrix.tolist() if isinstance(cost_matrix, np.ndarray) else cost_matrix
    square = isinstance(rows, Sequence) and not isinstance(rows, str)
    square = square and all(isinstance(row, Sequence) and len(row) == len(labels) for row in rows)
    if not square or len(rows) != len(labels):
        raise ValueError(
            "cost_matrix must map labels to mappings of labels to numbers, or be an array of "
            f"{len(labels)} rows and columns, the true and the predicted classes in the order "
            f"{labels!r}, got {cost_matrix!r}."
        )
    return tuple(
        tuple(
            _cost(f"cost_matrix[{true!r}][{predicted!r}]", cost)
            for predicted, cost in zip(labels, row, strict=True)
        )
        for true, row in zip(labels, rows, strict=True)
    )


def _cost(name: str, cost: Any) -> Fraction:
    return exact_number(name, cost, "a finite number >= 0")


def _with_classes(dataset: Dataset, labels: list[Any]) -> Dataset:
    """Return the table with classes for all labels, including labels that no example has."""
    present = dataset.classes.tolist()
    new = [label for label in labels if label not in present]
    if not new:
        return dataset
    all_labels = read_labels([*present, *new])
    codes, classes = encode(all_labels, np.arange(len(all_labels)))
    return replace(dataset, classes=classes, labels=codes[dataset.labels])
