//! Smallest trees without errors by binary search for the thresholds: the fast form of
//! `spec/threshold.py`.
//!
//! Kobourov et al., AAAI 2023, Theorem 3.2 (Algorithms 1 and 2), in O((s^3 d)^s n^(1 + o(1))) time;
//! with given features only (Corollary 3.3); with at most R leaves of a class (Theorem 3.6; here R
//! is passed through the recursion, for any number of classes).
//!
//! `algorithms.rs` has the two algorithms, `shortcuts.rs` the accelerators beyond the paper. This
//! file runs them for increasing sizes.
//!
//! `minimum_size/` was developed from these algorithms and is faster on all but tiny tables.

mod algorithms;
#[cfg(test)]
mod differential;
mod shortcuts;

use crate::papers::examples::IndexedExamples;
use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::options::options;
use crate::support::size_loop::first_feasible;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Table, Tree, UNBOUNDED};
use std::borrow::Cow;
use std::sync::Arc;

use algorithms::ThresholdSearch;

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

/// A smallest tree within the limits or, if stopped, the incumbent and a lower bound. An error if
/// the splits would not fit memory. Costs are sizes.
pub fn threshold(
    table: &Table,
    request: &ThresholdRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, ThresholdStats), String> {
    let all = || (0..table.features.len() as u32).collect();
    let features: Vec<u32> = request.features.clone().unwrap_or_else(all);
    let restricted = match &request.features {
        Some(features) => Cow::Owned(restrict(table, features)),
        None => Cow::Borrowed(table),
    };
    let upper = u64::from(request.size) + 1;
    if restricted.contradictory_groups > 0 {
        return Ok((Outcome::of(None, upper, upper, None), ThresholdStats::default()));
    }
    let start = || first_tree(&restricted, 0, request.size, clock);
    let known = request.options.incumbent.then(start).flatten();
    let known = known.filter(|(_, tree)| request.allows(tree));
    let first_incumbent = known.as_ref().map(|(size, _)| *size);
    progress.report(first_incumbent.unwrap_or(UNBOUNDED), 0);
    let Ok(examples) = IndexedExamples::new(&restricted, request.memory_limit, clock)? else {
        let known = known.map(|(size, tree)| (size, in_features(&features, &tree)));
        let outcome = Outcome::of(known, 0, upper, clock.stopped_by());
        let seconds = clock.seconds();
        return Ok((outcome, ThresholdStats { first_incumbent, seconds, ..Default::default() }));
    };
    let mut search = ThresholdSearch::new(&examples, request, clock);
    let maximum = max_nodes(&restricted, request);
    let (lower, known) = first_feasible(0, maximum, known, progress, |s| search.tree_of_size(s));
    let known = known.map(|(size, tree)| (size, in_features(&features, &tree)));
    let outcome = Outcome::of(known, lower, upper, clock.stopped_by());
    let stats = ThresholdStats { first_incumbent, seconds: clock.seconds(), ..search.stats() };
    Ok((outcome, stats))
}

/// A size that always suffices, but at most the limit.
///
/// Every leaf has an item. If there are two classes and one may have at most R leaves, a smallest
/// tree with d features has at most 2d(2R − 1) + R − 1 nodes (Theorem 3.6).
fn max_nodes(table: &Table, request: &ThresholdRequest) -> u32 {
    let weights = table.class_weights();
    let present = |class: u32| weights.get(class as usize).is_some_and(|&weight| weight > 0);
    let minimum = request.leaves.iter().filter(|(class, _)| present(*class)).map(|(_, r)| *r).min();
    let sufficient = table.items.len() as u64 - 1;
    let classes = weights.iter().filter(|&&weight| weight > 0).count();
    let sufficient = match minimum.map(u64::from).filter(|_| classes == 2) {
        Some(0) => 0,
        Some(r) => sufficient.min(2 * table.features.len() as u64 * (2 * r - 1) + r - 1),
        None => sufficient,
    };
    sufficient.min(request.size.into()) as u32
}

/// The table with only the given features; rows that become equal are merged. Ranks stay the same,
/// since every value still has a row.
fn restrict(table: &Table, features: &[u32]) -> Table {
    let rank = |feature: &u32| &table.features[*feature as usize].ranks;
    let column = |feature| rank(feature).iter().map(|&rank| f64::from(rank)).collect();
    let columns: Vec<Vec<f64>> = features.iter().map(column).collect();
    let labels: Vec<u32> = table.items.iter().map(|item| item.class).collect();
    let weights: Vec<u64> = table.items.iter().map(|item| item.weight).collect();
    Table::new(&columns, &labels, &weights, table.n_classes)
}

/// The tree with features as indices into the whole table.
fn in_features(features: &[u32], tree: &Tree) -> Arc<Tree> {
    match tree {
        Tree::Leaf { class } => Tree::leaf(*class),
        Tree::Node { feature, rank, left, right } => {
            let (left, right) = (in_features(features, left), in_features(features, right));
            Tree::node(features[*feature as usize], *rank, left, right)
        }
    }
}

impl ThresholdRequest {
    /// Whether a tree has no more leaves of any class than allowed.
    fn allows(&self, tree: &Tree) -> bool {
        self.leaves.iter().all(|(class, maximum)| leaves_of(tree, *class) <= *maximum)
    }
}

fn leaves_of(tree: &Tree, predicted: u32) -> u32 {
    match tree {
        Tree::Leaf { class } => u32::from(*class == predicted),
        Tree::Node { left, right, .. } => leaves_of(left, predicted) + leaves_of(right, predicted),
    }
}
