"""Trees under constraints: the native search for errors, and a search of its own for other costs.

`errors.py` calls the native search under constraints. All other costs are searched here, bounded by
the native searches without constraints: start reading at `branching.py`, which chooses features.
`recursion.py` finds the best tree of a subset that satisfies all other constraints. `free.py` calls
the native searches, `roots.py` bounds splits by evaluated splits, `state.py` has the constraints of
a subproblem, and `regions.py` finds violations of monotonicity.
"""

from exactree.engine.constrained.search import (
    ACCELERATORS,
    constrained_tree,
    is_native,
    reason_to_refuse_constrained,
)

__all__ = ["ACCELERATORS", "constrained_tree", "is_native", "reason_to_refuse_constrained"]
