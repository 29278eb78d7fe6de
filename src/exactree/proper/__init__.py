"""The generic framework of proper decision trees: any rules, any data, any objective."""

from exactree.proper.accumulation import complete, dacc, path_red, paths
from exactree.proper.ancestry import Ancestry, ancestry
from exactree.proper.axioms import AxiomViolated, check_axioms
from exactree.proper.filters import depth_of_at_most, gen_dtfs, leaves_of_at_least
from exactree.proper.generators import gen_bts, gen_dts
from exactree.proper.geometry import Hyperplane, ThresholdAt
from exactree.proper.objective import Objective, check_laws, cost, errors
from exactree.proper.odt import Best, Memory, min_e, odt, sodt
from exactree.proper.permutations import kcombs, kperms, tree_of, valid
from exactree.proper.rule import ProperRule, divide, relation
from exactree.proper.space import Space, proper, splits
from exactree.proper.thinning import gen_dtts, refines, thin
from exactree.proper.tree import DTree, Leaf, Node, depth, leaves, level_order, map_d, size

__all__ = [
    "Ancestry",
    "AxiomViolated",
    "Best",
    "DTree",
    "Hyperplane",
    "Leaf",
    "Memory",
    "Node",
    "Objective",
    "ProperRule",
    "Space",
    "ThresholdAt",
    "ancestry",
    "check_axioms",
    "check_laws",
    "complete",
    "cost",
    "dacc",
    "depth",
    "depth_of_at_most",
    "divide",
    "errors",
    "gen_bts",
    "gen_dtfs",
    "gen_dts",
    "gen_dtts",
    "kcombs",
    "kperms",
    "leaves",
    "leaves_of_at_least",
    "level_order",
    "map_d",
    "min_e",
    "odt",
    "path_red",
    "paths",
    "proper",
    "refines",
    "relation",
    "size",
    "sodt",
    "splits",
    "thin",
    "tree_of",
    "valid",
]
