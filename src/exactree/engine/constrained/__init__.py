"""Trees under constraints: a search of its own, bounded by the native searches without them.

Start reading at `branching.py`, which chooses features. `recursion.py` finds the best tree of
a subset that satisfies the constraints all else; `free.py` asks the native searches, `roots.py`
bounds rules by those tried, `state.py` says what the trees of a subset must satisfy, `regions.py`
where one is not monotone.
"""

from exactree.engine.constrained.search import (
    ACCELERATORS,
    accepts_constrained,
    constrained_tree,
)

__all__ = ["ACCELERATORS", "accepts_constrained", "constrained_tree"]
