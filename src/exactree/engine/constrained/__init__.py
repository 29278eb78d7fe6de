"""Trees under constraints: a search of its own, bounded by the native searches without constraints.

Start reading at `branching.py`, which chooses features. `recursion.py` finds the best tree of a
subset that satisfies all other constraints. `free.py` calls the native searches, `roots.py` bounds
splits by evaluated splits, `state.py` has the constraints of a subproblem, and `regions.py` finds
violations of monotonicity.
"""

from exactree.engine.constrained.search import (
    ACCELERATORS,
    constrained_tree,
    reason_to_refuse_constrained,
)

__all__ = ["ACCELERATORS", "constrained_tree", "reason_to_refuse_constrained"]
