//! Ensembles of minimum size, minimum depth or fewest errors by witness-tree search.
//!
//! Source    Komusiewicz, Kunz, Sommer, Sorge: On Computing Optimal Tree
//!           Ensembles, ICML 2023, full version, section 4 with Algorithm 1, 6.1
//!           (any number of classes) and 6.2 (up to t errors).
//! Time      At most ((t + 1)·(S + l)·2δ·D)^S search nodes for two classes, each start, and
//!           the decision whether there are l trees with at most S nodes.
//! Idea      Every tree starts as a leaf, all with the same witness. An item is *dirty* if the
//! votes
//!           of the current trees misclassify it. In a solution that classifies a dirty item, some
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
mod ensemble_list;
pub(crate) mod enumeration;
pub(crate) mod incumbent;
mod one_tree;
pub(crate) mod options;
mod quantity_loop;
mod refinements;
mod search;
mod statistics;
mod symmetry;
mod votes;

use crate::ensembles::{EnsembleOutcome, EnsembleRequest};
use crate::support::clock::Clock;
use crate::support::refusal::Refusal;
use crate::support::statistics::Progress;
use exactree_model::Table;

pub use options::EnsembleOptions;
use quantity_loop::EnsembleRun;
pub use statistics::EnsembleStats;

/// A minimum ensemble within the allowed errors or, if stopped, the incumbent and a lower bound. An
/// error if the table has too many items.
pub fn witness_ensemble(
    table: &Table,
    request: &EnsembleRequest,
    options: &EnsembleOptions,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(EnsembleOutcome, EnsembleStats), Refusal> {
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

fn too_many_rows(table: &Table) -> Refusal {
    let rows = table.items.len();
    Refusal::TooManyRows { method: "The witness search", maximum: 1 << 16, rows }
}
