"""Checks of single parameters: whole numbers and exact numbers, each refused in one sentence."""

from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any

import numpy as np

__all__ = ["exact_number", "whole_number"]


def whole_number(name: str, value: Any, least: int, allowed: str) -> int:
    """Return a parameter as an int.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        What the user gave; True and False are not whole numbers.
    least : int
        The least allowed value.
    allowed : str
        What is allowed, to end the sentence "max_depth must be ...".

    Raises
    ------
    ValueError
        If the value is not a whole number or too small.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
        raise ValueError(f"{name} must be {allowed}, got {value!r}.")
    return int(value)


def exact_number(name: str, value: Any, allowed: str) -> Fraction:
    """Return a non-negative parameter exactly; a float is read by its shortest decimal form.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        What the user gave, so that 0.01 means 1/100.
    allowed : str
        What is allowed, to end the sentence "leaf_penalty must be ...".

    Raises
    ------
    ValueError
        If the value is not a number, not finite, or negative.
    """
    number: Fraction | None = None
    if isinstance(value, bool):
        pass  # an int to Python, but no number a user means
    elif isinstance(value, float | np.floating) and np.isfinite(value):
        number = Fraction(str(value))  # str, because repr of a numpy number is not its digits
    elif isinstance(value, Decimal) and value.is_finite():
        number = Fraction(value)
    elif isinstance(value, Rational | np.integer):
        number = Fraction(int(value.numerator), int(value.denominator))
    if number is None or number < 0:
        raise ValueError(f"{name} must be {allowed}, got {value!r}.")
    return number
