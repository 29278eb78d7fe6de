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
//!           *dirty* if the current tree misclassifies it. A dirty item that a solution classifies
//!           correctly must get another leaf; the next refinement may already add that leaf, with
//!           the item as the leaf's witness (Lemma 4.2): if there is a solution, some one-step
//!           refinement that *introduces* the item, that is, adds a leaf with this witness, leads
//!           to the solution. Try all of them.
//!
//! Twin of `spec/witness.py`: with all switches off and items in the order of the table, it visits
//! the same search nodes. Every accelerator has a switch in `options.rs`. Accelerators marked there
//! with Witty follow Staus et al. (Witty), AAAI 2025; the others are new, and so are the parts that
//! files mark as beyond the source.
//!
//! `search.rs` decides for one size; `branching.rs` applies the bounds, `dirty_examples.rs` selects
//! the items to introduce, `refinements.rs` introduces them; `tree.rs` is the witness tree;
//! `size_loop.rs` raises the size from a lower bound.

pub(crate) mod bounds;
mod branching;
mod cache;
mod caching;
mod constraints;
#[cfg(test)]
mod differential;
mod dirty_examples;
mod features;
mod improvements;
mod last_node;
mod leaf_pairs;
pub(crate) mod options;
pub(crate) mod pairs;
pub(crate) mod prepared_table;
mod pure_children;
mod reductions;
mod refinements;
mod request;
mod search;
mod size_loop;
mod starts;
pub(crate) mod tree;

use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::refusal::Refusal;
use crate::support::statistics::Progress;
use exactree_model::{Outcome, Table, Tree, Weight};

pub use options::WitnessOptions;
pub use request::{WitnessRequest, WitnessStats};
use size_loop::WitnessRun;

/// A smallest tree within the errors or, if stopped, the incumbent and a lower bound. Costs are
/// sizes. An error if the table has too many items.
pub fn witness(
    table: &Table,
    request: &WitnessRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, WitnessStats), Refusal> {
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
    let known = || request.options.incumbent.then(start).flatten();
    let task = WitnessRun { table, request, clock, progress };
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => task.solve_with_words::<$words>(known()),)*
                _ => Err(Refusal::TooManyRows {
                    method: "The witness search",
                    maximum: 1 << 16,
                    rows: table.items.len(),
                }),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}
