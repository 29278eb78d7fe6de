"""Quantities that are minimized, and costs: their values, alone or in lexicographic order."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

from exactree.names import suggested_quantity
from exactree.objectives import ENSEMBLE_OBJECTIVES, ERROR_TERMS, OBJECTIVES, RATES
from exactree.problem.parameters import exact_number

__all__ = [
    "ENSEMBLE_LIMITS",
    "Cost",
    "Number",
    "allowed_quantities",
    "as_tuple",
    "cost_in_words",
    "error_term",
    "quantity_of",
    "read_quantities",
    "refuse_list",
    "relative_gap",
    "shown_cost",
    "slack_of",
    "within_slack",
]

# Errors of a regression are floats: the denominators of the exact fractions are unreadable.
Number = int | Fraction | float
Cost = Number | tuple[Number, ...]

# Quantities whose values are counts or weights of something.
_COUNTED = {
    "errors": "error",
    "false_negatives": "false negative",
    "false_positives": "false positive",
    "n_trees": "tree",
}
# The limit of `Limits` on each quantity of an ensemble; there is none on the total depth.
ENSEMBLE_LIMITS = {
    "total_size": "max_total_size",
    "largest_size": "max_size",
    "largest_depth": "max_depth",
    "total_depth": None,
    "errors": "max_errors",
}
# Below it, six digits show the integer digits of a number.
_LARGE = 10**6


def allowed_quantities(n_trees: int) -> tuple[str, ...]:
    """Return the quantities that can be minimized over one tree, or over ensembles.

    Parameters
    ----------
    n_trees : int
        Trees of an ensemble.
    """
    return (*OBJECTIVES, *RATES) if n_trees == 1 else ("errors", *ENSEMBLE_OBJECTIVES, *RATES)


def quantity_of(name: str, n_trees: int) -> str:
    """Return the name of a quantity for a number of trees.

    Parameters
    ----------
    name : str
        A quantity of one tree or of an ensemble.
    n_trees : int
        Of one tree, total and largest size are its size; of an ensemble, size is the total size.
    """
    if name in allowed_quantities(n_trees):
        return name
    return ENSEMBLE_OBJECTIVES[name].of if n_trees == 1 else f"total_{name}"


# The end of the message for an objective in place of a name.
_OWN_OBJECTIVE = (
    "; an objective of your own needs an entry in exactree.objectives (CONTRIBUTING.md, Recipe: an "
    "objective), or is minimized at once by exactree.proper.odt with a TreeObjective "
    "(docs/contributing/add-an-objective.md)."
)


def read_quantities(minimize: Any, n_trees: int, name: str = "minimize") -> tuple[str, ...]:
    """Return the names of the minimized quantities, the most important first.

    Parameters
    ----------
    minimize : str or tuple of str
        One name, or several in lexicographic order.
    n_trees : int
        Trees of an ensemble.
    name : str
        The parameter's name, for messages.

    Raises
    ------
    ValueError
        If a name is not allowed for this number of trees or is repeated, or if two names are
        kinds of errors.
    """
    refuse_list(minimize, name)
    names = minimize if isinstance(minimize, tuple) and minimize else (minimize,)
    allowed = allowed_quantities(n_trees)
    listed = f"{', '.join(map(repr, allowed[:-1]))} or {allowed[-1]!r}"
    of_other_n_trees = {*OBJECTIVES, *RATES, *ENSEMBLE_OBJECTIVES} - {*allowed}
    for quantity in names:
        if isinstance(quantity, str) and quantity in of_other_n_trees:
            trees = "one tree" if n_trees == 1 else "an ensemble"
            raise ValueError(
                f"{name}={minimize!r} does not go with n_trees={n_trees}; of {trees} use {listed}."
            )
        if not isinstance(quantity, str) or quantity not in allowed:
            ending = suggested_quantity(quantity, allowed)
            if not isinstance(quantity, str) and any(
                callable(getattr(quantity, method, None)) for method in ("leaf", "join", "value")
            ):
                ending = _OWN_OBJECTIVE
            raise ValueError(
                f"{name} must be {listed}, or a tuple of them, got {minimize!r}{ending}"
            )
    if len(set(names)) < len(names):
        raise ValueError(f"{name} must name every quantity once, got {minimize!r}.")
    kinds = (*ERROR_TERMS, *RATES)
    if sum(quantity in kinds for quantity in names) > 1:
        raise ValueError(
            f"{name} may name only one of {', '.join(map(repr, kinds))}, got {minimize!r}."
        )
    return names


def refuse_list(minimize: Any, name: str) -> None:
    """Refuse a list of quantities, and say how to write it.

    Parameters
    ----------
    minimize : object
        The user's argument.
    name : str
        The parameter's name, for messages.

    Raises
    ------
    TypeError
        If it is a list.
    """
    if isinstance(minimize, list):
        written = repr(tuple(minimize)) if len(minimize) != 1 else repr(minimize[0])
        raise TypeError(f"{name} is a list; write {name}={written}.")


def error_term(quantities: tuple[str, ...]) -> str:
    """Return the kind of errors among the quantities; "errors" if none is minimized.

    Parameters
    ----------
    quantities : tuple of str
        The minimized quantities.
    """
    kinds = (*ERROR_TERMS, *RATES)
    return next((name for name in quantities if name in kinds), "errors")


def as_tuple(cost: Cost) -> tuple[Number, ...]:
    """Return a cost as a tuple, so that any two costs of the same problem can be compared.

    Parameters
    ----------
    cost : int, Fraction or tuple
        A number counts as a tuple with one entry.
    """
    return cost if isinstance(cost, tuple) else (cost,)


def relative_gap(cost: Cost | None, lower_bound: Cost) -> float:
    """Return (cost - lower bound) / cost of the first component where they differ.

    Parameters
    ----------
    cost : int, Fraction, tuple or None
        The cost; the result is infinity without a cost, 0 where the two are equal.
    lower_bound : int, Fraction or tuple
        The lower bound, of the same length as the cost.
    """
    if cost is None:
        return inf
    for first, second in zip(as_tuple(cost), as_tuple(lower_bound), strict=True):
        if first != second:
            return float((Fraction(first) - Fraction(second)) / Fraction(first))
    return 0.0


def shown_cost(cost: Cost) -> str:
    """Return a cost as text.

    Parameters
    ----------
    cost : int, Fraction or tuple
        Tuples are shown in parentheses.
    """
    if isinstance(cost, tuple):
        return f"({', '.join(shown_cost(number) for number in cost)})"
    if isinstance(cost, int):
        return f"{cost:,}"
    number = float(cost)
    return f"{number:,.6g}" if abs(number) < _LARGE else f"{number:,.10g}"


def cost_in_words(cost: Cost, names: Sequence[str]) -> str:
    """Return a cost in the units of its quantities.

    Parameters
    ----------
    cost : int, Fraction, float or tuple
        The cost.
    names : sequence of str
        The names of its components, as `Problem.cost_names`; empty if they are not known.

    Returns
    -------
    str
        For example "103 errors", "squared error 2.5" or "size 3, 7 errors".
    """
    values = as_tuple(cost)
    if len(values) != len(names):
        return f"cost {shown_cost(cost)}"
    return ", ".join(map(_quantity_in_words, names, values))


def _quantity_in_words(name: str, value: Number) -> str:
    if name in _COUNTED:
        return f"{shown_cost(value)} {_COUNTED[name]}{'' if value == 1 else 's'}"
    return f"{name.replace('_', ' ')} {shown_cost(value)}"


def slack_of(minimize: str | tuple[str, ...], within: Any) -> tuple[Fraction, ...]:
    """Return the slack of each minimized quantity, in the unit of its cost.

    Parameters
    ----------
    minimize : str or tuple of str
        The minimized quantities of the problem.
    within : object
        The user's argument: a number, or a tuple of numbers if `minimize` is a tuple.

    Raises
    ------
    ValueError
        If it is neither, negative, or of another length than `minimize`.
    """
    if isinstance(minimize, str):
        return (exact_number("within", within, "a finite number >= 0"),)
    if isinstance(within, tuple) and len(within) == len(minimize):
        return tuple(
            exact_number(f"within[{index}]", number, "a finite number >= 0")
            for index, number in enumerate(within)
        )
    if isinstance(within, tuple) or exact_number("within", within, "a finite number >= 0"):
        raise ValueError(
            f"within must be a tuple of {len(minimize)} numbers, one for each quantity of "
            f"minimize={minimize!r}, or 0, got {within!r}."
        )
    return (Fraction(0),) * len(minimize)


def within_slack(cost: Cost, minimum: Cost, slack: Sequence[Fraction]) -> bool:
    """Return whether every quantity of a cost exceeds the minimum cost by at most its slack.

    Parameters
    ----------
    cost, minimum : int, Fraction or tuple
        A cost and the minimum cost of the same problem.
    slack : sequence of Fraction
        The slack of each quantity.
    """
    triples = zip(as_tuple(cost), as_tuple(minimum), slack, strict=True)
    return all(value <= smallest + allowed for value, smallest, allowed in triples)
