"""Checks of numbers that a user gives as parameters; text for numbers and values in messages."""

from decimal import Decimal
from math import inf, isfinite
from numbers import Real
from operator import index
from typing import Any

import numpy as np

__all__ = [
    "MAX_COUNT",
    "checked_integer",
    "checked_share",
    "count",
    "finite_float",
    "is_number",
    "shortened",
    "shown",
]

# Upper bound on numbers of features, examples, categories and so on in risk bounds.
MAX_COUNT = 10**18

# Longer numbers and longer texts are shortened in messages.
_LONG_NUMBER, _LONG_TEXT = 10**40, 100


def count(number: int, thing: str) -> str:
    """Return a number and its noun, in the plural where it applies."""
    plural = thing + ("es" if thing.endswith("s") else "s")
    return f"{number:,} {thing if number == 1 else plural}"


def shortened(number: int) -> str:
    """Return a number in full, or with two digits if it is very large."""
    return f"{number:,}" if number < 10**15 else f"{Decimal(number):.1e}"


def shown(value: Any) -> str:
    """Return a user's value as text for a message: on one line, and shortened if it is long."""
    if isinstance(value, int | np.integer) and abs(int(value)) >= _LONG_NUMBER:
        return f"an integer of {int(value).bit_length()} bits"
    try:
        text = " ".join(repr(value).split())
    except ValueError:  # it contains an integer of more digits than Python writes
        return f"a {type(value).__name__} of very many digits"
    return text if len(text) <= _LONG_TEXT else f"{text[:_LONG_TEXT]}..."


def finite_float(name: str, value: Any) -> float:
    """Return a parameter as a float.

    Parameters
    ----------
    name : str
        The parameter's name.
    value : object
        The user's argument.

    Raises
    ------
    ValueError
        If it is not a real number, or too large for a float.
    """
    try:
        number = float(value) if is_number(value) else inf
    except OverflowError:  # an integer too large for a float
        number = inf
    if not isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {shown(value)}.")
    return number


def is_number(value: Any) -> bool:
    """Return whether a parameter is a real number; True, False and nan are not.

    Parameters
    ----------
    value : object
        The user's argument.
    """
    if isinstance(value, bool):
        return False
    # Only nan differs from itself; math.isnan fails for an integer too large for a float.
    return isinstance(value, Real) and bool(value == value)


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
