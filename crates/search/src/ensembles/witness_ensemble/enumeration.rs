//! Enumeration of all smallest ensembles: the search continues after a solution (001, 6.3).
//!
//! Let an ensemble E have the minimum sizes. Some start agrees with E about its witness. While a
//! refinement that agrees with E has too many dirty items, E classifies one of them, and one of the
//! trees of E predicts another class for it; so one of the next refinements agrees with E as well.
//! In the end the search finds E or an ensemble of which E is a refinement. The latter is
//! impossible, since E would have more nodes than that ensemble. So all are found if the total size
//! is among the minimized quantities; otherwise an ensemble may have superfluous nodes.
//!
//! Accelerators that lose no solution stay on: bounds only prune search nodes without solutions,
//! and everything settled excludes only solutions found before, up to the order of the trees.
//! Accelerators that keep one of several rules that split in the same way are off.

use super::ensemble_list::EnsembleList;
use super::options::EnsembleOptions;
use super::search::{EnsembleWitnessSearch, SearchStopped, TreeLimits};
use crate::ensembles::{Ensemble, Sizes};
use crate::papers::witness::WitnessOptions;
use crate::papers::witness::pairs::Nearest;
use crate::papers::witness::prepared_table::WitnessTable;
use crate::support::clock::Clock;
use crate::support::deep_stack::on_deep_stack;
use crate::support::refusal::Refusal;
use crate::support::table_size::refuse_large_table;
use exactree_model::{Table, Weight};

/// The ensembles to list.
#[derive(Clone, Debug)]
pub struct AllEnsemblesRequest {
    pub trees: u32,
    pub errors: Weight,
    /// The minimum sizes: no ensemble within the errors and this largest size has fewer nodes in
    /// total.
    pub sizes: Sizes,
    /// Maximum depth of a tree.
    pub depth: u32,
    /// Maximum number of ensembles to list.
    pub maximum: usize,
    pub memory_limit: Option<usize>,
}

/// The smallest ensembles, in the order in which the search finds them, and whether these are all.
/// An error if the table has too many items.
pub fn all_ensembles(
    table: &Table,
    request: &AllEnsemblesRequest,
    options: &EnsembleOptions,
    clock: &Clock<'_>,
) -> Result<(Vec<Ensemble>, bool), Refusal> {
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => list::<$words>(table, request, options, clock),)*
                _ => Err(super::too_many_rows(table)),
            }
        };
    }
    by_width!(1, 2, 4, 8, 16, 64, 256, 1024)
}

fn list<const W: usize>(
    table: &Table,
    request: &AllEnsemblesRequest,
    options: &EnsembleOptions,
    clock: &Clock<'_>,
) -> Result<(Vec<Ensemble>, bool), Refusal> {
    if clock.stopped() {
        return Ok((Vec::new(), false)); // possibly before the table was prepared
    }
    let limit = request.memory_limit;
    let values = table.features.iter().map(|feature| feature.values.len() as u128 - 1);
    refuse_large_table("rules by items", values.sum(), W * size_of::<u64>(), limit)?;
    let every_rule = WitnessOptions {
        pure_borders: false,
        equal_rules: false,
        mergeable_features: false,
        ..WitnessOptions::default()
    };
    let options = EnsembleOptions { equal_refinements: false, ..options.clone() };
    let Ok(prepared) = WitnessTable::<W>::new(table, request.errors, &every_rule, clock) else {
        return Ok((Vec::new(), false));
    };
    let levels = u128::from(request.sizes.total) + 1;
    on_deep_stack(levels, super::quantity_loop::bytes_each_level::<W>(), limit, || {
        let nearest = if options.cell_pairs { Nearest::new(&prepared, clock) } else { None };
        let limits = TreeLimits::of_depth(request.depth);
        let mut search =
            EnsembleWitnessSearch::new(&prepared, &options, clock, nearest.as_ref(), limits);
        search.list = Some(EnsembleList::new(request.maximum));
        let ended = search.decide(request.trees as usize, request.sizes);
        let ensembles = search.list.map(|list| list.ensembles).unwrap_or_default();
        // The list is full, or the clock stopped the search.
        let cut_short = matches!(ended, Ok(Some(_)) | Err(SearchStopped));
        (ensembles, !cut_short)
    })
}
