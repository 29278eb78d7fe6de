//! The request of a search by support sets, its switches, and its counts.

use super::quantity::TreeQuantity;
use crate::support::options::options;

options! { SupportSetsOptions {
    incumbent: "start from a greedy tree",
    first_found: "take the first tree found: the outer loop has excluded better ones",
    minimal_differences: "compare pairs at the start and keep only minimal differences (argument in papers/support_sets/differences.rs)",
    disjoint_differences: "unlike pairs with disjoint differences need one feature each (argument in papers/support_sets/minimal_support_sets.rs)",
    tried_features: "exclude features tried before from all supersets (argument in papers/support_sets/minimal_support_sets.rs)",
    shapes_together: "find the thresholds for all shapes and features of a set in one search (argument in papers/support_sets/shapes_together.rs)",
    nodes_outside: "decide all supersets of a support set in one search, by the nodes outside it (argument in papers/support_sets/shapes_together.rs)",
    smaller_child: "find the threshold from the child with fewer nodes (argument in papers/support_sets/shapes_together.rs)",
    cache: "cache decided subsets by their items (argument in papers/support_sets/shapes_together.rs)",
    class_count: "a tree without errors has a leaf for every class (argument in papers/support_sets/shapes_together.rs)",
} }

/// A request for a tree without errors.
#[derive(Clone, Debug)]
pub struct SupportSetsRequest {
    pub minimize: TreeQuantity,
    /// Maximum size, or depth.
    pub maximum: u32,
    /// Limit on the bytes of the splits, and soft limit on those of the differences and of the
    /// cache.
    pub memory_limit: Option<usize>,
    pub options: SupportSetsOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct SupportSetsStats {
    /// Kept differences of unlike pairs.
    pub differences: u64,
    /// Sets listed by Corollary 9.
    pub support_sets: u64,
    /// Supersets of these with features of branching sets.
    pub larger_sets: u64,
    /// Pairs of a shape and an assignment of features to its nodes.
    pub pairs: u64,
    /// Calls of findTH.
    pub find_th: u64,
    /// Subsets whose rules were tried, with `shapes_together` or `nodes_outside`.
    pub calls: u64,
    pub cache_lookups: u64,
    pub cache_hits: u64,
    pub cache_entries: u64,
    pub cache_evicted: u64,
    /// Sets pruned because disjoint differences need too many further features.
    pub disjoint_differences: u64,
    /// Sets whose branching set is empty.
    pub empty_branching_sets: u64,
    /// Sets with at most one node outside, for which the branching set excludes features.
    pub small_branching_sets: u64,
    /// Subsets pruned because they have too many classes.
    pub class_count: u64,
    /// Size, or depth, of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}
