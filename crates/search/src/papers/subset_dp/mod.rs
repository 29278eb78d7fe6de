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
//! subsets of a set come before it. A table that would not fit memory is refused; long searches are
//! not.

#[cfg(test)]
mod differential;
mod error_budgets;
pub(crate) mod labelings;
mod own_class;
pub(crate) mod prepared_table;

use crate::spaces::greedy_tree::first_tree;
use crate::support::clock::Clock;
use crate::support::options::options;
use crate::support::size_loop::SizedTree;
use crate::support::statistics::Progress;
use crate::support::table_size::{power, refuse_large_table};
use exactree_model::{Errors, Outcome, Table, Tree, UNBOUNDED, Weight};

use prepared_table::SubsetTable;

/// Number of splits compared or entries filled between two polls of the clock.
const CLOCK_INTERVAL: u64 = 1 << 14;

options! { SubsetOptions {
    incumbent: "start from a greedy tree",
    inner_subsets: "stop at an entry that equals the entry of a subset (argument in papers/subset_dp/own_class.rs)",
    few_errors: "fill only labellings within the allowed errors (argument in papers/subset_dp/labelings.rs)",
    error_budgets: "fill a table of sets and errors instead of labellings if that is less work (argument in papers/subset_dp/error_budgets.rs)",
} }

/// A request for fewest nodes.
#[derive(Clone, Debug)]
pub struct SubsetRequest {
    /// Maximum misclassified weight.
    pub errors: Weight,
    /// Maximum size.
    pub size: u32,
    /// Memory limit of the table in bytes.
    pub memory_limit: Option<usize>,
    pub options: SubsetOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct SubsetStats {
    /// Entries of the table, and those filled.
    pub entries: u64,
    pub filled: u64,
    /// Splits compared.
    pub splits: u64,
    /// Entries found equal to that of a subset, and labellings skipped for their errors.
    pub inner_subsets: u64,
    pub few_errors: u64,
    /// Whether the table is that of sets and errors.
    pub error_budgets: bool,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

/// A lower bound and, if the table is complete, a smallest tree within the errors, if any.
pub(crate) struct TableResult {
    lower: u64,
    tree: Option<SizedTree>,
}

/// The inputs of a search and its statistics, while a table is filled.
pub(crate) struct TableContext<'a> {
    pub prepared: &'a SubsetTable,
    pub options: &'a SubsetOptions,
    pub clock: &'a Clock<'a>,
    pub progress: &'a Progress,
    pub stats: SubsetStats,
    pub next_poll: u64,
}

/// A smallest tree within the errors or, if stopped, the incumbent and a lower bound. An error if
/// the entries would not fit memory. Costs are sizes.
pub fn subset_dp(
    table: &Table,
    request: &SubsetRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, SubsetStats), String> {
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

/// The table with the least work or, if that does not fit memory, the other one. An error if none
/// fits.
fn choose_table(table: &Table, request: &SubsetRequest) -> Result<TableKind, String> {
    let items = table.items.len();
    let classes = table.class_weights().iter().filter(|&&weight| weight > 0).count();
    // 2^63 entries never fit memory, so the sets of a table that is not refused are words.
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

impl TableContext<'_> {
    /// Whether the clock has stopped the search. Polls the clock and reports the lower bound once per
    /// `CLOCK_INTERVAL` steps.
    fn stopped(&mut self, lower: impl FnOnce() -> u64) -> bool {
        let steps = self.stats.filled + self.stats.few_errors + self.stats.splits;
        if steps < self.next_poll {
            return false;
        }
        self.next_poll = steps + CLOCK_INTERVAL;
        self.progress.report(UNBOUNDED, lower());
        self.clock.stopped()
    }
}
