"""Checks of what is asked as a whole: prices without errors, limits that a regression lacks."""

from fractions import Fraction
from typing import Any

from exactree.data.targets import GREATEST_TARGET
from exactree.objectives import ERROR_TERMS
from exactree.objectives.errors import plain
from exactree.problem.limits import Limits

__all__ = ["check_penalty", "check_regression"]


def check_penalty(penalty: Fraction, quantities: tuple[str, ...], stated: Any, name: str) -> None:
    """Refuse a price of leaves where no errors are minimized.

    Parameters
    ----------
    penalty : Fraction
        The price of a leaf.
    quantities : tuple of str
        What is minimized.
    stated : object
        How the user said so.
    name : str
        The parameter that said so, for the message.

    Raises
    ------
    ValueError
        If there is a price and no kind of errors.
    """
    if penalty > 0 and not any(term in quantities for term in ERROR_TERMS):
        raise ValueError(
            f"leaf_penalty must be 0 unless 'errors' is in {name}, or 'squared_error' or "
            f"'absolute_error' of a regression, got {plain(penalty)} with {name}={stated!r}."
        )


def check_regression(limits: Limits, penalty: Fraction, minimize: Any, class_weight: Any) -> None:
    """Refuse what only classes have, and a price that floats cannot hold.

    Parameters
    ----------
    limits : Limits
        What the user stated.
    penalty : Fraction
        The price of a leaf.
    minimize : object
        What is minimized, for messages.
    class_weight : object
        What the user stated.

    Raises
    ------
    ValueError
        If one of these does not go with a regression.
    """
    if penalty > GREATEST_TARGET:
        raise ValueError("leaf_penalty must be at most 2**400 in a regression.")
    for name in ("max_errors", "max_leaves_of"):
        if getattr(limits, name) is not None:
            raise ValueError(
                f"{name} limits errors or leaves of classes; a regression has none, got it with "
                f"minimize={minimize!r}."
            )
    if class_weight is not None:
        raise ValueError(
            "class_weight weighs classes; a regression has none, got it with "
            f"minimize={minimize!r}."
        )
