"""Trees under constraints, by the native searches under constraints (`crates/search/constraints`).

Start reading at `search.py`. `units.py` expresses costs and prices in the integers of a search,
`shares.py` the weights that constraints compare, `settings.py` the constraints; `errors.py` and
`costs.py` call the searches. `trees.py` has trees by the ranks of their thresholds.
"""

from exactree.engine.constrained.search import (
    chooses_features,
    constrained_tree,
    is_native,
    reason_to_refuse_constrained,
    searched_as,
    under_constraints,
)

__all__ = [
    "chooses_features",
    "constrained_tree",
    "is_native",
    "reason_to_refuse_constrained",
    "searched_as",
    "under_constraints",
]
