"""Whole numbers and shares that a user gives: one clear sentence for each that cannot be."""

from operator import index
from typing import Any

import numpy as np

from exactree.data.features import shown

# Numbers of features, examples, categories and so on: more than any table has.
MOST = 10**18


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """Return a parameter as an int, refusing what is no whole number, too small or too large."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, found {shown(value)}.") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, found {shown(value)}.")
    if number < least:
        raise ValueError(f"{name} must be at least {least}, found {shown(number)}.")
    if most is not None and number > most:
        raise ValueError(f"{name} must be at most {most:,}, found {shown(number)}.")
    return number


def share(name: str, value: Any) -> float:
    """Return a parameter as a float, refusing what is not strictly between 0 and 1."""
    if not isinstance(value, int | float | np.floating) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, found {shown(value)}.")
    return float(value)
