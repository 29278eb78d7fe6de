"""Pruning of fitted trees: by a risk bound, and by cost-complexity with cross-validation."""

from exactree.prune.any_tree import read_tree
from exactree.prune.by_bound import Pruning, prune_with_bound
from exactree.prune.by_complexity import PricedPruning, prune_with_cross_validation
from exactree.prune.calibrate import calibrate_prior
from exactree.prune.first_leaves import first_leaves, grow_greedily

__all__ = [
    "PricedPruning",
    "Pruning",
    "calibrate_prior",
    "first_leaves",
    "grow_greedily",
    "prune_with_bound",
    "prune_with_cross_validation",
    "read_tree",
]
