//! Smallest trees by dynamic programming over sets of items: the fast form of
//! `spec/subsets.py` and `spec/labelings.py`.
//!
//! Komusiewicz et al., ICML 2023, full version. Without errors Theorem 5.2 (two classes) and 6.4
//! (any number): Q[R_1, ..., R_c] with R_j inside class j, that is one entry for every set of
//! items, in O(2^n · D·d·n) time (`own_class.rs`). With up to t errors Corollary 6.8: one entry for
//! every labelling of every set of items, in O((c + 1)^n · D·d·n) time (`labelings.rs`); or, beyond
//! the paper, one entry for every set and number of errors (`error_budgets.rs`).
//!
//! A set of items is a word, with bit i for item i. The word is also the number of the set, so all
//! subsets of a set come before it. A table that would not fit in memory is refused; long searches
//! are not.

pub(crate) mod context;
#[cfg(test)]
mod differential;
mod error_budgets;
pub(crate) mod labelings;
mod own_class;
pub(crate) mod prepared_table;
mod request;

use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::refusal::Refusal;
use crate::support::statistics::Progress;
use crate::support::table_size::{power, refuse_large_table};
use exactree_model::{Errors, Outcome, Table, Tree, UNBOUNDED, Weight};

use context::TableContext;
use prepared_table::SubsetTable;
pub use request::{SubsetOptions, SubsetRequest, SubsetStats};

/// A smallest tree within the errors or, if stopped, the incumbent and a lower bound. An error if
/// the entries would not fit in memory. Costs are sizes.
pub fn subset_dp(
    table: &Table,
    request: &SubsetRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, SubsetStats), Refusal> {
    let upper = u64::from(request.size) + 1;
    let weights = table.class_weights();
    if Errors::leaf_errors(&weights) <= request.errors {
        let leaf = Tree::leaf(Errors::leaf_class(&weights));
        progress.report(0, 0);
        return Ok((Outcome::of(Some((0, leaf)), 0, upper, None), SubsetStats::default()));
    }
    if table.items.iter().map(|item| item.unavoidable).sum::<Weight>() > request.errors {
        return Ok((Outcome::of(None, upper, upper, None), SubsetStats::default()));
    }
    let kind = choose_table(table, request)?;
    let start = || first_tree(table, request.errors, request.size, clock);
    let mut incumbent = request.options.incumbent.then(start).flatten();
    let first_incumbent = incumbent.as_ref().map(|(size, _)| *size);
    progress.report(first_incumbent.unwrap_or(UNBOUNDED), 0);
    let prepared = SubsetTable::new(table);
    let stats =
        SubsetStats { error_budgets: kind == TableKind::ErrorBudgets, ..SubsetStats::default() };
    let options = &request.options;
    let mut context =
        TableContext { prepared: &prepared, options, clock, progress, stats, next_poll: 0 };
    let solution = match kind {
        TableKind::OwnClass => own_class::smallest(&mut context),
        TableKind::Labelings => labelings::smallest(&mut context, request.errors),
        TableKind::ErrorBudgets => error_budgets::smallest(&mut context, request.errors),
    };
    let improves =
        |size: u64| size < upper && incumbent.as_ref().is_none_or(|(best, _)| size < *best);
    if let Some(found) = solution.tree.filter(|(size, _)| improves(*size)) {
        incumbent = Some(found);
    }
    let outcome = Outcome::of(incumbent, solution.lower, upper, clock.stopped_by());
    let stats = SubsetStats { first_incumbent, seconds: clock.seconds(), ..context.stats };
    Ok((outcome, stats))
}

/// The table to fill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TableKind {
    OwnClass,
    Labelings,
    ErrorBudgets,
}

/// The table that takes less work to fill or, if it does not fit in memory, the other table. An
/// error if neither table fits.
fn choose_table(table: &Table, request: &SubsetRequest) -> Result<TableKind, Refusal> {
    let items = table.items.len();
    let classes = table.class_weights().iter().filter(|&&weight| weight > 0).count();
    // 2^63 entries never fit in memory, so the sets of a table that is not refused are words.
    let sets = power(2, items);
    let limit = request.memory_limit;
    if request.errors == 0 {
        refuse_large_table("Theorem 6.4", sets, 1, limit)?;
        return Ok(TableKind::OwnClass);
    }
    // One byte for every labelling, and a number of eight bytes for every set.
    let labelings = power(classes + 1, items).saturating_add(sets.saturating_mul(8));
    let levels = u128::from(request.errors) + 1;
    let by_errors = sets.saturating_mul(levels);
    let by_labelings = refuse_large_table("Corollary 6.8", labelings, 1, limit);
    if request.options.error_budgets {
        // Every entry tries all divisions of its errors.
        let less_work = by_errors.saturating_mul(levels + 1) / 2 <= labelings;
        if less_work || by_labelings.is_err() {
            refuse_large_table("sets and errors", by_errors, 1, limit)?;
            return Ok(TableKind::ErrorBudgets);
        }
    }
    by_labelings.map(|()| TableKind::Labelings)
}
