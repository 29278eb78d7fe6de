"""Infeasible problems: detection without a search, and the reason as text."""

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from exactree.data.groups import contradictions, unavoidable_errors
from exactree.data.parameters import count
from exactree.objectives.errors import plain
from exactree.problem.outcome import Outcome, Status
from exactree.problem.problem import Problem
from exactree.problem.quantities import Cost
from exactree.rules import Hypersurfaces, RuleFamily, families_of

__all__ = ["infeasible", "infeasible_without_search"]

# Numbers of groups of contradictory rows, and of rows of a group, in a message.
_GROUPS_NAMED = 5
_ROWS_NAMED = 10


def infeasible_without_search(problem: Problem) -> Outcome | None:
    """Return the outcome of a problem that is infeasible, if that is certain without a search.

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
    if problem.max_error_weight is None:
        return None
    unavoidable = unavoidable_errors(problem.dataset, _usable_features(problem))
    if unavoidable <= problem.max_error_weight:
        return None
    fewest = plain(Fraction(unavoidable, problem.dataset.weight_scale))
    rows = _rows_text(contradictions(problem.dataset, _usable_features(problem)))
    return _outcome(
        problem,
        f"max_errors={problem.max_errors}, but every tree makes at least {fewest} errors: "
        f"{rows} have equal {_features_text(problem)} and different labels",
    )


def infeasible(problem: Problem, min_errors: int | None = None) -> Outcome:
    """Return the outcome of a problem that a search has proved infeasible.

    Parameters
    ----------
    problem : Problem
        The solved problem.
    min_errors : int, optional
        Minimum errors, in integer weights, within all limits except `max_errors`, if known.
    """
    infeasible_outcome = infeasible_without_search(problem)
    if infeasible_outcome is not None:
        return infeasible_outcome
    if min_errors is not None:
        fewest = plain(Fraction(min_errors, problem.dataset.weight_scale))
        return _outcome(
            problem,
            f"max_errors={problem.max_errors}, but every tree within the other limits makes at "
            f"least {fewest} errors",
            min_errors,
        )
    limits = problem.limits
    names = ["max_depth", "max_size", "max_total_size", "min_samples_leaf"]
    names += ["min_weight_fraction_leaf", "max_leaves_of", "min_precision", "min_recall"]
    given = {name: getattr(limits, name) for name in names}
    given = {name: value for name, value in given.items() if value is not None}
    if problem.min_rows == 1:
        del given["min_samples_leaf"]
    if not limits.min_weight_fraction_leaf:
        del given["min_weight_fraction_leaf"]
    given |= problem.feature_constraints.parameters_by_name(problem.dataset.feature_names)
    if problem.max_errors is not None:
        given["max_errors"] = problem.max_errors
    clauses = " and ".join(f"{name}={value}" for name, value in given.items())
    together = " together" if len(given) > 1 else ""
    return _outcome(problem, f"no solution satisfies {clauses}{together}")


def _usable_features(problem: Problem) -> list[int]:
    """Return the features that splits may use; rows equal in them cannot be separated."""
    X = problem.dataset.X
    return sorted({f for family in families_of(problem.rules) for f in _family_features(family, X)})


def _family_features(family: RuleFamily, X: NDArray[np.float64]) -> set[int]:
    if isinstance(family, Hypersurfaces):  # listing its columns would be expensive
        return set(family.features_of(X.shape[1]))
    return {feature for column in family.columns(X) for feature in column.features}


def _features_text(problem: Problem) -> str:
    every = len(_usable_features(problem)) == problem.dataset.X.shape[1]
    return "features" if every else "values in all features that splits may use"


def _rows_text(groups: list[list[int]]) -> str:
    """Return the rows of the first few groups as text."""
    clauses = []
    for group in groups[:_GROUPS_NAMED]:
        rows = ", ".join(str(row) for row in group[:_ROWS_NAMED])
        more = len(group) - _ROWS_NAMED
        clauses.append(f"rows {rows}" + (f" and {more:,} more" if more > 0 else ""))
    rest = len(groups) - _GROUPS_NAMED
    return "; ".join(clauses) + (f"; and {count(rest, 'more group')}" if rest > 0 else "")


def _outcome(problem: Problem, reason: str, errors: int | None = None) -> Outcome:
    if not problem.plain_errors:
        errors = 0
    if errors is None:
        errors = unavoidable_errors(problem.dataset, _usable_features(problem))
    single_leaves = [0] * problem.n_trees
    lower_bound: Cost = problem.cost_of(errors, single_leaves, single_leaves)
    return Outcome(Status.INFEASIBLE, None, lower_bound, None, reason=reason)
