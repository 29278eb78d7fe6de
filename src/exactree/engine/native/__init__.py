"""Calls of the native module: typed settings and results, errors of this package.

One function calls each search of the native module, in one file for each kind of search;
`root_search.py`, `root_request.py` and `dichotomy_request.py` call those that workers share.
`settings.py` and `border.py` have the types of what crosses the border, `request.py` and
`switches.py` limits and options, `call.py` the shared code.
"""

from exactree.engine.native.class_costs import minimum_class_costs, pairs_between
from exactree.engine.native.constrained import (
    constrained_class_costs,
    constrained_errors,
    constrained_regression,
)
from exactree.engine.native.ensembles import allowed_errors, ensemble_method, list_ensembles
from exactree.engine.native.feature_sets import (
    FeatureSetList,
    branching_set,
    largest_difference,
    list_branching_sets,
    list_hitting_sets,
    list_support_sets,
)
from exactree.engine.native.listing import count_trees, list_trees, next_trees
from exactree.engine.native.one_surface import (
    best_surface,
    surface_class_costs,
    surface_regression,
)
from exactree.engine.native.one_tree import (
    error_settings,
    minimum_errors,
    minimum_size,
    paper_method,
    proper_tree,
    prove_bounds,
)
from exactree.engine.native.regression import minimum_deviation

__all__ = [
    "FeatureSetList",
    "allowed_errors",
    "best_surface",
    "branching_set",
    "constrained_class_costs",
    "constrained_errors",
    "constrained_regression",
    "count_trees",
    "ensemble_method",
    "error_settings",
    "largest_difference",
    "list_branching_sets",
    "list_ensembles",
    "list_hitting_sets",
    "list_support_sets",
    "list_trees",
    "minimum_class_costs",
    "minimum_deviation",
    "minimum_errors",
    "minimum_size",
    "next_trees",
    "pairs_between",
    "paper_method",
    "proper_tree",
    "prove_bounds",
    "surface_class_costs",
    "surface_regression",
]
