"""The engine: all access to the native searches.

`branch_and_bound` finds one tree and minimizes several quantities in lexicographic order;
`run_proper` does the same by listing the dichotomies of the rules, which is usually faster for
surfaces such as hyperplanes. `regression_tree` solves regressions, `class_costs_tree` minimizes
class costs other than plain errors, and `rate_tree` minimizes rates such as the F1 error.
`constrained_tree` finds trees under constraints that these searches do not support, and under
prices of features.
`outer_loop` returns a loop of these searches for what none of them supports: several quantities in
lexicographic order where errors are not plain, or errors with both a leaf penalty and `max_errors`.
`run_paper` runs the methods of the papers for one tree, `run_ensemble` those for ensembles.
`all_trees` and `count_all` list and count all trees within a slack of the optimum, `all_ensembles`
lists all optimal ensembles, and `tree_with_shape` finds a tree of a given shape.

`front`, `errors_front`, `front_by_limits`, `ensemble_front` and `front_of_pairs` (of false
positives and false negatives) find Pareto fronts.

A function `reason_to_refuse_...` returns None if its search supports a problem, else the reason;
`reason_to_refuse` is that of `branch_and_bound`.
"""

from exactree.engine.constrained import (
    chooses_features,
    constrained_tree,
    is_native,
    reason_to_refuse_constrained,
    under_constraints,
)
from exactree.engine.enumeration.all_ensembles import (
    MAX_ENSEMBLES,
    all_ensembles,
    reason_to_refuse_all_ensembles,
)
from exactree.engine.enumeration.all_trees import (
    all_trees,
    count_all,
    reason_to_refuse_all_trees,
    tree_with_shape,
)
from exactree.engine.fronts.ensemble_front import ensemble_front, reason_to_refuse_ensemble_front
from exactree.engine.fronts.errors_front import errors_front, reason_to_refuse_errors_front
from exactree.engine.fronts.front_by_limits import (
    errors_problem_of,
    front_by_limits,
    reason_to_refuse_front_by_limits,
)
from exactree.engine.fronts.parallel import ParallelSolver
from exactree.engine.fronts.tree_front import front
from exactree.engine.lexicographic import OuterLoop, outer_loop
from exactree.engine.lexicographic.branch_and_bound import branch_and_bound, reason_to_refuse
from exactree.engine.native import (
    FeatureSetList,
    branching_set,
    largest_difference,
    list_branching_sets,
    list_hitting_sets,
    list_support_sets,
)
from exactree.engine.native.switches import accelerators
from exactree.engine.oblique.large_tables import without_search
from exactree.engine.oblique.linear_trees import one_leaf
from exactree.engine.oblique.memory import refuse_many_surfaces
from exactree.engine.oblique.proper import (
    can_list_dichotomies,
    prefers_proper,
    reason_to_refuse_proper,
    run_proper,
)
from exactree.engine.prepare import Timer
from exactree.engine.single_objective.class_costs import (
    class_costs_tree,
    reason_to_refuse_class_costs,
)
from exactree.engine.single_objective.ensembles import (
    ENSEMBLE_METHODS,
    reason_to_refuse_ensemble,
    run_ensemble,
)
from exactree.engine.single_objective.papers import PAPERS, reason_to_refuse_paper, run_paper
from exactree.engine.single_objective.rates import (
    PairsFound,
    front_of_pairs,
    rate_tree,
    reason_to_refuse_pairs,
    reason_to_refuse_rate,
)
from exactree.engine.single_objective.regression_tree import (
    reason_to_refuse_regression,
    regression_tree,
)

__all__ = [
    "ENSEMBLE_METHODS",
    "MAX_ENSEMBLES",
    "PAPERS",
    "FeatureSetList",
    "OuterLoop",
    "PairsFound",
    "ParallelSolver",
    "Timer",
    "accelerators",
    "all_ensembles",
    "all_trees",
    "branch_and_bound",
    "branching_set",
    "can_list_dichotomies",
    "chooses_features",
    "class_costs_tree",
    "constrained_tree",
    "count_all",
    "ensemble_front",
    "errors_front",
    "errors_problem_of",
    "front",
    "front_by_limits",
    "front_of_pairs",
    "is_native",
    "largest_difference",
    "list_branching_sets",
    "list_hitting_sets",
    "list_support_sets",
    "one_leaf",
    "outer_loop",
    "prefers_proper",
    "rate_tree",
    "reason_to_refuse",
    "reason_to_refuse_all_ensembles",
    "reason_to_refuse_all_trees",
    "reason_to_refuse_class_costs",
    "reason_to_refuse_constrained",
    "reason_to_refuse_ensemble",
    "reason_to_refuse_ensemble_front",
    "reason_to_refuse_errors_front",
    "reason_to_refuse_front_by_limits",
    "reason_to_refuse_pairs",
    "reason_to_refuse_paper",
    "reason_to_refuse_proper",
    "reason_to_refuse_rate",
    "reason_to_refuse_regression",
    "refuse_many_surfaces",
    "regression_tree",
    "run_ensemble",
    "run_paper",
    "run_proper",
    "tree_with_shape",
    "under_constraints",
    "without_search",
]
