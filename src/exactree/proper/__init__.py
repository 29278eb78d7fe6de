"""The framework of proper decision trees, for any rules, data and objective."""

from exactree.proper.accumulation import complete, dacc, path_red, paths
from exactree.proper.ancestry import Ancestry, ancestry
from exactree.proper.axioms import AxiomViolated, check_axioms
from exactree.proper.brackets import (
    Product,
    SearchCost,
    best_brackets,
    matrix_chain,
    search_tree,
)
from exactree.proper.bsp import painted, random_partition, smallest_partition
from exactree.proper.bsp_figure import draw_partition
from exactree.proper.figure import draw_trees, figure_10
from exactree.proper.filters import depth_of_at_most, gen_dtfs, leaves_of_at_least
from exactree.proper.generators import gen_bts, gen_dts
from exactree.proper.geometry import Hyperplane, ThresholdAt
from exactree.proper.kd import balance, best_kd_tree, in_box, nearest, scatter, visits
from exactree.proper.learning import ThroughExamples, gen_rules, odt_ml
from exactree.proper.not_proper import splits_bf, splits_catalan, splits_lists
from exactree.proper.objective import TreeObjective, check_laws, cost, errors
from exactree.proper.odt import Best, Memory, min_e, odt, sodt
from exactree.proper.permutations import kcombs, kperms, tree_of, valid
from exactree.proper.pieces import Polygon, Segment, polygons, segments
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
    "Polygon",
    "Product",
    "ProperRule",
    "SearchCost",
    "Segment",
    "Space",
    "ThresholdAt",
    "ThroughExamples",
    "TreeObjective",
    "ancestry",
    "balance",
    "best_brackets",
    "best_kd_tree",
    "check_axioms",
    "check_laws",
    "complete",
    "cost",
    "dacc",
    "depth",
    "depth_of_at_most",
    "divide",
    "draw_partition",
    "draw_trees",
    "errors",
    "figure_10",
    "gen_bts",
    "gen_dtfs",
    "gen_dts",
    "gen_dtts",
    "gen_rules",
    "in_box",
    "kcombs",
    "kperms",
    "leaves",
    "leaves_of_at_least",
    "level_order",
    "map_d",
    "matrix_chain",
    "min_e",
    "nearest",
    "odt",
    "odt_ml",
    "painted",
    "path_red",
    "paths",
    "polygons",
    "proper",
    "random_partition",
    "refines",
    "relation",
    "scatter",
    "search_tree",
    "segments",
    "size",
    "smallest_partition",
    "sodt",
    "splits",
    "splits_bf",
    "splits_catalan",
    "splits_lists",
    "thin",
    "tree_of",
    "valid",
    "visits",
]
