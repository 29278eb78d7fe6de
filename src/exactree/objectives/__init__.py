"""Objectives, and the list of their names."""

from exactree.objectives.absolute_error import AbsoluteError
from exactree.objectives.balanced_error import BalancedError
from exactree.objectives.class_costs import ClassCosts, ErrorCosts
from exactree.objectives.depth import Depth
from exactree.objectives.ensemble import ENSEMBLE_OBJECTIVES, EnsembleObjective
from exactree.objectives.errors import Errors
from exactree.objectives.gini import Gini
from exactree.objectives.leaves import LeavesOf
from exactree.objectives.log_loss import LogLoss
from exactree.objectives.objective import Additive, Law, Objective, WithReach
from exactree.objectives.penalty import LeafPrice
from exactree.objectives.rates import F1Error, PrecisionError, RateError, RecallError
from exactree.objectives.size import Size
from exactree.objectives.squared_error import SquaredError

__all__ = [
    "ENSEMBLE_OBJECTIVES",
    "ERROR_TERMS",
    "OBJECTIVES",
    "RATES",
    "REGRESSION_TERMS",
    "SMOOTHED_TERMS",
    "AbsoluteError",
    "Additive",
    "BalancedError",
    "ClassCosts",
    "Depth",
    "EnsembleObjective",
    "ErrorCosts",
    "Errors",
    "F1Error",
    "Gini",
    "Law",
    "LeafPrice",
    "LeavesOf",
    "LogLoss",
    "Objective",
    "PrecisionError",
    "RateError",
    "RecallError",
    "Size",
    "SquaredError",
    "WithReach",
]

# Quantities that measure wrong predictions, of classes or, in a regression, of numbers. A problem
# minimizes at most one quantity of `ERROR_TERMS` and `RATES`.
REGRESSION_TERMS: dict[str, type[SquaredError] | type[AbsoluteError]] = {
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
}
SMOOTHED_TERMS: dict[str, type[LogLoss] | type[Gini]] = {"log_loss": LogLoss, "gini": Gini}
ERROR_TERMS: dict[str, type[Additive]] = {
    "errors": Errors,
    "balanced_error": BalancedError,
    **SMOOTHED_TERMS,
    **REGRESSION_TERMS,
}

# Rates of wrong predictions of two classes. They are not sums over leaves, so they are not among
# the objectives that are joined from the leaves upwards.
RATES: dict[str, type[RateError]] = {
    "f1_error": F1Error,
    "precision_error": PrecisionError,
    "recall_error": RecallError,
}

# All values of `minimize` for one tree, except rates; every entry has a test of its laws.
OBJECTIVES = {**ERROR_TERMS, "size": Size, "depth": Depth}
