//! Smallest trees by witness-tree search.
//!
//! Source    Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree
//!           Ensembles, ICML 2023, full version, section 4 (Corollary 4.3: one
//!           tree), 6.1 (any number of classes) and 6.2 (up to t errors).
//! Time      At most (δ·D·s)^s search nodes to decide whether there is a tree of at most s nodes
//!           without errors; with t errors c·((t + 1)·2δ·D·s)^s. D: maximum number of values of
//!           a feature, δ: maximum number of features in which two items of different classes
//!           differ, c: number of classes.
//! Idea      Every leaf has a *witness*, an item that stays in it; start with one leaf. An item is
//!           *dirty* if the present tree misclassifies it. A dirty item that a solution classifies
//!           must get another leaf, and may get it by the next refinement, as its witness (Lemma
//!           4.2): if there is a solution, some one-step refinement that *introduces* the item, that
//!           is, adds a leaf with this witness, leads to the solution. Try all of them.
//!
//! Twin of `spec/witness.py`: with all switches off and items in the order of the table, it visits
//! the same search nodes. Every accelerator has a switch in `options.rs`. Accelerators marked there
//! with Witty follow Staus et al. (Witty), AAAI 2025; the others are new, and so are the parts that
//! files mark as beyond the source.
//!
//! `search.rs` decides for one size; `dirty_examples.rs` selects the items to introduce,
//! `refinements.rs` introduces them; `tree.rs` is the witness tree; `size_loop.rs` raises the size
//! from a lower bound.

pub(crate) mod bounds;
mod caching;
mod constraints;
#[cfg(test)]
mod differential;
mod dirty_examples;
mod improvements;
mod last_node;
pub mod options;
pub(crate) mod pairs;
pub(crate) mod prepared_table;
mod pure_children;
mod reductions;
mod refinements;
mod search;
mod size_loop;
pub(crate) mod tree;

use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, counts};
use exactree_model::{Outcome, Table, Tree, Weight};

pub use options::WitnessOptions;
use size_loop::WitnessRun;

/// A request for fewest nodes.
#[derive(Clone, Debug)]
pub struct WitnessRequest {
    /// Maximum misclassified weight.
    pub errors: Weight,
    /// Maximum size.
    pub size: u32,
    /// Limit on the bytes of the rules, and soft limit on those of the cache.
    pub memory_limit: Option<usize>,
    pub options: WitnessOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct WitnessStats {
    /// Witness trees visited: starts and refinements within the size.
    pub search_nodes: u64,
    /// The same by the requested size.
    pub search_nodes_by_size: Vec<(u32, u64)>,
    /// Witness trees visited to solve leaves separately.
    pub leaf_search_nodes: u64,
    /// Sets of items with cached bounds.
    pub cached_subsets: u64,
    pub cache_evicted: u64,
    /// Features and rules after reduction.
    pub features: u32,
    pub rules: u64,
    /// Size that the search begins with.
    pub first_size: u32,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u32>,
    pub pruned: WitnessPruneCounts,
    pub seconds: f64,
}

counts! {
    /// Pruned candidates, by the bound that pruned them.
    pub struct WitnessPruneCounts {
        /// Dirty items that every solution misclassifies.
        fixed_errors,
        equal_refinements,
        /// Search nodes pruned by the improvement bound.
        improvement_bound,
        /// Rules that correct less weight than the improvement bound requires.
        needed_improvement,
        /// Search nodes pruned by the unlike pairs inside leaves.
        leaf_pairs,
        /// Rules left out because another rule of their feature can replace them.
        pure_children,
        /// Search nodes that one more refinement does not solve.
        last_node,
        threshold_constraints,
        height_constraints,
        /// Search nodes pruned by a cached set.
        cached_subsets,
        /// Search nodes pruned by solving a leaf.
        leaves_solved,
        /// Sizes below the first size searched.
        pair_bound,
        /// Rules left out before the search.
        pure_borders,
        equal_rules,
        /// Features merged before the search.
        mergeable_features,
    }
}

/// A smallest tree within the errors or, if stopped, the incumbent and a lower bound. Costs are
/// sizes. An error if the table has too many items.
pub fn witness(
    table: &Table,
    request: &WitnessRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, WitnessStats), String> {
    let unavoidable: Weight = table.items.iter().map(|item| item.unavoidable).sum();
    let upper = u64::from(request.size).saturating_add(1);
    if unavoidable > request.errors {
        return Ok((Outcome::of(None, upper, upper, None), WitnessStats::default()));
    }
    if table.items.is_empty() {
        return Ok((
            Outcome::of(Some((0, Tree::leaf(0))), 0, upper, None),
            WitnessStats::default(),
        ));
    }
    let start = || first_tree(table, request.errors, request.size, clock);
    let known = request.options.incumbent.then(start).flatten();
    let task = WitnessRun { table, request, clock, progress };
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => task.solve_with_words::<$words>(known),)*
                _ => Err(format!(
                    "The witness search accepts up to 65536 distinct rows, but there are {}.",
                    table.items.len()
                )),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}
