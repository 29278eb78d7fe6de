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
//! threshold and each way to divide s − 1 and c between the children, all pairs of a tree of the
//! left state and a tree of the right state. No tree is listed twice: its root determines the
//! threshold, and its left child determines how size and cost are divided. The costs c of the trees
//! of a subset are found in increasing order. States and their *choices* (the leaf, or a threshold
//! with two states) are a graph with far fewer nodes than there are trees; counting is one pass
//! over it, listing traverses it depth first.
//!
//! A *shape* can also be requested. Then a state has a shape, which determines depth and size, and
//! a node assigns the shapes of the two subtrees to its children.
//!
//! `graph.rs` holds states and choices, `subproblem.rs` has states without their cost,
//! `spectrum.rs` finds the costs of trees, `threshold_costs.rs` the thresholds whose children can
//! be cheap enough together, `min_cost.rs` finds the minimum cost of a child by search,
//! `root_limits.rs` has the limits of the whole table in the order of the list, `listing.rs` lists
//! the trees.
//!
//! `error_pairs.rs` lists the Pareto front of false positives and false negatives.

#[cfg(test)]
mod differential;
pub(crate) mod error_pairs;
mod graph;
mod listing;
mod min_cost;
pub(crate) mod pair_fronts;
#[cfg(test)]
mod plain_count;
mod request;
mod root_limits;
mod shapes;
mod spectrum;
mod subproblem;
mod subsets;
mod threshold_costs;

use crate::support::clock::Clock;
use exactree_model::Table;
use num_bigint::BigUint;

use graph::Graph;
use listing::TreeListing;
pub use listing::Trees;
use min_cost::with_min_cost;
pub use request::{AllTreesOptions, AllTreesRequest, AllTreesStats, ListingQuantity};
pub use shapes::Shapes;

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
