//! Search of tables of binary columns, and of tables with so few values that every threshold
//! becomes a column of its own. Start reading at `space.rs`.

mod children;
mod columns;
mod deepening;
mod depth_two;
#[cfg(test)]
mod differential;
mod incumbent;
mod leaf_support;
mod node;
mod path_cache;
mod root_tasks;
mod rules;
mod space;
mod sparse_lists;
mod subset;

use crate::engine::columns::ColumnRule;
use crate::engine::request::Request;
use crate::engine::root_range::{RootRange, RootsResult, SearchControl};
use crate::engine::solution::{CostedTree, Solution};
use crate::engine::space::Search;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::kernels::chunks::ChunkLane;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::options::Options;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use columns::BinaryColumns;
use exactree_model::{UNBOUNDED, Weight};
pub(crate) use path_cache::PathCache;
use space::{BinarySearch, BinarySpace};
use sparse_lists::RuleLists;
use std::marker::PhantomData;
use subset::BinarySubset;

/// Finds the best tree for a table of binary columns; features of the tree are those of the layout.
pub(crate) fn solve_binary(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (Solution, Stats) {
    let half = request.memory_limit.map(|bytes| bytes / 2);
    let caches = (SharedCache::new(half, request.threads), PathCache::new(half, request.threads));
    let shared =
        SharedSearch { layout, request, options, clock, progress, control: None, caches: &caches };
    if narrow(layout) {
        shared.run(|search: &mut BinarySearch<'_, '_, u16>| search.run(request))
    } else {
        shared.run(|search: &mut BinarySearch<'_, '_, u32>| search.run(request))
    }
}

/// Like `solve_binary`, for trees with one of the rules `roots` at the root.
pub(crate) fn solve_binary_roots(
    shared: &SharedSearch<'_>,
    roots: &[RootRange],
) -> (RootsResult, Stats) {
    let request = shared.request;
    if narrow(shared.layout) {
        shared.run(|search: &mut BinarySearch<'_, '_, u16>| search.run_roots(request, roots))
    } else {
        shared.run(|search: &mut BinarySearch<'_, '_, u32>| search.run_roots(request, roots))
    }
}

/// The root rules that are searched: of equal and opposite rules only one.
pub(crate) fn binary_roots(layout: &Layout) -> Vec<RootRange> {
    let (_, rules) = BinaryColumns::of_table(layout, InstructionSet::detect(true));
    let root = |source: &ColumnRule| RootRange::new(source.feature, source.rank, source.rank);
    rules.iter().map(root).collect()
}

/// Whether counts fit into narrow lanes: none exceeds the weight of the table by more than one.
fn narrow(layout: &Layout) -> bool {
    layout.weight.iter().sum::<Weight>() < Weight::from(u16::MAX)
}

/// Data shared by all threads of a search.
pub(crate) struct SharedSearch<'a> {
    pub layout: &'a Layout,
    pub request: &'a Request,
    pub options: &'a Options,
    pub clock: Clock<'a>,
    pub progress: &'a Progress,
    pub control: Option<&'a SearchControl>,
    pub caches: &'a (SharedCache, PathCache),
}

impl SharedSearch<'_> {
    fn run<L: ChunkLane, T>(
        &self,
        work: impl FnOnce(&mut BinarySearch<'_, '_, L>) -> T,
    ) -> (T, Stats) {
        let instructions = InstructionSet::detect(self.options.wide_lanes);
        let (mut columns, mut rules) = BinaryColumns::of_table(self.layout, instructions);
        let sparse = self.options.sparse_lists && columns.invert_to_smaller(&mut rules);
        let lists = sparse.then(|| RuleLists::of(&columns));
        let threads = self.request.threads;
        let (cache, path_cache) = self.caches;
        let queue = TaskQueue::new();
        let space = BinarySpace {
            columns: &columns,
            rules: &rules,
            lists: lists.as_ref(),
            objective: self.request.objective,
            options: self.options,
            path_cache,
            lane: PhantomData,
        };
        let searcher = || {
            let (clock, progress, workspace) = (self.clock, self.progress, Default::default());
            let mut search = Search::over(space, clock, progress, cache, instructions, workspace);
            search.stop_at_gap = self.request.stop_at_gap;
            search.queue = (threads > 1).then_some(&queue);
            search.control = self.control;
            search
        };
        with_workers(threads - 1, &queue, &searcher, work)
    }
}

impl<L: ChunkLane> BinarySearch<'_, '_, L> {
    fn run(&mut self, request: &Request) -> Solution {
        let whole = BinarySubset::whole(self.space.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let solution =
            self.in_rounds(upper, |search, upper| search.solve(&whole, limits, upper, None));
        self.count_cache();
        Solution { tree: solution.tree.or(found), ..solution }
    }

    /// The first incumbent, if the switch is on and it costs less than the upper bound of the request.
    fn first_incumbent(&mut self, whole: &BinarySubset, request: &Request) -> Option<CostedTree> {
        if !self.space.options.incumbent {
            return None;
        }
        let found = self.incumbent(whole, request.limits.normalised());
        self.start_from(found, request.below)
    }
}
