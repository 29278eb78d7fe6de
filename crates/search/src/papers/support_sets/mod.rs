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
//! and the accelerators of the switches below, which are described with the steps. This file
//! searches for one size, or depth, after the other.
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
mod shapes_together;

use crate::papers::examples::IndexedExamples;
use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::options::options;
use crate::support::size_loop::{SizedTree, first_feasible};
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Table, UNBOUNDED};

use algorithms::SupportSetSearch;
use differences::Differences;
pub use quantity::TreeQuantity;

options! { SupportSetsOptions {
    incumbent: "start from a greedy tree",
    first_found: "take the first tree found: the outer loop has refuted better ones",
    minimal_differences: "compare pairs beforehand and keep differences that contain no other one (argument in papers/support_sets/differences.rs)",
    disjoint_differences: "unlike pairs with disjoint differences need one feature each (argument in papers/support_sets/minimal_support_sets.rs)",
    tried_features: "exclude features tried before from all supersets (argument in papers/support_sets/minimal_support_sets.rs)",
    shapes_together: "find the thresholds for all shapes and features of a set in one search (argument in papers/support_sets/shapes_together.rs)",
    nodes_outside: "decide all supersets of a support set in one search, by the nodes outside it (argument in papers/support_sets/shapes_together.rs)",
    smaller_child: "find the threshold by the child with fewer nodes (argument in papers/support_sets/shapes_together.rs)",
    cache: "cache subsets that were decided, compared by their items (argument in papers/support_sets/shapes_together.rs)",
    class_count: "a tree without errors has a leaf for every class (argument in papers/support_sets/shapes_together.rs)",
} }

/// A request for a tree without errors.
#[derive(Clone, Debug)]
pub struct SupportSetsRequest {
    pub minimize: TreeQuantity,
    /// Maximum size, or depth.
    pub maximum: u32,
    /// Limit on the bytes of the splits, and soft limit on those of the differences and of the
    /// cache.
    pub memory_limit: Option<usize>,
    pub options: SupportSetsOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct SupportSetsStats {
    /// Differences of unlike pairs kept.
    pub differences: u64,
    /// Sets listed by Corollary 9.
    pub support_sets: u64,
    /// Supersets of these with features of branching sets.
    pub larger_sets: u64,
    /// Pairs of a shape and an assignment of features to its nodes.
    pub pairs: u64,
    /// Calls of findTH.
    pub find_th: u64,
    /// Subsets whose rules were tried, with `shapes_together` or `nodes_outside`.
    pub calls: u64,
    pub cache_lookups: u64,
    pub cache_hits: u64,
    pub cache_entries: u64,
    pub cache_evicted: u64,
    /// Sets pruned because disjoint differences need too many further features.
    pub disjoint_differences: u64,
    /// Sets whose branching set is empty.
    pub empty_branching_sets: u64,
    /// Sets of which one node may be outside, so that the branching set restricts its feature.
    pub small_branching_sets: u64,
    /// Subsets with too many classes.
    pub class_count: u64,
    /// Size, or depth, of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

/// A tree of minimum size, or minimum depth, without errors or, if stopped, the incumbent and a
/// lower bound. An error if the splits would not fit memory. Costs are sizes, or depths.
pub fn support_sets(
    table: &Table,
    request: &SupportSetsRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, SupportSetsStats), String> {
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
