"""Trees under constraints: a search of its own, bounded by the native searches without them.

Start reading at `branching.py`, which chooses features. `recursion.py` finds the best tree of a
part that obeys all else; `free.py` asks the native searches, `roots.py` bounds rules by those
tried, `state.py` says what the trees of a part must obey, `regions.py` where one is not monotone.
"""

from exactree.engine.constrained.search import (
    ACCELERATORS,
    accepts_constrained,
    constrained_tree,
)

__all__ = ["ACCELERATORS", "accepts_constrained", "constrained_tree"]
