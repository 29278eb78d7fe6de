"""Class weights: exact factors on the weights of the rows of each class."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import gcd, inf, lcm
from typing import Any

import numpy as np

from exactree.data.dataset import Dataset
from exactree.data.weights import bits_for_rounding, total_limit
from exactree.objectives.errors import weight_by_class
from exactree.problem.parameters import exact_number

__all__ = ["integer_scale", "rounding_of_errors", "weigh_classes", "with_factors"]


def weigh_classes(dataset: Dataset, class_weight: Any, penalty_denominator: int | None) -> Dataset:
    """Multiply the weights of a table by factors of the classes.

    Parameters
    ----------
    dataset : Dataset
        The table.
    class_weight : mapping of label to number, "balanced" or None
        As in `Problem`.
    penalty_denominator : int or None
        Denominator of the leaf penalty, None without a penalty.

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
    totals = weight_by_class(dataset)
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
    integer_factors, scale, class_gcds = _integer_factors(dataset, factors)
    pairs = zip(class_gcds, integer_factors, strict=True)
    # For each class the common divisor of its weights after multiplication by its factor.
    units = [class_gcd * factor for class_gcd, factor in pairs]
    # Weights are divided by their common divisor before they can become too large.
    divisor = gcd(scale, *units)
    totals = weight_by_class(dataset)
    total = sum(factor * of_class for factor, of_class in zip(integer_factors, totals, strict=True))
    if total // divisor >= total_limit(penalty_denominator, len(dataset.weights)):
        return _rounded(dataset, factors, penalty_denominator, parameter)
    class_divisors = np.array([max(class_gcd, 1) for class_gcd in class_gcds], dtype=np.int64)
    weights = dataset.weights // class_divisors[dataset.labels]
    weights *= np.array([unit // divisor for unit in units], dtype=np.int64)[dataset.labels]
    return replace(dataset, weights=weights, weight_scale=scale // divisor)


def integer_scale(dataset: Dataset, factors: list[Fraction]) -> Fraction:
    """Return the smallest number that turns weights times factors into integers.

    The weights are those of the user. The integers have no common divisor above 1.

    Parameters
    ----------
    dataset : Dataset
        The table.
    factors : list of Fraction
        Positive, one for each class.
    """
    integer_factors, scale, class_gcds = _integer_factors(dataset, factors)
    pairs = zip(class_gcds, integer_factors, strict=True)
    return Fraction(scale, gcd(*(class_gcd * factor for class_gcd, factor in pairs)))


def _integer_factors(dataset: Dataset, factors: list[Fraction]) -> tuple[list[int], int, list[int]]:
    """Return integer factors, their scale, and the greatest common divisor of each class's weights.

    The scale is the integer that stands for a weight of 1 after multiplication by the factors.
    """
    scale = lcm(*(factor.denominator for factor in factors))
    class_gcds = np.zeros(len(factors), dtype=np.int64)
    np.gcd.at(class_gcds, dataset.labels, dataset.weights)
    integer_factors = [int(factor * scale) for factor in factors]
    return integer_factors, scale * dataset.weight_scale, class_gcds.tolist()


def _rounded(
    dataset: Dataset, factors: list[Fraction], penalty_denominator: int | None, parameter: str
) -> Dataset:
    """Round every weight times its factor to the nearest integer on a power-of-two scale, once."""
    labels, weights, scale = dataset.labels, dataset.weights, dataset.weight_scale
    place = f"{parameter}: the total of all weights times the factors of their classes"
    totals = weight_by_class(dataset)
    exact = sum((f * of_class for f, of_class in zip(factors, totals, strict=True)), Fraction(0))
    limit = total_limit(penalty_denominator, len(weights))
    bits = bits_for_rounding(exact / scale, len(weights), limit, place)
    # Each distinct pair of label and weight is rounded once.
    order = np.lexsort((weights, labels))
    pairs = np.stack((labels[order], weights[order]))
    is_new = np.append(True, (pairs[:, 1:] != pairs[:, :-1]).any(axis=0))
    rounded, rounding = [], Fraction(0)
    for label, weight in pairs[:, is_new].T.tolist():
        numerator = (weight * factors[label].numerator) << bits
        denominator = factors[label].denominator * scale
        # A row keeps a positive weight, however small its factor.
        nearest = max((2 * numerator + denominator) // (2 * denominator), 1)
        rounded.append(nearest)
        rounding = max(rounding, abs(Fraction(nearest * denominator, numerator) - 1))
    new_weights = np.empty_like(weights)
    new_weights[order] = np.array(rounded, dtype=np.int64)[np.cumsum(is_new) - 1]
    rounding_so_far = dataset.weight_rounding + _nearest_float(rounding)
    return replace(
        dataset, weights=new_weights, weight_scale=1 << bits, weight_rounding=rounding_so_far
    )


def rounding_of_errors(dataset: Dataset) -> tuple[Fraction, Fraction]:
    """Return the maximum excess and the maximum shortfall of errors due to rounded weights.

    Parameters
    ----------
    dataset : Dataset
        A result of `with_factors` whose exact weights take more than 62 bits. Rounding changes a
        weight by at most half a unit, or by less than one unit if it raises the weight to one.

    Returns
    -------
    tuple of Fraction
        Both in the unit of the user's weights times factors.
    """
    rows, rows_of_weight_one = len(dataset.weights), int((dataset.weights == 1).sum())
    # Every row of weight one may be raised by nearly one unit, instead of half a unit.
    excess, shortfall = Fraction(rows + rows_of_weight_one, 2), Fraction(rows, 2)
    return excess / dataset.weight_scale, shortfall / dataset.weight_scale


def _nearest_float(number: Fraction) -> float:
    """Return the nearest float, infinity for a fraction beyond the range of floats."""
    try:
        return float(number)
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
    given = {
        label: exact_number(f"class_weight[{label!r}]", value, "a finite number > 0")
        for label, value in class_weight.items()
    }
    for label, factor in given.items():
        if factor == 0:
            raise ValueError(
                f"class_weight[{label!r}] must be a finite number > 0, got 0; leave out the rows "
                "of that class instead."
            )
    unknown = [label for label in given if label not in classes]
    unweighted = [label for label in classes if label not in given]
    # A fold may lack a class. A misspelt label, however, leaves a class of y without a factor.
    if unknown and unweighted:
        raise ValueError(
            f"class_weight names {unknown[0]!r}, which is not a label of y, and has no factor for "
            f"{unweighted[0]!r}."
        )
    return [given.get(label, Fraction(1)) for label in classes]
