"""The objectives room: what is minimized, and the one list of objectives."""

from exactree.objectives.absolute_error import AbsoluteError
from exactree.objectives.additive import Additive
from exactree.objectives.depth import Depth
from exactree.objectives.ensemble import ENSEMBLE_OBJECTIVES, EnsembleObjective
from exactree.objectives.errors import Errors
from exactree.objectives.leaves import LeavesOf
from exactree.objectives.objective import Objective
from exactree.objectives.penalty import LeafPrice
from exactree.objectives.size import Size
from exactree.objectives.squared_error import SquaredError

__all__ = [
    "ENSEMBLE_OBJECTIVES",
    "ERROR_TERMS",
    "OBJECTIVES",
    "AbsoluteError",
    "Additive",
    "Depth",
    "EnsembleObjective",
    "Errors",
    "LeafPrice",
    "LeavesOf",
    "Objective",
    "Size",
    "SquaredError",
]

# What can be wrong about predictions: of labels that are classes, or, in a regression, numbers. At
# most one of these is minimized.
ERROR_TERMS: dict[str, type[Errors] | type[SquaredError] | type[AbsoluteError]] = {
    "errors": Errors,
    "squared_error": SquaredError,
    "absolute_error": AbsoluteError,
}

# What `minimize` accepts for one tree; every entry has a test of its laws.
OBJECTIVES = {**ERROR_TERMS, "size": Size, "depth": Depth}
