//! The request of a witness search, and its counts.

use super::options::WitnessOptions;
use crate::support::statistics::counts;
use exactree_model::Weight;

/// A request for fewest nodes.
#[derive(Clone, Debug)]
pub struct WitnessRequest {
    /// Maximum misclassified weight.
    pub errors: Weight,
    /// Maximum size.
    pub size: u32,
    /// Limit on the bytes of the rules, and soft limit on those of the cache.
    pub memory_limit: Option<usize>,
    pub options: WitnessOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct WitnessStats {
    /// Witness trees visited: starts and refinements within the size.
    pub search_nodes: u64,
    /// Witness trees visited, by requested size.
    pub search_nodes_by_size: Vec<(u32, u64)>,
    /// Witness trees visited to solve leaves separately.
    pub leaf_search_nodes: u64,
    /// Sets of items with cached bounds.
    pub cached_subsets: u64,
    pub cache_evicted: u64,
    /// Features and rules after reduction.
    pub features: u32,
    pub rules: u64,
    /// Size that the search begins with.
    pub first_size: u32,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u32>,
    pub pruned: WitnessPruneCounts,
    pub seconds: f64,
}

counts! {
    /// Pruned candidates, by the bound that pruned them.
    pub struct WitnessPruneCounts {
        /// Dirty items that every solution misclassifies.
        fixed_errors,
        equal_refinements,
        /// Search nodes pruned by the improvement bound.
        improvement_bound,
        /// Rules that correct less weight than the improvement bound requires.
        needed_improvement,
        /// Search nodes pruned by the unlike pairs inside leaves.
        leaf_pairs,
        /// Rules left out because another rule of their feature can replace them.
        pure_children,
        /// Search nodes that one more refinement does not solve.
        last_node,
        threshold_constraints,
        height_constraints,
        /// Search nodes pruned by a cached set.
        cached_subsets,
        /// Search nodes pruned by solving a leaf.
        leaves_solved,
        /// Sizes below the first size searched.
        pair_bound,
        /// Rules left out before the search.
        pure_borders,
        equal_rules,
        /// Features merged before the search.
        mergeable_features,
    }
}
