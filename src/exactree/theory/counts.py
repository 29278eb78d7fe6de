"""Whole numbers and shares that a user gives: one clear sentence for each that cannot be."""

from operator import index
from typing import Any

import numpy as np


def whole(name: str, value: Any, least: int) -> int:
    """Return a parameter as an int, refusing what is no whole number or too small."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, found {value!r}.") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, found {value!r}.")
    if number < least:
        raise ValueError(f"{name} must be at least {least}, found {number}.")
    return number


def share(name: str, value: Any) -> float:
    """Return a parameter as a float, refusing what is not strictly between 0 and 1."""
    if not isinstance(value, int | float | np.floating) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, found {value!r}.")
    return float(value)
