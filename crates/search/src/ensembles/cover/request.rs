//! The request of a search by covering, and the counts that it reports.

use crate::ensembles::{EnsembleQuantity, EnsembleRequest};
use crate::support::options::{CoverOptions, SizeOptions};
use exactree_model::Tree;

/// The quantity to minimize.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CoverQuantity {
    TotalSize,
    LargestSize,
    TotalDepth,
    LargestDepth,
}

impl CoverQuantity {
    /// The size or the depth of a tree, whichever is minimized.
    pub fn measure(self, tree: &Tree) -> u32 {
        match self {
            CoverQuantity::TotalSize | CoverQuantity::LargestSize => tree.size(),
            CoverQuantity::TotalDepth | CoverQuantity::LargestDepth => tree.depth(),
        }
    }

    /// Whether the sum over the trees is minimized, rather than the maximum.
    pub fn is_total(self) -> bool {
        match self {
            CoverQuantity::TotalSize | CoverQuantity::TotalDepth => true,
            CoverQuantity::LargestSize | CoverQuantity::LargestDepth => false,
        }
    }
}

/// The quantity to minimize, and the limits.
#[derive(Clone, Debug)]
pub struct CoverRequest {
    pub trees: u32,
    pub minimize: CoverQuantity,
    /// Limits of every tree; `u32::MAX` for no limit.
    pub size: u32,
    pub depth: u32,
    /// Limit on the total size, or on the total depth if depths are minimized.
    pub total: u32,
    /// Soft limit on the bytes of the cache: one half for single trees, the other half for the
    /// lists of error sets and the slacks.
    pub memory_limit: Option<usize>,
    /// The search stops when the gap is at most this; 0 for a complete proof.
    pub stop_at_gap: f64,
    pub options: CoverOptions,
    /// Switches of the searches for single trees.
    pub size_options: SizeOptions,
}

impl CoverRequest {
    /// The same as a request of the witness search; `None` if depths are minimized.
    pub(super) fn by_size(&self) -> Option<EnsembleRequest> {
        let quantity = match self.minimize {
            CoverQuantity::TotalSize => EnsembleQuantity::Total,
            CoverQuantity::LargestSize => EnsembleQuantity::Largest,
            CoverQuantity::TotalDepth | CoverQuantity::LargestDepth => return None,
        };
        Some(EnsembleRequest {
            trees: self.trees,
            quantities: vec![quantity],
            errors: 0,
            size: self.size,
            depth: self.depth,
            total: self.total,
            min_samples_leaf: 1,
            leaves: Vec::new(),
            memory_limit: self.memory_limit,
            stop_at_gap: self.stop_at_gap,
        })
    }
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct CoverStats {
    /// Attempts to place a tree.
    pub placed: u64,
    /// Error sets listed.
    pub error_sets: u64,
    /// Error sets pruned because the next tree could not make up for them.
    pub next_tree_bound: u64,
    /// Subsets and slacks pruned because no tree within the cap classifies the required items.
    pub required_items: u64,
    /// Error sets pruned because another is equal or a subset.
    pub inclusion: u64,
    /// Placements pruned because the same slack had failed with the same caps.
    pub failed_states: u64,
    /// Decisions by a cached core.
    pub by_core: u64,
    /// Decisions by a cached feasible superset.
    pub by_larger: u64,
    /// Decisions by a search.
    pub by_search: u64,
    /// Number of times a table was cleared because its bytes were used up.
    pub cache_resets: u64,
    /// Cost of the first incumbent.
    pub first_incumbent: Option<u32>,
    pub seconds: f64,
}

impl CoverStats {
    /// All counts by name.
    pub fn list(&self) -> [(&'static str, u64); 10] {
        [
            ("placed", self.placed),
            ("error_sets", self.error_sets),
            ("next_tree_bound", self.next_tree_bound),
            ("required_items", self.required_items),
            ("inclusion", self.inclusion),
            ("failed_states", self.failed_states),
            ("by_core", self.by_core),
            ("by_larger", self.by_larger),
            ("by_search", self.by_search),
            ("cache_resets", self.cache_resets),
        ]
    }
}
