"""Infeasible problems: detection without a search, and the reason as text."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.features import count
from exactree.data.groups import contradictions, unavoidable_errors
from exactree.objectives.errors import plain
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.problem.quantities import Cost
from exactree.rules import Hypersurfaces, RuleFamily, families_of

__all__ = ["infeasible", "infeasible_without_search"]

_GROUPS_NAMED = 5
_ROWS_NAMED = 10


def infeasible_without_search(problem: Problem) -> Outcome | None:
    """Return the outcome of a problem whose limits are infeasible without any search.

    Parameters
    ----------
    problem : Problem
        The problem to solve.

    Returns
    -------
    Outcome or None
        `INFEASIBLE` with the reason, None if only a search can decide.
    """
    if problem.infeasible_reason is not None:
        return _outcome(problem, problem.infeasible_reason)
    if problem.most_errors is None:
        return None
    unavoidable = unavoidable_errors(problem.dataset, _usable_features(problem))
    if unavoidable <= problem.most_errors:
        return None
    least = plain(Fraction(unavoidable, problem.dataset.weight_scale))
    rows = _named(contradictions(problem.dataset, _usable_features(problem)))
    return _outcome(
        problem,
        f"max_errors={problem.max_errors}, but every tree makes at least {least} errors: "
        f"{rows} have equal {_features(problem)} and different labels",
    )


def infeasible(problem: Problem, least_errors: int | None = None) -> Outcome:
    """Return the outcome of a problem that a search has proved infeasible.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    least_errors : int, optional
        Minimum errors, in integer weights, within all limits except `max_errors`, if known.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    if least_errors is not None:
        least = plain(Fraction(least_errors, problem.dataset.weight_scale))
        return _outcome(
            problem,
            f"max_errors={problem.max_errors}, but every tree within the other limits makes at "
            f"least {least} errors",
            least_errors,
        )
    limits = problem.limits
    names = ["max_depth", "max_size", "max_total_size", "min_samples_leaf"]
    names += ["min_weight_fraction_leaf", "max_leaves_of", "min_precision", "min_recall"]
    stated = {name: getattr(limits, name) for name in names}
    stated = {name: most for name, most in stated.items() if most is not None}
    if problem.min_rows == 1:
        del stated["min_samples_leaf"]
    if not limits.min_weight_fraction_leaf:
        del stated["min_weight_fraction_leaf"]
    stated |= problem.feature_constraints.stated_parameters(problem.dataset.feature_names)
    if problem.max_errors is not None:
        stated["max_errors"] = problem.max_errors
    clauses = " and ".join(f"{name}={most}" for name, most in stated.items())
    return _outcome(problem, f"nothing keeps {clauses}{' together' if len(stated) > 1 else ''}")


def _usable_features(problem: Problem) -> list[int]:
    """Return the features that splits may use; rows equal in them cannot be separated."""
    X = problem.dataset.X
    return sorted({f for family in families_of(problem.rules) for f in _family_features(family, X)})


def _family_features(family: RuleFamily, X: NDArray[np.float64]) -> set[int]:
    if isinstance(family, Hypersurfaces):  # listing its columns would be expensive
        return set(family.features_of(X.shape[1]))
    return {feature for column in family.columns(X) for feature in column.features}


def _features(problem: Problem) -> str:
    every = len(_usable_features(problem)) == problem.dataset.X.shape[1]
    return "features" if every else "values in all features that splits may use"


def _named(groups: list[list[int]]) -> str:
    """Name the rows of a few groups."""
    clauses = []
    for group in groups[:_GROUPS_NAMED]:
        rows = ", ".join(str(row) for row in group[:_ROWS_NAMED])
        more = len(group) - _ROWS_NAMED
        clauses.append(f"rows {rows}" + (f" and {more:,} more" if more > 0 else ""))
    rest = len(groups) - _GROUPS_NAMED
    return "; ".join(clauses) + (f"; and {count(rest, 'more group')}" if rest > 0 else "")


def _outcome(problem: Problem, reason: str, errors: int | None = None) -> Outcome:
    none = [0] * problem.n_trees
    if not problem.plain_errors:
        errors = 0
    floor = (
        unavoidable_errors(problem.dataset, _usable_features(problem)) if errors is None else errors
    )
    lower_bound: Cost = problem.cost_of(floor, none, none)
    return Outcome(Status.INFEASIBLE, None, lower_bound, None, reason=reason)
