//! Solves one problem: layout, first incumbent, search, simplification of the tree.

use crate::engine::block_bound::BlockBound;
use crate::engine::request::{Request, SearchOutcome};
use crate::engine::solution::{CostedTree, Solution};
use crate::engine::threads::with_workers;
use crate::spaces::binary::solve_binary;
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::Layout;
use crate::spaces::error_blocks::ErrorBlocks;
use crate::support::cache::SharedCache;
use crate::support::clock::{Background, Clock, Grace};
use crate::support::options::Options;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Errors, Limits, Outcome, Table, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

/// Minimum depth at which an early bound saves time.
const MIN_EARLY_DEPTH: u32 = 4;

/// Finds the best tree for a table, or the best tree and lower bound within the time limit.
pub fn solve(
    table: &Table,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> SearchOutcome {
    let blocks = ErrorBlocks::of(table, request, options, &solve);
    let blocks = blocks.and_then(|blocks| BlockBound::of(blocks, progress));
    solve_beside(blocks.as_ref(), table, request, options, clock, progress)
}

/// The same, with some blocks to solve beside the search.
pub(crate) fn solve_beside(
    blocks: Option<&BlockBound<'_, ErrorBlocks<'_>>>,
    table: &Table,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> SearchOutcome {
    let (rows, threads) = (request.limits.min_samples_leaf, request.threads);
    let prepare = || Layout::prepare(&|| clock.stopped(), table, options, rows, threads);
    let Some(layout) = table.is_read().then(prepare).flatten() else {
        return single_leaf(table, request, &clock, progress);
    };
    let clock = clock.with_background(blocks.map(|blocks| blocks as &dyn Background));
    let (outcome, mut stats) = if layout.binary(options) {
        run_binary(&layout, request, options, clock, progress)
    } else {
        run(&layout, request, options, clock, progress)
    };
    stats.pruned.equal_features = (table.features.len() - layout.features.len()) as u64;
    stats.seconds = clock.seconds();
    SearchOutcome { outcome, stats }
}

/// The outcome if the clock stops before the search begins: a single leaf, and as lower bound the
/// cost of a leaf with only the unavoidable errors.
fn single_leaf(
    table: &Table,
    request: &Request,
    clock: &Clock<'_>,
    progress: &Progress,
) -> SearchOutcome {
    let weights = table.class_weights();
    let cost = request.objective.leaf(Errors::leaf_errors(&weights));
    let unavoidable = table.items.iter().map(|item| item.unavoidable).sum();
    let lower = request.objective.leaf(unavoidable);
    let rows: u64 = table.items.iter().map(|item| item.rows).sum();
    let allowed = cost < request.below && rows >= request.limits.min_samples_leaf;
    let found = allowed.then(|| (cost, Tree::leaf(Errors::leaf_class(&weights))));
    progress.report(if allowed { cost } else { UNBOUNDED }, 0);
    let outcome = Outcome::of(found, lower, request.below, clock.stopped_by());
    SearchOutcome { outcome, stats: Stats { seconds: clock.seconds(), ..Stats::default() } }
}

/// The greedy tree and the weight it misclassifies; a leaf if the table cannot be prepared in time.
pub(crate) fn greedy_tree(table: &Table, limits: Limits, clock: &Clock<'_>) -> (Weight, Arc<Tree>) {
    quick_tree(table, limits, clock, |search, whole, limits| search.greedy(whole, limits))
}

/// The same for the first incumbent of a search for fewest errors.
pub(crate) fn incumbent_tree(
    table: &Table,
    limits: Limits,
    clock: &Clock<'_>,
) -> (Weight, Arc<Tree>) {
    quick_tree(table, limits, clock, |search, whole, limits| {
        search.incumbent(whole, limits, UNBOUNDED)
    })
}

/// A tree that `grow` finds without search, simplified, and the weight it misclassifies.
fn quick_tree(
    table: &Table,
    limits: Limits,
    clock: &Clock<'_>,
    grow: impl FnOnce(&mut ContinuousSearch<'_, '_>, &ContinuousSubset, Limits) -> CostedTree,
) -> (Weight, Arc<Tree>) {
    let options = Options { bit_columns: false, ..Options::default() };
    let grace = Grace::of(clock, table.items.len(), table.features.len());
    let Some(layout) =
        Layout::prepare(&|| grace.is_over(), table, &options, limits.min_samples_leaf, 1)
    else {
        let weights = table.class_weights();
        return (Errors::leaf_errors(&weights), Tree::leaf(Errors::leaf_class(&weights)));
    };
    let objective = Errors { error_price: 1, leaf_price: 0 };
    let progress = Progress::default();
    let cache = SharedCache::new(None, 1);
    let mut search = ContinuousSearch::new(&layout, objective, &options, *clock, &progress, &cache);
    let whole = ContinuousSubset::whole(&layout);
    let (_, tree) = grow(&mut search, &whole, limits.normalised());
    let slots: Vec<u32> = whole.members.iter().collect();
    let (errors, tree) = search.simplified(&slots, &tree);
    (errors, search.in_table_features(&tree))
}

/// Runs the search for continuous features.
fn run(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (Outcome, Stats) {
    let threads = request.threads;
    let cache = SharedCache::new(request.memory_limit, threads);
    let queue = TaskQueue::new();
    let searcher = || {
        let mut search =
            ContinuousSearch::new(layout, request.objective, options, clock, progress, &cache);
        search.stop_at_gap = request.stop_at_gap;
        search.queue = (threads > 1).then_some(&queue);
        search
    };
    with_workers(threads - 1, &queue, &searcher, |search| search.run(request))
}

/// Runs the search for binary columns.
fn run_binary(
    layout: &Layout,
    request: &Request,
    options: &Options,
    clock: Clock<'_>,
    progress: &Progress,
) -> (Outcome, Stats) {
    let (solution, stats) = solve_binary(layout, request, options, clock, progress);
    let cache = SharedCache::new(None, 1);
    let search = ContinuousSearch::new(layout, request.objective, options, clock, progress, &cache);
    (search.outcome(solution.tree, solution.lower, request), stats)
}

impl ContinuousSearch<'_, '_> {
    fn run(&mut self, request: &Request) -> Outcome {
        let whole = ContinuousSubset::whole(self.space.layout);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let mut early = Solution::with_lower(0);
        if let Some((cost, _)) = found
            && self.early_bound_pays(limits, MIN_EARLY_DEPTH)
        {
            early = self.early_bound(&whole, limits, cost);
        }
        let upper = early.tree.as_ref().map_or(upper, |(cost, _)| *cost);
        let solution = self.solve(&whole, limits, upper, early.by_threshold.as_ref());
        self.count_cache();
        self.outcome(
            solution.tree.or(early.tree).or(found),
            solution.lower.max(early.lower),
            request,
        )
    }

    /// The first incumbent, if the switch is on and it costs less than the upper bound of the request.
    pub(crate) fn first_incumbent(
        &mut self,
        whole: &ContinuousSubset,
        request: &Request,
    ) -> Option<(Cost, Arc<Tree>)> {
        if !self.space.options.incumbent {
            return None;
        }
        let found = self.incumbent(whole, request.limits.normalised(), request.below);
        self.start_from(found, request.below)
    }

    pub(crate) fn outcome(
        &self,
        found: Option<(Cost, Arc<Tree>)>,
        lower: Cost,
        request: &Request,
    ) -> Outcome {
        let found = found.map(|(_, tree)| {
            let slots: Vec<u32> = self.space.layout.occupied.iter().collect();
            let (cost, tree) = self.simplified(&slots, &tree);
            (cost, self.in_table_features(&tree))
        });
        let lower = lower.max(self.clock.bound_beside());
        // Cheaper only if the search has been stopped.
        let found = found.into_iter().chain(self.clock.tree_beside()).min_by_key(|(cost, _)| *cost);
        Outcome::of(found, lower, request.below, self.clock.stopped_by())
    }

    /// The same tree with features as indices into `Table::features`.
    fn in_table_features(&self, tree: &Arc<Tree>) -> Arc<Tree> {
        tree.with_features(&|feature| self.space.layout.features[feature as usize].index)
    }
}
