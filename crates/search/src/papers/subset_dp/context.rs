//! The state of a search while a table is filled, and the result of a filled table.

use super::prepared_table::SubsetTable;
use super::request::{SubsetOptions, SubsetStats};
use crate::support::clock::Clock;
use crate::support::size_loop::SizedTree;
use crate::support::statistics::Progress;
use exactree_model::UNBOUNDED;

/// Number of splits compared or entries filled between two polls of the clock.
const CLOCK_INTERVAL: u64 = 1 << 14;

/// A lower bound, and a tree within the errors if one was found: a smallest one if the table is
/// complete.
pub(crate) struct TableResult {
    pub lower: u64,
    pub tree: Option<SizedTree>,
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

impl TableContext<'_> {
    /// Whether the clock has stopped the search. Polls the clock and reports the lower bound once
    /// per `CLOCK_INTERVAL` steps.
    pub(super) fn stopped(&mut self, lower: impl FnOnce() -> u64) -> bool {
        let steps = self.stats.filled + self.stats.few_errors + self.stats.splits;
        if steps < self.next_poll {
            return false;
        }
        self.next_poll = steps + CLOCK_INTERVAL;
        self.progress.report(UNBOUNDED, lower());
        self.clock.stopped()
    }
}
