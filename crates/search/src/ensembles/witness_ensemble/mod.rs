//! Ensembles of minimum size, minimum depth or fewest errors by witness-tree search.
//!
//! Source    Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree
//!           Ensembles, ICML 2023, full version, section 4 with Algorithm 1, 6.1
//!           (any number of classes) and 6.2 (up to t errors).
//! Time      At most ((t + 1)·(S + l)·2δ·D)^S search nodes for two classes, each start, and
//!           the decision whether there are l trees with at most S nodes.
//! Idea      Every tree starts as a leaf, all with the same witness. An item is *dirty* if the votes
//!           of the present trees misclassify it. In a solution that classifies a dirty item, some
//!           tree that now misclassifies the item gives it another class, and the next refinement
//!           may change this tree so (Lemma 4.2): try every such tree, class and one-step
//!           refinement.
//!
//! Twin of `spec/witness_ensemble.py`: with all switches off and items in the order of the table,
//! it visits the same search nodes. Accelerators beyond the paper have switches in `options.rs`;
//! the argument for each is in its file.
//!
//! `search.rs` decides for given sizes and errors; `branching.rs` selects the items to branch on,
//! `refinements.rs` tries the refinements; `quantity_loop.rs` raises the quantities from lower
//! bounds; `enumeration.rs` lists all smallest ensembles.

mod bounds;
mod branching;
mod cells;
#[cfg(test)]
mod differential;
pub mod enumeration;
pub(crate) mod incumbent;
mod one_tree;
pub mod options;
mod quantity_loop;
mod refinements;
mod search;
mod symmetry;
mod votes;

use crate::ensembles::{EnsembleOutcome, EnsembleRequest};
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, counts};
use exactree_model::{Cost, Table};

pub use options::EnsembleOptions;
use quantity_loop::EnsembleRun;

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct EnsembleStats {
    /// Starts and refinements within the requested sizes.
    pub search_nodes: u64,
    /// The same by the requested sizes: total, and of the largest tree.
    pub search_nodes_by_size: Vec<((u32, u32), u64)>,
    /// Total size that the search begins with.
    pub first_size: u32,
    /// Value of the first quantity of the first incumbent.
    pub first_incumbent: Option<Cost>,
    pub pruned: EnsemblePruneCounts,
    pub seconds: f64,
}

counts! {
    /// Pruned candidates, by the bound that pruned them.
    pub struct EnsemblePruneCounts {
        /// Trees not refined because they equal another tree.
        equal_trees,
        /// Branchings on a lost vote.
        lost_votes,
        equal_refinements,
        /// Search nodes at which too few trees may still change their votes.
        votes_left,
        /// Search nodes at which the remaining refinements gain too few votes.
        votes_gained,
        /// Rules that gain too few votes.
        votes_needed,
        /// Search nodes pruned by the unlike pairs inside cells.
        cell_pairs,
        /// Places where a new node would make a path too long.
        depth,
        /// Rules that leave a leaf too few rows.
        leaf_rows,
        /// Leaves of a class of which a tree has the maximum number.
        leaves_of,
        /// First lower bounds that the bound by one tree raised.
        one_tree,
    }
}

/// A minimum ensemble within the allowed errors or, if stopped, the incumbent and a lower bound. An
/// error if the table has too many items.
pub fn witness_ensemble(
    table: &Table,
    request: &EnsembleRequest,
    options: &EnsembleOptions,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(EnsembleOutcome, EnsembleStats), String> {
    let task = EnsembleRun { table, request, options, clock, progress };
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => task.solve_with_words::<$words>(),)*
                _ => Err(too_many_rows(table)),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}

fn too_many_rows(table: &Table) -> String {
    let items = table.items.len();
    format!("The witness search accepts up to 65536 distinct rows, but there are {items}.")
}
