//! Smallest trees without errors by binary search for the thresholds: the fast form of
//! `spec/threshold.py`.
//!
//! Kobourov et al., AAAI 2023, Theorem 3.2 (Algorithms 1 and 2), in O((s^3 d)^s n^(1 + o(1))) time;
//! with given features only (Corollary 3.3); with at most R leaves of a class (Theorem 3.6; here R
//! is passed through the recursion, for any number of classes).
//!
//! `algorithms.rs` has the two algorithms, `shortcuts.rs` the accelerators beyond the paper,
//! `search.rs` their state. This file runs them for increasing sizes.
//!
//! `minimum_size/` was developed from these algorithms and is faster on all but tiny tables.

mod algorithms;
#[cfg(test)]
mod differential;
mod request;
mod search;
mod shortcuts;

use crate::papers::examples::IndexedExamples;
use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::refusal::Refusal;
use crate::support::size_loop::first_feasible;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Table, UNBOUNDED};
use std::borrow::Cow;

pub use request::{ThresholdOptions, ThresholdRequest, ThresholdStats};
use search::ThresholdSearch;

/// A smallest tree within the limits or, if stopped, the incumbent and a lower bound. An error if
/// the splits would not fit in memory. Costs are sizes.
pub fn threshold(
    table: &Table,
    request: &ThresholdRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, ThresholdStats), Refusal> {
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
        let known =
            known.map(|(size, tree)| (size, tree.with_features(&|at| features[at as usize])));
        let outcome = Outcome::of(known, 0, upper, clock.stopped_by());
        let seconds = clock.seconds();
        return Ok((outcome, ThresholdStats { first_incumbent, seconds, ..Default::default() }));
    };
    let mut search = ThresholdSearch::new(&examples, request, clock);
    let maximum = max_nodes(&restricted, request);
    let (lower, known) = first_feasible(0, maximum, known, progress, |s| search.tree_of_size(s));
    let known = known.map(|(size, tree)| (size, tree.with_features(&|at| features[at as usize])));
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
