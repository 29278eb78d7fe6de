"""The objectives room: what is minimized, and the one list of objectives."""

from exactree.objectives.errors import Errors
from exactree.objectives.objective import Objective
from exactree.objectives.penalty import LeafPrice

__all__ = ["LATER", "OBJECTIVES", "Errors", "LeafPrice", "Objective"]

# What `minimize` accepts; every entry has a test of its laws.
OBJECTIVES = {"errors": Errors}

# Names the interface reserves, so that asking for one says that it comes, not that it is unknown.
LATER = (
    "size",
    "depth",
    "squared_error",
    "absolute_error",
    "total_size",
    "largest_size",
    "total_depth",
    "largest_depth",
)
