"""Unknown values of `minimize`, `rules` and `method`: our value, or the nearest one."""

from collections.abc import Iterable
from inspect import isclass
from typing import Any

from exactree.names.foreign import METHODS, QUANTITIES, RULES, ForeignNames
from exactree.names.unknown import suggestion

__all__ = ["suggested_method", "suggested_quantity", "suggested_rules"]

# Families that are called without arguments; others take a degree or a list.
_ARGUMENTS = {"AxisParallel": "", "Hyperplanes": "", "Hypersurfaces": "2"}


def suggested_quantity(name: Any, allowed: Iterable[str]) -> str:
    """Return the end of a message: "; use 'f1_error', which is 1 - F1.", or the nearest of ours.

    Parameters
    ----------
    name : object
        A name in the user's `minimize`.
    allowed : iterable of str
        The quantities that can be minimized.
    """
    return _suggested(name, QUANTITIES, allowed)


def suggested_method(name: Any, allowed: Iterable[str]) -> str:
    """Return our method for a foreign name, or the nearest of ours.

    Parameters
    ----------
    name : object
        The user's `method`.
    allowed : iterable of str
        The methods.
    """
    return _suggested(name, METHODS, allowed)


def suggested_rules(rules: Any) -> str:
    """Return how to write a family that is given as text, as its class or as a list.

    Parameters
    ----------
    rules : object
        The user's argument.
    """
    if isclass(rules) and rules.__module__.startswith("exactree.rules"):
        arguments = _ARGUMENTS.get(rules.__name__, "[...]")
        return f"; call the class: rules.{rules.__name__}({arguments})."
    if isinstance(rules, list | tuple):
        return "; several families are rules.Mixed([...])."
    if not isinstance(rules, str):
        return "."
    name = rules.lower()
    if name in RULES:
        ours, explanation = RULES[name]
        return f"; use {ours} ({explanation})."
    return suggestion(name, RULES)


def _suggested(name: Any, foreign: ForeignNames, allowed: Iterable[str]) -> str:
    allowed = list(allowed)
    key = name.lower() if isinstance(name, str) else name
    if key in allowed:
        return f"; write {key!r}."
    if isinstance(key, str) and key in foreign:
        ours, explanation = foreign[key]
        if not ours:
            return f"; {explanation}."
        return f"; use {ours!r}{', ' if explanation else ''}{explanation}."
    return suggestion(key, allowed)
