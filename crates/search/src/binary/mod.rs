//! Least cost for tables whose columns all have two values, and for those with so few
//! values that every threshold may be a column of its own. Start reading at `search.rs`.

mod bounds;
mod columns;
mod deepening;
mod deeper;
#[cfg(test)]
mod differential;
mod incumbent;
mod lists;
mod node;
mod open_rules;
mod part;
mod path_memo;
mod roots;
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
use crate::roots::{Roots, Told, Tried};
use crate::solve::Request;
use crate::threads::with_helpers;
use crate::tracer::{Progress, Stats};
use columns::{Columns, Source};
use exactree_model::{UNBOUNDED, Weight};
use lists::Lists;
use node::Sides;
use part::Part;
pub(crate) use path_memo::PathMemo as Counted;
use search::{Answer, BinarySearch, Costed};

/// Finds the best tree for a table of two-valued columns; features of the tree
/// are those of the layout.
pub(crate) fn solve_binary(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (Answer, Stats) {
    let half = request.memory_limit.map(|bytes| bytes / 2);
    let memos = (SharedMemo::new(half, request.threads), Counted::new(half, request.threads));
    let shared = Shared { layout, request, options, clock, progress, told: None, memos: &memos };
    if narrow(layout) {
        shared.run(|search: &mut BinarySearch<'_, u16>| search.run(request))
    } else {
        shared.run(|search: &mut BinarySearch<'_, u32>| search.run(request))
    }
}

/// The same for trees whose root asks some rules.
pub(crate) fn solve_binary_roots(shared: &Shared<'_>, roots: &[Roots]) -> (Tried, Stats) {
    let request = shared.request;
    if narrow(shared.layout) {
        shared.run(|search: &mut BinarySearch<'_, u16>| search.run_roots(request, roots))
    } else {
        shared.run(|search: &mut BinarySearch<'_, u32>| search.run_roots(request, roots))
    }
}

/// The rules that are searched: of equal and of opposite ones there is one.
pub(crate) fn binary_roots(layout: &Layout) -> Vec<Roots> {
    let (_, rules) = Columns::of_table(layout, Level::detect(true));
    let root = |source: &Source| Roots::new(source.feature, source.rank, source.rank);
    rules.iter().map(root).collect()
}

/// Whether counts fit into few bits: none exceeds the weight of the table.
fn narrow(layout: &Layout) -> bool {
    layout.weight.iter().sum::<Weight>() <= Weight::from(u16::MAX)
}

/// What all threads of a search have in common.
pub(crate) struct Shared<'a> {
    pub layout: &'a Layout,
    pub request: &'a Request,
    pub options: &'a Options,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub told: Option<&'a Told>,
    pub memos: &'a (SharedMemo, Counted),
}

impl Shared<'_> {
    fn run<L: Lane, T>(&self, work: impl FnOnce(&mut BinarySearch<'_, L>) -> T) -> (T, Stats) {
        let level = Level::detect(self.options.wide_lanes);
        let (mut columns, mut rules) = Columns::of_table(self.layout, level);
        let sparse = self.options.sparse_lists && columns.turn_to_fewer(&mut rules);
        let lists = sparse.then(|| Lists::of(&columns));
        let threads = self.request.threads;
        let (memo, counted) = self.memos;
        let board = Board::new();
        let searcher = || BinarySearch::<L> {
            columns: &columns,
            rules: &rules,
            lists: lists.as_ref(),
            objective: self.request.objective,
            options: self.options,
            clock: self.clock,
            progress: self.progress,
            stop_at_gap: self.request.stop_at_gap,
            stats: Stats::default(),
            memo,
            counted,
            board: (threads > 1).then_some(&board),
            told: self.told,
            level,
            sides: Sides::default(),
            spare: Vec::new(),
            expanded: usize::MAX,
            open_calls: 0,
        };
        with_helpers(threads - 1, &board, &searcher, work)
    }
}

impl<L: Lane> BinarySearch<'_, L> {
    fn run(&mut self, request: &Request) -> Answer {
        let whole = Part::whole(self.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let answer = self.deepened(&whole, limits, upper);
        self.count_memo();
        Answer { tree: answer.tree.or(found), ..answer }
    }

    /// A good tree for the whole table, if one is wanted and it is worth it.
    fn first_incumbent(&mut self, whole: &Part, request: &Request) -> Option<Costed> {
        if !self.options.incumbent {
            return None;
        }
        let (cost, tree) = self.incumbent(whole, request.limits.normalised());
        self.stats.first_incumbent = Some(cost);
        let found = (cost < request.below).then_some((cost, tree));
        self.progress.report(found.as_ref().map_or(UNBOUNDED, |found| found.0), 0);
        found
    }

    fn count_memo(&mut self) {
        let stats = &mut self.stats;
        (stats.memo_entries, stats.memo_bytes, stats.memo_evicted) = self.memo.counts();
    }
}
