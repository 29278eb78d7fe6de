//! Least cost for tables whose columns all have two values, and for those with so few
//! values that every threshold may be a column of its own. Start reading at `search.rs`.

mod bounds;
mod columns;
mod deepening;
mod deeper;
#[cfg(test)]
mod differential;
mod incumbent;
mod node;
mod open_rules;
mod part;
mod path_memo;
mod rules;
mod search;
mod siblings;
mod sides;
mod team;
mod two_levels;

use crate::board::Board;
use crate::kernels::Level;
use crate::kernels::chunks::Lane;
use crate::layout::Layout;
use crate::limits::Clock;
use crate::memo::SharedMemo;
use crate::options::Options;
use crate::solve::Request;
use crate::threads::with_helpers;
use crate::tracer::{Progress, Stats};
use columns::Columns;
use exactree_model::{UNBOUNDED, Weight};
use node::Sides;
use part::Part;
use path_memo::PathMemo;
use search::{Answer, BinarySearch};

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
    let (columns, rules) = Columns::of_table(layout, level);
    let threads = request.threads;
    let half = request.memory_limit.map(|bytes| bytes / 2);
    let (memo, counted) = (SharedMemo::new(half, threads), PathMemo::new(half, threads));
    let board = Board::new();
    let searcher = || BinarySearch::<L> {
        columns: &columns,
        rules: &rules,
        objective: request.objective,
        options,
        clock,
        progress,
        stop_at_gap: request.stop_at_gap,
        stats: Stats::default(),
        memo: &memo,
        counted: &counted,
        board: (threads > 1).then_some(&board),
        level,
        sides: Sides::default(),
        spare: Vec::new(),
        expanded: usize::MAX,
        open_calls: 0,
    };
    with_helpers(threads - 1, &board, &searcher, |search| search.run(request))
}

impl<L: Lane> BinarySearch<'_, L> {
    fn run(&mut self, request: &Request) -> Answer {
        let whole = Part::whole(self.columns);
        let limits = request.limits.normalised();
        let mut found = None;
        if self.options.incumbent {
            let (cost, tree) = self.incumbent(&whole, limits);
            self.stats.first_incumbent = Some(cost);
            found = (cost < request.below).then_some((cost, tree));
            self.progress.report(found.as_ref().map_or(UNBOUNDED, |found| found.0), 0);
        }
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let answer = self.deepened(&whole, limits, upper);
        let stats = &mut self.stats;
        (stats.memo_entries, stats.memo_bytes, stats.memo_evicted) = self.memo.counts();
        Answer { tree: answer.tree.or(found), ..answer }
    }
}
