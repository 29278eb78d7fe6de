"""The objectives room: what is minimized, and the one list of objectives."""

from exactree.objectives.depth import Depth
from exactree.objectives.ensemble import ENSEMBLE_OBJECTIVES, EnsembleObjective
from exactree.objectives.errors import Errors
from exactree.objectives.leaves import LeavesOf
from exactree.objectives.objective import Objective
from exactree.objectives.penalty import LeafPrice
from exactree.objectives.size import Size

__all__ = [
    "ENSEMBLE_OBJECTIVES",
    "LATER",
    "OBJECTIVES",
    "Depth",
    "EnsembleObjective",
    "Errors",
    "LeafPrice",
    "LeavesOf",
    "Objective",
    "Size",
]

# What `minimize` accepts for one tree; every entry has a test of its laws.
OBJECTIVES = {"errors": Errors, "size": Size, "depth": Depth}

# Names the interface reserves, so that asking for one says that it comes, not that it is unknown.
LATER = ("squared_error", "absolute_error")
