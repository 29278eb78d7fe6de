"""Checks of integers and shares that a user gives."""

from operator import index
from typing import Any

import numpy as np

from exactree.data.features import shown

# Upper bound on numbers of features, examples, categories and so on.
MAX_COUNT = 10**18


def checked_integer(name: str, value: Any, minimum: int, maximum: int | None = None) -> int:
    """Return a parameter as an int, refusing values that are not integers or out of range."""
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{name} must be a whole number, found {shown(value)}.") from None
    if isinstance(value, bool):
        raise TypeError(f"{name} must be a whole number, found {shown(value)}.")
    if number < minimum:
        raise ValueError(f"{name} must be at least {minimum}, found {shown(number)}.")
    if maximum is not None and number > maximum:
        raise ValueError(f"{name} must be at most {maximum:,}, found {shown(number)}.")
    return number


def checked_share(name: str, value: Any) -> float:
    """Return a parameter as a float, refusing values that are not strictly between 0 and 1."""
    if not isinstance(value, int | float | np.floating) or not 0 < value < 1:
        raise ValueError(f"{name} must be a number between 0 and 1, found {shown(value)}.")
    return float(value)
