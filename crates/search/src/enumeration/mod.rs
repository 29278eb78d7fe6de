//! All optimal trees, counted or listed one by one, as a graph of subsets.
//!
//! The caller knows the optimum, so the optimal trees can be defined by limits: each minimized
//! quantity is at most its optimal value, every other quantity at most its limit. So a tree is
//! listed iff its depth is within a limit, and its size and its cost (errors plus the price of its
//! leaves) are within given ranges.
//!
//! With a slack the trees may exceed the optimal values by at most that slack; the ranges are
//! larger then, and the trees are listed in increasing order of the minimized quantity.
//!
//! A *state* is a subset with properties of its trees: depth at most d, size exactly s (or any
//! size), cost exactly c. Its trees are the leaf, if that has these properties, and for each
//! threshold and each way to divide s − 1 and c among the two children every tree of the left state
//! with every tree of the right state. No tree is listed twice: its root determines the threshold,
//! its left child the division. The costs c of the trees of a subset are found in increasing order.
//! States and their *choices* (the leaf, or a threshold with two states) are a graph with far fewer
//! nodes than there are trees; counting is one pass over it, listing traverses it depth first.
//!
//! A *shape* can also be requested. Then a state has a shape, which determines depth and size, and
//! a node assigns the shapes of the two subtrees to its children.
//!
//! `graph.rs` holds states and choices, `spectrum.rs` finds the costs of trees,
//! `threshold_costs.rs` the thresholds whose children can be cheap enough together, `min_cost.rs`
//! finds the minimum cost of a child by search, `root_limits.rs` has the order of the list,
//! `listing.rs` lists the trees.

#[cfg(test)]
mod differential;
mod graph;
mod listing;
mod min_cost;
#[cfg(test)]
mod plain_count;
mod root_limits;
mod shapes;
mod spectrum;
mod subsets;
mod threshold_costs;

use crate::support::clock::Clock;
use crate::support::options::options;
use exactree_model::{Cost, Errors, Table};
use num_bigint::BigUint;

use graph::Graph;
use listing::TreeListing;
pub use listing::Trees;
use min_cost::with_min_cost;
pub use root_limits::ListingQuantity;
pub use shapes::Shapes;

/// Number of errors up to which the search for fewest nodes is used; it tries all divisions of the
/// errors among two children.
pub const FEW_ERRORS: Cost = 64;

/// The trees to count or list.
#[derive(Clone, Debug)]
pub struct AllTreesRequest {
    pub objective: Errors,
    /// Maximum depth; `u32::MAX` for no limit.
    pub depth: u32,
    /// The requested shape, last in its list; it determines `depth` and `sizes`.
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

/// Pruned candidates and saved work, by bound.
#[derive(Clone, Debug, Default)]
pub struct AllTreesStats {
    pub states: u64,
    pub subsets: u64,
    pub size_limits: u64,
    pub lower_bounds: u64,
    pub tight_bounds: u64,
    pub interval_bound: u64,
}

/// Counts the trees; `None` if stopped.
pub fn count_trees(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
) -> (Option<BigUint>, AllTreesStats) {
    let mut counted = (None, AllTreesStats::default());
    if clock.stopped() {
        return counted; // perhaps before the table was read
    }
    with_min_cost(table, request, clock, &mut |min_cost| {
        let mut graph = Graph::new(table, request, clock, min_cost);
        counted = (graph.count_all().ok(), graph.stats());
    });
    counted
}

/// Passes the trees to `take` in batches, each tree once and always in the same order, until `take`
/// returns false. Returns whether all trees were passed.
pub fn list_trees(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
    take: &mut dyn FnMut(Trees) -> bool,
) -> bool {
    let mut complete = false;
    if clock.stopped() {
        return complete; // perhaps before the table was read
    }
    with_min_cost(table, request, clock, &mut |min_cost| {
        let graph = Graph::new(table, request, clock, min_cost);
        complete = matches!(TreeListing::new(graph).run(take), Ok(true));
    });
    complete
}
