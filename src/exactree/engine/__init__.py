"""The engine room: the only door to the native search.

`branch_and_bound` answers every problem of one tree natively, one quantity after the other.
"""

from exactree.engine.border import accelerators, largest_difference
from exactree.engine.stages import accepts, branch_and_bound

__all__ = ["accelerators", "accepts", "branch_and_bound", "largest_difference"]
