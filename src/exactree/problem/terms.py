"""The objective for the kind of errors of a problem."""

from exactree.data.dataset import Dataset
from exactree.objectives import (
    RATES,
    REGRESSION_TERMS,
    SMOOTHED_TERMS,
    AbsoluteError,
    BalancedError,
    ErrorCosts,
    Errors,
    Gini,
    LogLoss,
    RateError,
    SquaredError,
)
from exactree.objectives.balanced_error import balanced_costs
from exactree.objectives.errors import weight_by_class
from exactree.objectives.smoothed import added_weights
from exactree.problem.cost_matrix import Costs

__all__ = ["Smoothing", "Term", "rate_of", "term_of"]

Term = Errors | ErrorCosts | LogLoss | Gini | SquaredError | AbsoluteError
Smoothing = float | str | None


def rate_of(name: str, dataset: Dataset, positive: int) -> RateError | None:
    """Return the objective of a rate for a table, None for other kinds of errors.

    Parameters
    ----------
    name : str
        The kind of errors.
    dataset : Dataset
        The whole table.
    positive : int
        Index of the positive class.
    """
    if name not in RATES:
        return None
    positives = weight_by_class(dataset)[positive]
    return RATES[name](weight_scale=dataset.weight_scale, positive=positive, positives=positives)


def term_of(name: str, dataset: Dataset, costs: Costs | None, smoothing: Smoothing) -> Term:
    """Return the objective of a kind of errors, without leaf prices, for a table.

    Parameters
    ----------
    name : str
        The kind of errors; for a rate this is the objective of plain errors.
    dataset : Dataset
        The whole table.
    costs : tuple of tuple of Fraction or None
        The cost matrix.
    smoothing : "laplace", float or None
        Smoothing of the shares in leaves.
    """
    scale = dataset.weight_scale
    if name in REGRESSION_TERMS:
        return REGRESSION_TERMS[name](weight_scale=scale)
    if costs is not None:
        return ErrorCosts(weight_scale=scale, costs=costs)
    if name == "errors" or name in RATES:
        return Errors(weight_scale=scale)
    totals = weight_by_class(dataset)
    if name == "balanced_error":
        return BalancedError(weight_scale=scale, costs=balanced_costs(totals, scale))
    added = added_weights(smoothing, totals, scale)
    return SMOOTHED_TERMS[name](weight_scale=scale, added=added)
