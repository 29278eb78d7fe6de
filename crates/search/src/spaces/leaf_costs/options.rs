//! The switches of the search for squared and absolute error and class costs.

use crate::support::options::options;

options! { CostOptions {
    incumbent: "start from a greedy tree whose lowest levels are exact",
    block_bound: "while the lower bound is poor, add up the minimum costs of disjoint blocks of rows (super-additivity; argument in engine/block_bound.rs)",
    early_bound: "for deep trees first prove small shares of the incumbent as lower bound (argument in engine/early_bound.rs)",
    depth_two: "solve subsets with two levels left by passes over the orders of the features (depth-two solver: MurTree, Demirović et al., JMLR 2022; argument in spaces/leaf_costs/depth_two.rs)",
    bit_columns: "hold the rules of two-valued features as columns of bits, and sum over pairs of them (frequency counts: MurTree, Demirović et al., JMLR 2022; see kernels/sums.rs)",
    depth_three: "sum over triples of columns, which solves subsets with three levels left",
    stump_bounds: "evaluate only features whose stumps may matter between two evaluated thresholds (Quant-BnB: Mazumder, Meng and Wang, ICML 2022; argument in spaces/leaf_costs/depth_two.rs)",
    interval_bound: "prune thresholds between two evaluated thresholds by monotonicity (ConTree: Briţa et al., AAAI 2025; argument in engine/intervals.rs)",
    similarity_bound: "prune thresholds close to an evaluated threshold, by the range of the targets (similarity bound, MurTree: Demirović et al., JMLR 2022; arguments in spaces/leaf_costs/cost_space.rs and costs/)",
    upper_bound_margin: "solve children with a slightly greater upper bound than needed, for a stronger similarity bound (ConTree: Briţa et al., AAAI 2025)",
    feature_bounds: "pass lower bounds by root threshold to other subsets (argument in engine/inherited_bounds.rs)",
    cache: "cache solutions and bounds of subsets, compared by their items",
    one_target: "a leaf is best if all targets are equal",
    equivalent_points: "equal rows with different targets as a lower bound (arguments in engine/bounds.rs and costs/)",
    clustering_bound: "the best partition of the targets into groups as a lower bound (k-means: OSRT, Zhang et al., AAAI 2023; argument in costs/clusters.rs)",
    two_set_bound: "with a minimum leaf size, bound intervals of thresholds by counting costs on a smaller and rows on a larger set (argument in engine/two_set_bound.rs)",
    wide_lanes: "use the widest vector instructions of the processor",
    equal_features: "search features with equal ranks once",
    equal_rows: "with squared error, search equal rows as one item",
    relaxation: "under constraints, bound subsets and splits by the search without them (argument in constraints/space.rs)",
} }
