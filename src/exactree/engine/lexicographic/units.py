"""The integers of the native searches in the units of the user."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache, partial
from typing import Any

from exactree.engine.native.border import SearchStats
from exactree.objectives.errors import plain
from exactree.problem import Problem, Progress
from exactree.problem.quantities import Cost, Number

__all__ = [
    "ToProgress",
    "bound_of",
    "bound_on_cost",
    "in_user_units",
    "progress_converter",
    "value_of",
]

# Converts incumbent, lower bound and seconds of a running stage.
ToProgress = Callable[[int | None, int, float], Progress]


def progress_converter(problem: Problem, values: list[Number], seconds: float) -> ToProgress:
    """Return the conversion of the numbers of a running stage to a `Progress` in the user's units.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    values : list of number
        The minima of the previous quantities.
    seconds : float
        Duration of the previous stages.
    """
    values_before = list(values)
    quantity = problem.quantities[len(values_before)]
    # Many progress reports have the same lower bound, and arithmetic with exact fractions is slow.
    cached_bound_of = cache(partial(bound_of, problem, quantity))

    def to_progress(cost: int | None, lower_bound: int, stage_seconds: float) -> Progress:
        bound = cached_bound_of(lower_bound)
        converted: Cost | None = None
        # With several quantities no cost is reported: a search knows one quantity of its incumbent.
        if cost is not None and len(problem.quantities) == 1:
            converted = value_of(problem, quantity, cost)
            bound = min(bound, converted)
        cost_bound = bound_on_cost(problem, [*values_before, bound])
        return Progress(converted, cost_bound, seconds + stage_seconds)

    return to_progress


def bound_on_cost(problem: Problem, values: list[Number]) -> Cost:
    """Return lower bounds on the first quantities as a lower bound on the cost.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    values : list of number
        The bounds on the first quantities.
    """
    if isinstance(problem.minimize, str):
        return values[0]
    return tuple(values + [0] * (len(problem.quantities) - len(values)))


def value_of(problem: Problem, quantity: str, value: int) -> Number:
    """Convert a cost of the search to the user's unit.

    If the leaf price was substituted (see `LeafPrice`), the result counts leaves at the substituted
    price.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    quantity : str
        The quantity of the cost.
    value : int
        The cost.
    """
    if quantity != "errors":
        return value
    return plain(Fraction(value, problem.leaf_price.error_price * problem.dataset.weight_scale))


def bound_of(problem: Problem, quantity: str, lower_bound: int) -> Number:
    """Convert a lower bound of the search to the user's unit.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    quantity : str
        The quantity that is bounded.
    lower_bound : int
        The bound.
    """
    if quantity != "errors":
        return lower_bound
    exact = problem.leaf_price.exact_lower_bound(lower_bound)
    return plain(exact / problem.dataset.weight_scale)


def in_user_units(problem: Problem, stats: SearchStats, progress: list[Progress]) -> dict[str, Any]:
    """Return the statistics of an outcome, with costs in the user's unit.

    Parameters
    ----------
    problem : Problem
        The problem to solve.
    stats : SearchStats
        The statistics of the searches; the first incumbent is that of the first stage.
    progress : list of Progress
        The progress of all searches.
    """
    converted: dict[str, Any] = {**stats, "progress": progress}
    first_cost = stats.get("first_incumbent")
    if first_cost is not None:
        converted["first_incumbent"] = value_of(problem, problem.quantities[0], first_cost)
    return converted
