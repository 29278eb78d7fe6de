//! Searches for single trees: replacements for local search, and lower bounds on the errors and the
//! total depth of an ensemble by one equivalent tree.

use crate::engine::request::{Request, SearchOutcome};
use crate::ensembles::{EnsembleRequest, Sizes};
use crate::minimum_size::{SizeRequest, minimum_size};
use crate::spaces::solve::solve;
use crate::support::clock::Clock;
use crate::support::mutants::{Mutant, offset};
use crate::support::options::{Options, SizeOptions};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Table, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

/// Maximum effort of a quick search: subsets times items times features.
const MAX_QUICK_WORK: u64 = 1 << 26;

/// Maximum depth of trees whose errors are minimized for a bound.
const MAX_BOUND_DEPTH: u32 = 3;

/// The smallest tree of at most `maximum` nodes within the errors, if any, and the number of
/// subsets searched.
pub(super) fn smallest(
    table: &Table,
    request: &EnsembleRequest,
    errors: Weight,
    maximum: u32,
    clock: &Clock<'_>,
) -> (Option<Arc<Tree>>, u64) {
    if table.items.is_empty() {
        return (Some(Tree::leaf(0)), 0);
    }
    // Greedy trees would be of no use here. The bound of unlike pairs would take longer than it
    // saves in so many short searches.
    let options = SizeOptions { incumbent: false, pair_bound: false, ..SizeOptions::default() };
    let tree_request = SizeRequest { errors, options, ..size_request(request, maximum) };
    // No tree for a table that is too large: an incumbent is not required.
    minimum_size(table, &tree_request, clock, &Progress::default())
        .map_or((None, 0), |(outcome, stats)| (outcome.tree, stats.nodes))
}

/// A tree of at most `maximum` nodes within the requested errors, if one is found: the smallest one
/// if a quick search suffices.
pub(super) fn small_tree(
    table: &Table,
    request: &EnsembleRequest,
    maximum: u32,
    clock: &Clock<'_>,
) -> Option<Arc<Tree>> {
    let each = (table.items.len() * table.features.len()).max(1) as u64;
    let tree_request =
        SizeRequest { nodes: MAX_QUICK_WORK / each, ..size_request(request, maximum) };
    minimum_size(table, &tree_request, clock, &Progress::default()).ok()?.0.tree
}

fn size_request(request: &EnsembleRequest, size: u32) -> SizeRequest {
    SizeRequest {
        depth: request.depth,
        errors: request.errors,
        size,
        leaves: Vec::new(),
        nodes: u64::MAX,
        memory_limit: request.memory_limit,
        stop_at_gap: 0.0,
        options: SizeOptions::default(),
    }
}

/// The smallest tree of at most `maximum` nodes within the requested errors, if any; minimizes the
/// errors of one size after the other.
pub(super) fn smallest_by_size(
    table: &Table,
    request: &EnsembleRequest,
    maximum: u32,
    clock: &Clock<'_>,
) -> Option<Arc<Tree>> {
    (0..=maximum).take_while(|_| !clock.stopped()).find_map(|size| {
        let limits =
            Limits { depth: request.depth, size, min_samples_leaf: request.min_samples_leaf };
        solve_for_errors(
            table,
            limits,
            request.errors.saturating_add(1),
            request.memory_limit,
            clock,
        )
        .outcome
        .tree
    })
}

/// The tree with the fewest errors among those of at most `maximum` nodes, if found in time, and
/// the number of subsets searched.
pub(super) fn min_errors(
    table: &Table,
    request: &EnsembleRequest,
    maximum: u32,
    clock: &Clock<'_>,
) -> Option<(Arc<Tree>, u64)> {
    if table.items.is_empty() {
        return Some((Tree::leaf(0), 0));
    }
    let limits =
        Limits { depth: request.depth, size: maximum, min_samples_leaf: request.min_samples_leaf };
    let solved = solve_for_errors(table, limits, UNBOUNDED, request.memory_limit, clock);
    solved.outcome.tree.map(|tree| (tree, solved.stats.nodes))
}

fn solve_for_errors(
    table: &Table,
    limits: Limits,
    below: Cost,
    memory_limit: Option<usize>,
    clock: &Clock<'_>,
) -> SearchOutcome {
    let objective = Errors { error_price: 1, leaf_price: 0 };
    let (stop_at_gap, threads) = (0.0, 1);
    let tree_request = Request { objective, limits, below, memory_limit, stop_at_gap, threads };
    solve(table, &tree_request, &Options::default(), *clock, &Progress::default())
}

/// A lower bound on the errors of ensembles within these sizes, at most `below`; 0 if computing it
/// would take long.
///
/// *One tree.* Put the second tree in place of every leaf of the first one, the third in place of
/// every leaf of the result, and so on, and let the last leaves predict the class with most votes:
/// this is one tree with the errors of the ensemble (001, Theorem 3.2). Leaves multiply and depths
/// add. So no ensemble of s1, s2, ... nodes makes fewer errors than the best tree of at most
/// (s1 + 1)(s2 + 1)... leaves and of depth at most s1 + s2 + ..., and at most the sum of the limits
/// on depth. The product is greatest if the nodes are divided as evenly as possible.
pub(super) fn bound_of_one_tree(
    table: &Table,
    request: &EnsembleRequest,
    sizes: Sizes,
    below: Weight,
    clock: &Clock<'_>,
) -> Weight {
    let limits = as_one_tree(request.trees, sizes, request.depth);
    if limits.depth > MAX_BOUND_DEPTH {
        return 0;
    }
    let solved = solve_for_errors(table, limits, below, request.memory_limit, clock);
    solved.outcome.lower_bound + offset(Mutant::EnsembleOneTree)
}

/// A lower bound on the depth of a tree within the errors, at most `maximum` + 1; and a tree of
/// this depth within the errors, if one was found in time.
///
/// The depth of the one tree above is at most the total depth of the ensemble. So this is also a
/// lower bound on the total depth of ensembles within the errors. The leaves of the one tree may
/// have any number of rows.
pub(super) fn min_depth_of_one_tree(
    table: &Table,
    errors: Weight,
    maximum: u32,
    memory_limit: Option<usize>,
    clock: &Clock<'_>,
) -> (u32, Option<Arc<Tree>>) {
    for depth in 0..=maximum {
        let limits = Limits { depth, size: u32::MAX, min_samples_leaf: 1 };
        let below = errors.saturating_add(1);
        let solved = solve_for_errors(table, limits.normalised(), below, memory_limit, clock);
        if let Some(tree) = solved.outcome.tree {
            return (depth, Some(tree));
        }
        // A search that was cut short proves nothing about this depth.
        if clock.stopped() || solved.outcome.lower_bound < below {
            return (depth, None);
        }
    }
    (maximum.saturating_add(1), None)
}

/// Limits of the one tree equivalent to an ensemble.
fn as_one_tree(trees: u32, sizes: Sizes, depth: u32) -> Limits {
    let total = sizes.total.min(sizes.largest.saturating_mul(trees));
    let (nodes, larger) = (total / trees, total % trees);
    let leaves = |nodes: u32, times: u32| nodes.saturating_add(1).saturating_pow(times);
    let leaves =
        leaves(nodes, trees - larger).saturating_mul(leaves(nodes.saturating_add(1), larger));
    let depth = total.min(depth.saturating_mul(trees));
    Limits { depth, size: leaves - 1, min_samples_leaf: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leaves_multiply_and_depths_add() {
        let limits = |trees, total, largest, deep| {
            let Limits { depth, size, .. } = as_one_tree(trees, Sizes { total, largest }, deep);
            (depth, size)
        };
        // Three trees of one node: 2 * 2 * 2 leaves.
        assert_eq!(limits(3, 3, 1, u32::MAX), (3, 7));
        // Trees of one, two and two nodes: 2 * 3 * 3 leaves.
        assert_eq!(limits(3, 5, 2, u32::MAX), (5, 17));
        assert_eq!(limits(3, 9, 9, 1), (3, 63));
        assert_eq!(limits(2, 9, 1, 4), (2, 3));
        assert_eq!(limits(4, 0, 7, 2), (0, 0));
        assert_eq!(limits(5, u32::MAX, u32::MAX, u32::MAX).0, u32::MAX);
    }
}
