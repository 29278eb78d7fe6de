//! Root tasks: searches restricted to some root rules, the unit of work that workers share.
//!
//! A tree is a leaf, or it has a rule at its root. A search restricted to some root rules evaluates
//! only those. The bounds that it proves for children, and the cache entries of children, also hold
//! for a search of all roots. The bound that it proves for the whole table holds only for trees with
//! these root rules, so it is not cached.
//!
//! *Open rules* are returned: rules that were not evaluated, or whose evaluation was stopped, so
//! that their trees are not proved to cost at least the upper bound.
//!
//! *The shared upper bound* is the cost of the best tree of all workers, which may be less than
//! this search's incumbent. The search then proves that none of its rules has a cheaper tree.

#[cfg(test)]
mod differential;

use crate::engine::intervals::EvaluatedThresholds;
use crate::engine::request::{Request, SearchOutcome};
use crate::engine::root_range::{RootRange, RootTasks, SearchControl};
use crate::engine::threads::with_workers;
use crate::spaces::binary::{PathCache, SharedSearch, binary_roots, solve_binary_roots};
use crate::spaces::continuous::class_totals::ContinuousSubset;
use crate::spaces::continuous::error_space::ContinuousSearch;
use crate::spaces::continuous::layout::Layout;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::options::Options;
use crate::support::statistics::Progress;
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Outcome, Table, Tree, UNBOUNDED};
use std::sync::{Arc, Mutex};

/// A table prepared once for several searches restricted to some roots; they share one cache.
pub struct RootSearch {
    pub table: Table,
    layout: Layout,
    request: Request,
    options: Options,
    caches: (SharedCache, PathCache),
    /// Bounds at root thresholds; unused for binary columns.
    evaluated: Mutex<EvaluatedThresholds>,
}

impl RootSearch {
    /// Prepares a table; `None` if `stopped` before it is prepared.
    pub fn prepare(
        stopped: &dyn Fn() -> bool,
        table: Table,
        request: Request,
        options: Options,
    ) -> Option<Self> {
        let (rows, threads) = (request.limits.min_samples_leaf, request.threads);
        let prepare = || Layout::prepare(stopped, &table, &options, rows, threads);
        let layout = table.is_read().then(prepare).flatten()?;
        let binary = layout.binary(&options);
        let limit = request.memory_limit;
        let caches = if binary {
            let half = limit.map(|bytes| bytes / 2);
            (SharedCache::new(half, request.threads), PathCache::new(half, request.threads))
        } else {
            (SharedCache::new(limit, request.threads), PathCache::new(Some(0), 1))
        };
        Some(RootSearch { table, layout, request, options, caches, evaluated: Mutex::default() })
    }

    fn search<'a>(
        &'a self,
        request: &Request,
        options: &'a Options,
        clock: Clock<'a>,
        progress: &'a Progress,
    ) -> ContinuousSearch<'a, 'a> {
        ContinuousSearch::new(
            &self.layout,
            request.objective,
            options,
            clock,
            progress,
            &self.caches.0,
        )
    }

    /// The same tree with features of the layout; `None` if it has a feature that is not searched.
    fn in_layout_features(&self, tree: &Arc<Tree>) -> Option<Arc<Tree>> {
        let place = |index: u32| self.layout.features.iter().position(|f| f.index == index);
        tree.with_rules(&|feature, rank| Some((place(feature)? as u32, rank)))
    }

    /// The same rules with features of the layout. A feature that is not in the layout equals
    /// another feature, for which the same bounds hold.
    fn in_layout(&self, roots: &[RootRange]) -> Vec<RootRange> {
        let place = |index: u32| self.layout.features.iter().position(|f| f.index == index);
        let prepared =
            |roots: &RootRange| Some(RootRange { feature: place(roots.feature)? as u32, ..*roots });
        roots.iter().filter_map(prepared).collect()
    }

    /// The same rules with features of the table.
    fn in_table(&self, roots: &RootRange) -> RootRange {
        RootRange { feature: self.layout.features[roots.feature as usize].index, ..*roots }
    }
}

impl RootTasks for RootSearch {
    fn roots(&self) -> Vec<RootRange> {
        if self.layout.binary(&self.options) {
            let roots = binary_roots(&self.layout);
            return roots.iter().map(|roots| self.in_table(roots)).collect();
        }
        let features = self.layout.features.iter().filter(|feature| feature.values > 1);
        features.map(|f| RootRange::new(f.index, 0, f.values as u32 - 2)).collect()
    }

    /// With `start` the first incumbent is a greedy tree.
    fn run(
        &self,
        roots: &[RootRange],
        (below, greedy_start): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let options =
            Options { incumbent: self.options.incumbent && greedy_start, ..self.options.clone() };
        let request = Request { below, ..self.request.clone() };
        let roots = self.in_layout(roots);
        let ((outcome, open), mut stats) = if self.layout.binary(&options) {
            let (layout, request, options, caches) =
                (&self.layout, &request, &options, &self.caches);
            let control = Some(control);
            let shared =
                SharedSearch { layout, request, options, clock, progress, control, caches };
            let (tried, stats) = solve_binary_roots(&shared, &roots);
            let search = self.search(request, options, clock, progress);
            ((search.outcome(tried.tree, tried.lower, request), tried.open), stats)
        } else {
            let queue = TaskQueue::new();
            let searcher = || {
                let mut search = self.search(&request, &options, clock, progress);
                search.queue = (request.threads > 1).then_some(&queue);
                search.control = Some(control);
                search
            };
            with_workers(request.threads - 1, &queue, &searcher, |search| {
                search.run_roots(&request, &roots, &self.evaluated)
            })
        };
        stats.seconds = clock.seconds();
        (SearchOutcome { outcome, stats }, open.iter().map(|roots| self.in_table(roots)).collect())
    }

    fn agrees(&self, tree: &Arc<Tree>, cost: Cost) -> bool {
        let Some(tree) = self.in_layout_features(tree) else { return false };
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let slots: Vec<u32> = self.layout.occupied.iter().collect();
        let search = self.search(&self.request, &self.options, clock, &progress);
        search.agrees(&slots, &tree, cost)
    }
}

impl ContinuousSearch<'_, '_> {
    fn run_roots(
        &mut self,
        request: &Request,
        roots: &[RootRange],
        evaluated: &Mutex<EvaluatedThresholds>,
    ) -> (Outcome, Vec<RootRange>) {
        let whole = ContinuousSubset::whole(self.space.layout);
        let limits = request.limits.normalised();
        let found = self.first_incumbent(&whole, request);
        let upper = found.as_ref().map_or(request.below, |(cost, _)| *cost).min(UNBOUNDED);
        let tried = self.best_of_roots(&whole, limits, upper, (roots, evaluated));
        self.count_cache();
        (self.outcome(tried.tree.or(found), tried.lower, request), tried.open)
    }
}
