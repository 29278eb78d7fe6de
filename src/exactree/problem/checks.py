"""Checks that the parameters of a problem go together."""

from fractions import Fraction
from typing import Any

from exactree.data.targets import MAX_TARGET
from exactree.objectives import ERROR_TERMS, RATES, REGRESSION_TERMS
from exactree.objectives.errors import plain
from exactree.problem.constraints import FeatureConstraints
from exactree.problem.limits import Limits
from exactree.problem.quantities import error_term

__all__ = [
    "check_class_costs",
    "check_feature_prices",
    "check_penalty",
    "check_rate",
    "check_regression",
]

# Limits that need classes, and what they limit.
_LIMITED = {
    "max_errors": "the misclassified weight",
    "max_leaves_of": "the leaves of classes",
}


def check_feature_prices(
    feature_constraints: FeatureConstraints, quantities: tuple[str, ...]
) -> None:
    """Refuse prices of features where no errors are minimized.

    Parameters
    ----------
    feature_constraints : FeatureConstraints
        The user's constraints.
    quantities : tuple of str
        The minimized quantities.

    Raises
    ------
    ValueError
        If a feature has a price but no kind of errors is minimized.
    """
    if feature_constraints.prices and not any(term in quantities for term in ERROR_TERMS):
        raise ValueError(
            "feature_penalty must be 0 unless minimize includes one of "
            f"{', '.join(map(repr, ERROR_TERMS))}."
        )


def check_penalty(penalty: Fraction, quantities: tuple[str, ...], given: Any, name: str) -> None:
    """Refuse a leaf penalty of more than 2**400, or without errors to minimize.

    Parameters
    ----------
    penalty : Fraction
        The price of a leaf.
    quantities : tuple of str
        The minimized quantities.
    given : object
        The user's argument that names the quantities.
    name : str
        The parameter of this argument, for the message.

    Raises
    ------
    ValueError
        If there is a price but no kind of errors, or the price exceeds 2**400.
    """
    if penalty > MAX_TARGET:
        raise ValueError("leaf_penalty must be at most 2**400.")
    if penalty > 0 and not any(term in quantities for term in (*ERROR_TERMS, *RATES)):
        raise ValueError(
            f"leaf_penalty must be 0 unless 'errors' is in {name}, or another kind of errors, such "
            f"as 'gini' or 'squared_error'; got {plain(penalty)} with {name}={given!r}."
        )


def check_class_costs(
    limits: Limits, quantities: tuple[str, ...], minimize: Any, with_costs: bool, n_trees: int
) -> None:
    """Refuse a cost matrix and limits that do not go with the minimized quantities.

    Parameters
    ----------
    limits : Limits
        The user's limits.
    quantities : tuple of str
        The minimized quantities.
    minimize : object
        The user's argument, for messages.
    with_costs : bool
        Whether there is a cost matrix.
    n_trees : int
        Trees of an ensemble.

    Raises
    ------
    ValueError
        If these do not go together.
    """
    if with_costs and ("errors" not in quantities or n_trees > 1):
        raise ValueError(
            "cost_matrix gives the costs of the errors of one tree: it needs 'errors' in minimize "
            f"and n_trees=1, got minimize={minimize!r} and n_trees={n_trees}."
        )
    term = error_term(quantities)
    for name in ("min_precision", "min_recall"):
        if getattr(limits, name) is not None and term not in RATES:
            raise ValueError(
                f"{name} needs one of {', '.join(map(repr, RATES))} in minimize, got "
                f"minimize={minimize!r}."
            )
    if term in REGRESSION_TERMS or (term == "errors" and not with_costs):
        return
    if limits.max_errors is not None:
        other = "a cost_matrix" if with_costs else f"minimize={minimize!r}"
        raise ValueError(
            f"max_errors counts misclassified weight, and does not go with {other}: the best tree "
            "of a subset by one sum over leaves need not keep a limit on another."
        )
    if limits.max_leaves_of is not None and term in RATES:
        raise ValueError(
            f"max_leaves_of does not go with minimize={minimize!r}: a leaf may predict either "
            "class there, depending on all other leaves."
        )


def check_rate(
    feature_constraints: FeatureConstraints,
    quantities: tuple[str, ...],
    n_trees: int,
    given: Any,
    name: str,
) -> None:
    """Refuse prices of features, and monotone predictions of one tree, where a rate is minimized.

    Parameters
    ----------
    feature_constraints : FeatureConstraints
        The user's constraints.
    quantities : tuple of str
        The minimized quantities.
    n_trees : int
        Trees of an ensemble.
    given : object
        The user's argument that names the quantities.
    name : str
        The parameter of this argument, for the message.

    Raises
    ------
    ValueError
        If these do not go together.
    """
    if error_term(quantities) not in RATES:
        return
    if feature_constraints.prices:
        raise ValueError(
            f"feature_penalty does not go with {name}={given!r}: a rate plus prices of features is "
            "no quotient of two sums over leaves."
        )
    if n_trees == 1 and feature_constraints.directions and not feature_constraints.in_shares:
        raise ValueError(
            f"monotonic_in='prediction' does not go with {name}={given!r}: a leaf may predict "
            "either class there, depending on all other leaves; use monotonic_in='probability'."
        )


def check_regression(limits: Limits, minimize: Any, class_weight: Any) -> None:
    """Refuse parameters of classification in a regression.

    Parameters
    ----------
    limits : Limits
        The user's limits.
    minimize : object
        The user's argument, for messages.
    class_weight : object
        The user's argument.

    Raises
    ------
    ValueError
        If one of these does not go with a regression.
    """
    for name, limited in _LIMITED.items():
        if getattr(limits, name) is not None:
            raise ValueError(
                f"{name} limits {limited}; a regression has no classes, got minimize={minimize!r}."
            )
    if class_weight is not None:
        raise ValueError(
            f"class_weight weighs classes; a regression has none, got minimize={minimize!r}."
        )
