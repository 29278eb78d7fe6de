//! The request of a search for thresholds, its switches, and its counts.

use crate::support::options::options;
use exactree_model::Tree;

options! { ThresholdOptions {
    incumbent: "start from a greedy tree",
    cache: "cache bounds on the minimum size of subsets, compared by their items and leaf limits",
    first_found: "take the first tree found: the outer loop has refuted smaller ones (argument in papers/threshold/algorithms.rs)",
    class_count: "a tree without errors has a leaf for every class (argument in papers/threshold/shortcuts.rs)",
    pure_runs: "find the threshold for no nodes on the left in one pass over the subset instead of by bisection",
    fewer_nodes: "start the bisection at the threshold found for fewer nodes (argument in papers/threshold/shortcuts.rs)",
} }

/// A request for fewest nodes without errors.
#[derive(Clone, Debug)]
pub struct ThresholdRequest {
    /// Maximum size.
    pub size: u32,
    /// Indices into `Table::features` of the features that may be used; `None` for all.
    pub features: Option<Vec<u32>>,
    /// The limited classes and the maximum number of leaves of each.
    pub leaves: Vec<(u32, u32)>,
    /// Limit on the bytes of the splits, and soft limit on those of the cache.
    pub memory_limit: Option<usize>,
    pub options: ThresholdOptions,
}

impl ThresholdRequest {
    /// Whether a tree has no more leaves of any class than allowed.
    pub(super) fn allows(&self, tree: &Tree) -> bool {
        self.leaves.iter().all(|(class, maximum)| tree.leaves_of(*class) <= *maximum)
    }
}

/// The maximum number of leaves of every limited class.
pub(super) type LeafLimits = Vec<u32>;

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct ThresholdStats {
    /// Calls of Algorithm 1 that tried rules.
    pub calls: u64,
    /// Calls of Algorithm 2.
    pub bisections: u64,
    pub cache_lookups: u64,
    pub cache_hits: u64,
    pub cache_entries: u64,
    pub cache_evicted: u64,
    /// Subsets with too many classes.
    pub class_count: u64,
    /// Thresholds that fewer nodes on the left reach as well.
    pub fewer_nodes: u64,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}
