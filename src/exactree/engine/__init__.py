"""The engine room: the only door to the native search.

`branch_and_bound` answers every problem of one tree natively, one quantity after the other;
`run_paper` runs the papers' own methods.
"""

from exactree.engine.border import accelerators, largest_difference
from exactree.engine.papers import PAPERS, accepts_paper, run_paper
from exactree.engine.stages import accepts, branch_and_bound

__all__ = [
    "PAPERS",
    "accelerators",
    "accepts",
    "accepts_paper",
    "branch_and_bound",
    "largest_difference",
    "run_paper",
]
