//! Trees of minimum size or minimum depth without errors by support sets: the fast form of
//! `spec/support_sets.py`.
//!
//! Source    Ordyniak, Szeider: Parameterized Complexity of Small Decision Tree
//!           Learning, AAAI 2021: Theorem 8, for any number of classes.
//! Time      (D_max^s · 2δ_max)^s times that of Theorem 4.
//! Idea      The features of a tree are a support set, so they contain a minimal support set S. If
//!           they are not S, some of the others are in the branching set of S: try to add each of
//!           its features. For every S on the way, Theorem 4 finds a best tree that uses S.
//!
//! The steps are in the files of their names: `minimal_support_sets.rs` (Corollary 9),
//! `branching_sets.rs` (Lemmas 12 to 14), `pseudo_trees.rs` (Lemma 5), `find_thresholds.rs` (Lemma
//! 6: Algorithms 1 and 2; Theorem 4), `algorithms.rs` (Theorem 8: Algorithms 3 and 4). The
//! departures of the specification apply here as well. Beyond the paper are `shapes_together.rs`
//! and the accelerators that the switches in `request.rs` list, which are described with the steps.
//! This file searches for one size, or depth, after the other.
//!
//! On all real tables tried, the engine (for sizes `minimum_size/`) is faster.

mod algorithms;
mod branching_sets;
mod differences;
#[cfg(test)]
mod differential;
mod find_thresholds;
mod minimal_support_sets;
mod pseudo_trees;
mod quantity;
mod request;
mod search;
mod shapes_together;

use crate::papers::examples::IndexedExamples;
use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::refusal::Refusal;
use crate::support::size_loop::{SizedTree, first_feasible};
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Table, UNBOUNDED};

use differences::Differences;
pub use quantity::TreeQuantity;
pub use request::{SupportSetsOptions, SupportSetsRequest, SupportSetsStats};
use search::SupportSetSearch;

/// A tree of minimum size, or minimum depth, without errors or, if stopped, the incumbent and a
/// lower bound. An error if the splits would not fit in memory. Costs are sizes, or depths.
pub fn support_sets(
    table: &Table,
    request: &SupportSetsRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, SupportSetsStats), Refusal> {
    let upper = u64::from(request.maximum) + 1;
    if table.contradictory_groups > 0 {
        return Ok((Outcome::of(None, upper, upper, None), SupportSetsStats::default()));
    }
    let start = || incumbent(table, request, clock);
    let known = request.options.incumbent.then(start).flatten();
    let first_incumbent = known.as_ref().map(|(minimum, _)| *minimum);
    progress.report(first_incumbent.unwrap_or(UNBOUNDED), 0);
    let stopped = |known| {
        let outcome = Outcome::of(known, 0, upper, clock.stopped_by());
        let seconds = clock.seconds();
        Ok((outcome, SupportSetsStats { first_incumbent, seconds, ..Default::default() }))
    };
    let Ok(examples) = IndexedExamples::new(table, request.memory_limit, clock)? else {
        return stopped(known);
    };
    let Ok(differences) = Differences::new(&examples.rows, request, clock) else {
        return stopped(known);
    };
    let mut search = SupportSetSearch::new(&examples, differences, request, clock);
    // Every leaf of a minimum tree has an item.
    let maximum = request.maximum.min(examples.items as u32 - 1);
    let (lower, known) = first_feasible(0, maximum, known, progress, |s| search.min_dt(s));
    let known = known.map(|(_, tree)| {
        let tree = search.without_useless_nodes(&tree);
        (u64::from(request.minimize.of(&tree)), tree)
    });
    let outcome = Outcome::of(known, lower, upper, clock.stopped_by());
    let stats = SupportSetsStats { first_incumbent, seconds: clock.seconds(), ..search.stats() };
    Ok((outcome, stats))
}

/// The greedy tree, if it is within the limit.
fn incumbent(table: &Table, request: &SupportSetsRequest, clock: &Clock<'_>) -> Option<SizedTree> {
    let (_, tree) = first_tree(table, 0, u32::MAX, clock)?;
    let measure = request.minimize.of(&tree);
    (measure <= request.maximum).then_some((measure.into(), tree))
}
