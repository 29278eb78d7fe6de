//! Search of tables of binary columns, and of tables with so few values that every threshold
//! becomes a column of its own. Start reading at `search.rs`.

mod bounds;
mod children;
mod columns;
mod deepening;
mod depth_two;
#[cfg(test)]
mod differential;
mod incumbent;
mod leaf_support;
mod node;
mod open_rules;
mod parallel;
mod parallel_node;
mod path_cache;
mod root_tasks;
mod rules;
mod search;
mod similarity_bound;
mod solution;
mod sparse_lists;
mod subset;

use crate::engine::request::Request;
use crate::engine::root_range::{RootRange, RootsResult, SearchControl};
use crate::engine::solution::CostedTree;
use crate::engine::threads::with_workers;
use crate::kernels::InstructionSet;
use crate::kernels::chunks::ChunkLane;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::options::Options;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use columns::{BinaryColumns, ColumnSource};
use exactree_model::{UNBOUNDED, Weight};
use node::ChildCounts;
pub(crate) use path_cache::PathCache;
use search::BinarySearch;
use solution::BinarySolution;
use sparse_lists::RuleLists;
use subset::BinarySubset;

/// Finds the best tree for a table of binary columns; features of the tree are those of the layout.
pub(crate) fn solve_binary(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (BinarySolution, Stats) {
    let half = request.memory_limit.map(|bytes| bytes / 2);
    let caches = (SharedCache::new(half, request.threads), PathCache::new(half, request.threads));
    let shared =
        SharedSearch { layout, request, options, clock, progress, control: None, caches: &caches };
    if narrow(layout) {
        shared.run(|search: &mut BinarySearch<'_, u16>| search.run(request))
    } else {
        shared.run(|search: &mut BinarySearch<'_, u32>| search.run(request))
    }
}

/// Like `solve_binary`, for trees with one of the rules `roots` at the root.
pub(crate) fn solve_binary_roots(
    shared: &SharedSearch<'_>,
    roots: &[RootRange],
) -> (RootsResult, Stats) {
    let request = shared.request;
    if narrow(shared.layout) {
        shared.run(|search: &mut BinarySearch<'_, u16>| search.run_roots(request, roots))
    } else {
        shared.run(|search: &mut BinarySearch<'_, u32>| search.run_roots(request, roots))
    }
}

/// The root rules that are searched: of equal and opposite rules only one.
pub(crate) fn binary_roots(layout: &Layout) -> Vec<RootRange> {
    let (_, rules) = BinaryColumns::of_table(layout, InstructionSet::detect(true));
    let root = |source: &ColumnSource| RootRange::new(source.feature, source.rank, source.rank);
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
    fn run<L: ChunkLane, T>(&self, work: impl FnOnce(&mut BinarySearch<'_, L>) -> T) -> (T, Stats) {
        let level = InstructionSet::detect(self.options.wide_lanes);
        let (mut columns, mut rules) = BinaryColumns::of_table(self.layout, level);
        let sparse = self.options.sparse_lists && columns.invert_to_smaller(&mut rules);
        let lists = sparse.then(|| RuleLists::of(&columns));
        let threads = self.request.threads;
        let (cache, path_cache) = self.caches;
        let queue = TaskQueue::new();
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
            cache,
            path_cache,
            queue: (threads > 1).then_some(&queue),
            control: self.control,
            level,
            children: ChildCounts::default(),
            spare: Vec::new(),
            expanded: usize::MAX,
            open_calls: 0,
        };
        with_workers(threads - 1, &queue, &searcher, work)
    }
}

impl<L: ChunkLane> BinarySearch<'_, L> {
    fn run(&mut self, request: &Request) -> BinarySolution {
        let whole = BinarySubset::whole(self.columns);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |found| found.0).min(UNBOUNDED);
        let solution = self.solve_by_deepening(&whole, limits, upper);
        self.count_cache();
        BinarySolution { tree: solution.tree.or(found), ..solution }
    }

    /// A good tree for the whole table, if the switch is on and it pays.
    fn first_incumbent(&mut self, whole: &BinarySubset, request: &Request) -> Option<CostedTree> {
        if !self.options.incumbent {
            return None;
        }
        let (cost, tree) = self.incumbent(whole, request.limits.normalised());
        self.stats.first_incumbent = Some(cost);
        let found = (cost < request.below).then_some((cost, tree));
        self.progress.report(found.as_ref().map_or(UNBOUNDED, |found| found.0), 0);
        found
    }

    fn count_cache(&mut self) {
        let stats = &mut self.stats;
        (stats.cache_entries, stats.cache_bytes, stats.cache_evicted) = self.cache.counts();
    }
}
