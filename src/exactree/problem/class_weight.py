"""Class weights: exact factors on the weights of the rows of each class."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import gcd, inf, lcm
from typing import Any

import numpy as np

from exactree.data.dataset import Dataset
from exactree.data.weights import greatest_total, integer_weights
from exactree.objectives.errors import class_weights
from exactree.problem.parameters import exact_number

__all__ = ["weigh_classes", "with_factors"]


def weigh_classes(dataset: Dataset, class_weight: Any, penalty_denominator: int | None) -> Dataset:
    """Multiply the weights of a table by factors of the classes.

    Parameters
    ----------
    dataset : Dataset
        The table.
    class_weight : mapping of label to number, "balanced" or None
        As in `Problem`.
    penalty_denominator : int or None
        Denominator of the leaf penalty, if there is one.

    Returns
    -------
    Dataset
        The table with integer weights that are exact on a common scale. If that takes more than
        62 bits, they are rounded, and `weight_rounding` is the relative error.

    Raises
    ------
    ValueError, TypeError
        If the factors are not allowed; the message names the label.
    """
    if class_weight is None:
        return dataset
    totals = class_weights(dataset)
    factors = _factors(class_weight, dataset.classes.tolist(), totals)
    return with_factors(dataset, factors, penalty_denominator, "class_weight")


def with_factors(
    dataset: Dataset, factors: list[Fraction], penalty_denominator: int | None, parameter: str
) -> Dataset:
    """Multiply the weights of a table by exact factors, one for each class.

    Parameters
    ----------
    dataset : Dataset
        The table.
    factors : list of Fraction
        Positive, one for each class.
    penalty_denominator : int or None
        As in `weigh_classes`.
    parameter : str
        The parameter that gives the factors, for messages.

    Raises
    ------
    ValueError
        If the weights with their factors are too large, or too small.
    """
    labels, weights = dataset.labels, dataset.weights
    totals = class_weights(dataset)
    scale = lcm(*(factor.denominator for factor in factors))
    whole = [int(factor * scale) for factor in factors]
    total = sum(factor * of_class for factor, of_class in zip(whole, totals, strict=True))
    if total >= greatest_total(penalty_denominator, len(weights)):
        return _rounded(dataset, factors, penalty_denominator, parameter)
    weights = weights * np.array(whole, dtype=np.int64)[labels]
    scale *= dataset.weight_scale
    shared = gcd(int(np.gcd.reduce(weights)), scale)
    return replace(dataset, weights=weights // shared, weight_scale=scale // shared)


def _rounded(
    dataset: Dataset, factors: list[Fraction], penalty_denominator: int | None, parameter: str
) -> Dataset:
    """Multiply by factors with a common denominator that is too large."""
    floats = np.array([_nearest(factor) for factor in factors])[dataset.labels]
    given = dataset.weights.astype(np.float64) / dataset.weight_scale
    with np.errstate(over="ignore"):  # an infinite weight is refused as too large below
        # A row keeps a positive weight, however small its factor.
        weights = np.maximum(given * floats, np.nextafter(0.0, 1.0))
    place = f"{parameter}: the total of all weights times the factors of their classes"
    exact = integer_weights(weights, penalty_denominator, place)
    # A weight, its factor and their product are each rounded to a float64 once.
    rounding = exact.rounding + dataset.weight_rounding + 2.0**-51
    return replace(
        dataset, weights=exact.weights, weight_scale=exact.scale, weight_rounding=rounding
    )


def _nearest(factor: Fraction) -> float:
    """Return the nearest float, infinity for a fraction beyond the range of floats."""
    try:
        return float(factor)
    except OverflowError:
        return inf


def _factors(class_weight: Any, classes: list[Any], totals: list[int]) -> list[Fraction]:
    """Return the factor of every class, given the total weight of every class."""
    if isinstance(class_weight, str) and class_weight == "balanced":
        return [Fraction(sum(totals), len(totals) * total) for total in totals]
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f'class_weight must be a mapping of labels to numbers, "balanced" or None, got '
            f"{class_weight!r}."
        )
    stated = {
        label: exact_number(f"class_weight[{label!r}]", value, "a finite number > 0")
        for label, value in class_weight.items()
    }
    for label, factor in stated.items():
        if factor == 0:
            raise ValueError(
                f"class_weight[{label!r}] must be a finite number > 0, got 0; leave out the rows "
                "of that class instead."
            )
    unknown = [label for label in stated if label not in classes]
    unweighted = [label for label in classes if label not in stated]
    # A fold may lack a class. A misspelt label, however, leaves a class of y without a factor.
    if unknown and unweighted:
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is no label of y, and has no factor for "
            f"{unweighted[0]!r}."
        )
    return [stated.get(label, Fraction(1)) for label in classes]
