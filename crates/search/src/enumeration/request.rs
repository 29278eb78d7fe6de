//! The request for all trees, and the counts of the work.

use super::shapes::Shapes;
use crate::support::options::options;
use exactree_model::{Cost, Errors};

/// A quantity by which the list is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListingQuantity {
    Size,
    Depth,
    Cost,
}

/// The trees to count or list.
#[derive(Clone, Debug)]
pub struct AllTreesRequest {
    pub objective: Errors,
    /// Maximum depth; `u32::MAX` for no limit.
    pub depth: u32,
    /// The requested shape, last in its list. It determines depth and size: `depth` is ignored,
    /// `sizes` must be `None`, and `order` empty.
    pub shapes: Option<Shapes>,
    /// Smallest and largest size; `None` for any size.
    pub sizes: Option<(u32, u32)>,
    /// Smallest and largest cost.
    pub costs: (Cost, Cost),
    /// Minimum number of rows (as given) in every leaf; at least 1.
    pub min_samples_leaf: u64,
    /// Whether no tree within depth and costs has fewer nodes than `sizes` allow.
    pub minimum_size: bool,
    /// The quantities by which the list is sorted; quantities not named come last. Size or depth
    /// only if `sizes` or `depth` limits it.
    pub order: Vec<ListingQuantity>,
    /// Limit on the bytes of the graph, beyond which the work ends, and of the caches of the
    /// searches for minimum costs.
    pub memory_limit: Option<usize>,
    pub options: AllTreesOptions,
}

options! { AllTreesOptions {
    size_limits: "prune states with more nodes than items or depth allow (argument in enumeration/spectrum.rs)",
    lower_bounds: "prune states that cost less than the minimum cost of their subset, found by a search for one best tree (argument in enumeration/spectrum.rs)",
    tight_bounds: "a state at the minimum cost of its subset has trees, without enumeration (argument in enumeration/spectrum.rs)",
    interval_bound: "prune thresholds between two searched thresholds by monotonicity (argument in enumeration/threshold_costs.rs)",
} }

/// The size of the graph; and pruned candidates and saved work, by bound.
#[derive(Clone, Debug, Default)]
pub struct AllTreesStats {
    /// Subproblems whose costs were looked for: states without their cost.
    pub states: u64,
    pub subsets: u64,
    pub size_limits: u64,
    pub lower_bounds: u64,
    pub tight_bounds: u64,
    pub interval_bound: u64,
}
