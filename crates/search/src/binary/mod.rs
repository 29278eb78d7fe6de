//! Least cost for tables whose columns all have two values. Start reading at
//! `search.rs`.

mod bounds;
mod columns;
#[cfg(test)]
mod differential;
mod incumbent;
mod node;
mod part;
mod rules;
mod search;
mod siblings;
mod two_levels;

use crate::kernels::Level;
use crate::kernels::chunks::Lane;
use crate::layout::Layout;
use crate::limits::Clock;
use crate::memo::Memo;
use crate::options::Options;
use crate::solve::Request;
use crate::tracer::{Progress, Stats};
use columns::Columns;
use exactree_model::{UNBOUNDED, Weight};
use node::Sides;
use part::Part;
use rustc_hash::FxHashMap;
use search::{Answer, BinarySearch};

/// Parts whose counts are kept at most; forgetting them costs time only.
const MOST_COUNTED: usize = 1 << 21;

/// Bytes of the counts of one part, and of the path that leads there.
const COUNTED_BYTES: usize = 160;

/// Finds the best tree for a table of two-valued columns; features of the tree
/// are those of the layout.
pub(crate) fn solve_binary(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (Answer, Stats) {
    let weight: Weight = layout.weight.iter().sum();
    // No count exceeds the weight of the table.
    if weight <= Weight::from(u16::MAX) {
        run::<u16>(layout, request, options, clock, progress)
    } else {
        run::<u32>(layout, request, options, clock, progress)
    }
}

fn run<L: Lane>(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (Answer, Stats) {
    let level = Level::detect(options.wide_lanes);
    let (columns, features) = Columns::of_table(layout, level);
    let whole = Part::whole(&columns);
    let mut search = BinarySearch::<L> {
        columns,
        features,
        objective: request.objective,
        options,
        clock,
        progress,
        stop_at_gap: request.stop_at_gap,
        stats: Stats::default(),
        memo: Memo::new(request.memory_limit.map(|bytes| bytes / 2)),
        level,
        sides: Sides::default(),
        spare: Vec::new(),
        counted: FxHashMap::default(),
        most_counted: request
            .memory_limit
            .map_or(usize::MAX, |bytes| bytes / 2 / COUNTED_BYTES)
            .min(MOST_COUNTED),
        open_calls: 0,
    };
    let limits = request.limits.normalised();
    let mut found = None;
    if options.incumbent {
        let (cost, tree) = search.incumbent(&whole, limits);
        search.stats.first_incumbent = Some(cost);
        found = (cost < request.below).then_some((cost, tree));
        progress.report(found.as_ref().map_or(UNBOUNDED, |found| found.0), 0);
    }
    let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
    let answer = search.best(&whole, limits, upper);
    search.stats.memo_entries = search.memo.len() as u64;
    search.stats.memo_bytes = search.memo.bytes() as u64;
    search.stats.memo_evicted = search.memo.evicted;
    (Answer { tree: answer.tree.or(found), ..answer }, search.stats)
}
