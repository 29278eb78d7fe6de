//! All optimal trees, counted or listed one by one, as a graph of parts.
//!
//! Whoever asks knows the optimum. Then the optimal trees are the trees within
//! certain numbers: what was minimized, in whatever order, is at most its
//! optimal value, everything else at most its limit. So a tree is wanted iff
//! its depth is at most a given one and its size and its cost (errors, plus the
//! price of its leaves) are in given ranges.
//!
//! With a slack the trees are those whose numbers exceed the optimal ones by at
//! most so much; the ranges are larger then, and the trees are listed by what
//! is minimized, least first.
//!
//! A *state* is a subset and what its trees have: depth at most d, size exactly
//! s (or any size), cost exactly c. Its trees are the leaf, if that has these
//! numbers, and for each threshold and each way to share s − 1 and c among the
//! two children every tree of the left state with every tree of the right one.
//! No tree comes twice: its root tells the threshold, its left child the shares.
//! Which costs c the trees of a subset have is found in increasing order.
//! States and their *choices* (the leaf, or a threshold with two states) are a
//! graph with far fewer nodes than there are trees; counting is one pass over
//! it, listing goes through it depth first.
//!
//! A *shape* can be asked for, too. Then a state also has one, which tells its
//! depth and size, and its nodes share out the shapes of the two subtrees.
//!
//! `graph.rs` holds states and choices, `spectrum.rs` finds the costs that there
//! are, `worth.rs` the thresholds whose children can be cheap enough together,
//! `least_cost.rs` has the searches say how cheap a child can be, `roots.rs` has
//! the order of the list, `listing.rs` goes through the trees.

#[cfg(test)]
mod differential;
mod graph;
mod least_cost;
mod listing;
mod parts;
#[cfg(test)]
mod plain_count;
mod roots;
mod shapes;
mod spectrum;
mod worth;

use crate::limits::Clock;
use crate::options::options;
use exactree_model::{Cost, Errors, Table};
use num_bigint::BigUint;

use graph::Graph;
use least_cost::with_least_cost;
use listing::Listing;
pub use listing::Trees;
pub use roots::Quantity;
pub use shapes::Shapes;

/// Up to so many errors the search for fewest nodes answers; it tries all
/// shares of the errors among two sides.
pub const FEW_ERRORS: Cost = 64;

/// Which trees are wanted.
#[derive(Clone, Debug)]
pub struct AllTreesRequest {
    pub objective: Errors,
    /// `u32::MAX` for no limit.
    pub depth: u32,
    /// The only shape wanted; then `depth` and `sizes` are its own.
    pub shapes: Option<Shapes>,
    /// From, to; none for any size.
    pub sizes: Option<(u32, u32)>,
    /// From, to.
    pub costs: (Cost, Cost),
    /// Rows as given that every leaf must hold, at least 1.
    pub min_rows: u64,
    /// No tree within depth and costs has fewer nodes than `sizes` allow.
    pub least_size: bool,
    /// What the trees are listed by, least first; quantities that are not named come last. By
    /// size or depth only where `sizes` or `depth` limit it.
    pub order: Vec<Quantity>,
    /// Bytes of the graph, beyond which the work ends, and of what the searches for least costs
    /// keep; none for no limit.
    pub memory_limit: Option<usize>,
    pub options: AllTreesOptions,
}

options! { AllTreesOptions {
    room: "discard states with more nodes than items or depth have room for (argument in spectrum.rs)",
    bounds: "discard states whose part has no tree as cheap, by the searches for one best tree (argument in spectrum.rs)",
    tight: "know without looking that a state has trees where the least cost is the wanted one (argument in spectrum.rs)",
    spans: "discard thresholds between two others by monotonicity (argument in worth.rs)",
} }

/// What was given up or saved, by rule.
#[derive(Clone, Debug, Default)]
pub struct AllTreesStats {
    pub states: u64,
    pub parts: u64,
    pub room: u64,
    pub bounds: u64,
    pub tight: u64,
    pub spans: u64,
}

/// Counts the trees; none if stopped.
pub fn count_trees(
    table: &Table,
    request: &AllTreesRequest,
    clock: &Clock<'_>,
) -> (Option<BigUint>, AllTreesStats) {
    let mut answer = (None, AllTreesStats::default());
    if clock.stopped() {
        return answer; // perhaps before the table was read
    }
    with_least_cost(table, request, clock, &mut |least_cost| {
        let mut graph = Graph::new(table, request, clock, least_cost);
        answer = (graph.count_all().ok(), graph.stats());
    });
    answer
}

/// Hands on the trees in groups, each once, the same order every time, until
/// `take` returns false. True if these were all.
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
    with_least_cost(table, request, clock, &mut |least_cost| {
        let graph = Graph::new(table, request, clock, least_cost);
        complete = matches!(Listing::new(graph).run(take), Ok(true));
    });
    complete
}
