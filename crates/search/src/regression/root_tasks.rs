//! Root tasks of searches for sums of costs; `spaces/root_tasks.rs` explains root tasks.
//!
//! All costs and bounds of tasks are integers of the search. `conclude` converts the best tree and
//! the lower bound of all tasks to the unit of the user, once.

#[cfg(test)]
mod differential;

use super::cost_space::RegressionSearch;
use super::prepared_table::{in_prepared_features, in_table_features};
use super::subset::RegressionSubset;
use super::{
    FoundTree, Regression, RegressionExamples, RegressionRequest, RegressionStart, is_too_coarse,
    rounded_outcome,
};
use crate::engine::intervals::EvaluatedThresholds;
use crate::engine::request::SearchOutcome;
use crate::engine::root_range::{RootRange, RootsResult, SearchControl};
use crate::engine::space::Space;
use crate::engine::threads::with_workers;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Outcome, Tree, UNBOUNDED};
use std::sync::{Arc, Mutex};

/// Examples prepared once for several searches restricted to some roots; they share one cache.
pub struct CostRootSearch {
    pub examples: RegressionExamples,
    request: RegressionRequest,
    /// A tree within the limits from which a search with a first incumbent starts.
    initial: Option<Arc<Tree>>,
    cache: SharedCache,
    /// Bounds at root thresholds.
    evaluated: Mutex<EvaluatedThresholds>,
}

impl CostRootSearch {
    /// Features of the initial tree are indices into `Table::features`.
    pub fn new(
        examples: RegressionExamples,
        request: RegressionRequest,
        initial: Option<Arc<Tree>>,
    ) -> Self {
        let cache = SharedCache::new(request.memory_limit, request.threads);
        let RegressionExamples { table, prepared } = &examples;
        let initial = initial.and_then(|tree| in_prepared_features(table, prepared, &tree));
        CostRootSearch { examples, request, initial, cache, evaluated: Mutex::default() }
    }

    /// All rules that a root may have; of rules known to be equal only one.
    pub fn roots(&self) -> Vec<RootRange> {
        let range = |index: u32| {
            let values = self.examples.table.features[index as usize].values.len() as u32;
            RootRange::new(index, 0, values - 2)
        };
        self.examples.prepared.features.iter().map(|feature| range(feature.index)).collect()
    }

    /// The best tree that costs less than `below` with one of these rules at its root, as far as
    /// the clock allows, and the rules that remain open. With `start` the first incumbent is the
    /// initial tree or a greedy tree.
    pub fn run(
        &self,
        roots: &[RootRange],
        (below, start): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let (queue, columns_queue) = (TaskQueue::new(), TaskQueue::new());
        let queues = (self.request.threads > 1).then_some((&queue, &columns_queue));
        let searcher = || {
            let prepared = &self.examples.prepared;
            let (request, cache) = (&self.request, &self.cache);
            let mut search =
                RegressionSearch::new(prepared, request, &clock, progress, cache, queues);
            search.stop_at_gap = 0.0;
            search.control = Some(control);
            search
        };
        let start = start.then(|| RegressionStart {
            initial: self.initial.clone(),
            greedy: self.request.options.incumbent,
        });
        let roots = self.in_prepared(roots);
        let (tried, mut stats) =
            with_workers(self.request.threads - 1, &queue, &searcher, |search| {
                self.run_roots(search, &roots, below.min(UNBOUNDED), start)
            });
        stats.seconds = clock.seconds();
        let tree = tried
            .tree
            .map(|(cost, tree)| (cost, in_table_features(&self.examples.prepared, &tree)));
        let outcome = Outcome::of(tree, tried.lower, below, clock.stopped_by());
        let open = tried.open.iter().map(|roots| self.in_table(roots)).collect();
        (SearchOutcome { outcome, stats }, open)
    }

    fn run_roots(
        &self,
        search: &mut RegressionSearch<'_, '_>,
        roots: &[RootRange],
        below: Cost,
        start: Option<RegressionStart>,
    ) -> RootsResult {
        let whole = RegressionSubset::whole(&self.examples.prepared);
        let limits = self.request.limits.normalised();
        let found = start.and_then(|start| search.first_incumbent(&whole, limits, start));
        let found = found.filter(|(cost, _)| *cost < below);
        let upper = found.as_ref().map_or(below, |(cost, _)| *cost);
        let tried = search.best_of_roots(&whole, limits, upper, (roots, &self.evaluated));
        search.count_cache();
        RootsResult { tree: tried.tree.or(found), ..tried }
    }

    /// (cost − lower bound) / cost, rounding included.
    pub fn gap(&self, cost: Cost, lower: Cost) -> f64 {
        let progress = Progress::default();
        progress.report(cost, lower);
        self.with_search(|search| search.space.gap(&progress))
    }

    /// Whether a tree costs this much, up to rounding. Its features are indices into
    /// `Table::features`.
    pub fn agrees(&self, tree: &Arc<Tree>, cost: Cost) -> bool {
        let RegressionExamples { table, prepared } = &self.examples;
        let Some(tree) = in_prepared_features(table, prepared, tree) else { return false };
        let slots: Vec<u32> = prepared.all.iter().collect();
        self.with_search(|search| search.agrees(&slots, &tree, cost))
    }

    /// The outcome in the unit of the user, given the best tree of all tasks with its cost, and a
    /// lower bound for all tasks.
    pub fn conclude(&self, found: Option<(Cost, Arc<Tree>)>, lower: Cost) -> Regression {
        let RegressionExamples { table, prepared } = &self.examples;
        let (whole, limits) = (RegressionSubset::whole(prepared), self.request.limits.normalised());
        let (switch, slots) = (StopSwitch::default(), prepared.all.iter().collect::<Vec<u32>>());
        let simplified = |(cost, tree): (Cost, Arc<Tree>)| -> Option<FoundTree> {
            let tree = in_prepared_features(table, prepared, &tree)?;
            Some((cost, self.with_search(|search| search.simplified(&slots, &tree))))
        };
        let found = found.and_then(simplified);
        let clock = Clock::start(None, &switch);
        let stats = Stats::default();
        let found = rounded_outcome(prepared, (&whole, limits), found, lower, &clock, stats);
        let tree = found.outcome.tree.as_ref().map(|tree| in_table_features(prepared, tree));
        Regression { outcome: Outcome { tree, ..found.outcome }, ..found }
    }

    /// Whether an outcome is proved, but its rounding error exceeds the tolerance, so that the search
    /// has to be repeated in fine units.
    pub fn is_too_coarse(&self, found: &Regression) -> bool {
        is_too_coarse(&self.examples.prepared, found)
    }

    fn with_search<T>(&self, work: impl FnOnce(&RegressionSearch<'_, '_>) -> T) -> T {
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let prepared = &self.examples.prepared;
        work(&RegressionSearch::new(prepared, &self.request, &clock, &progress, &self.cache, None))
    }

    /// The same rules with features of the prepared table. A feature that is not searched equals
    /// another feature, for which the same bounds hold.
    fn in_prepared(&self, roots: &[RootRange]) -> Vec<RootRange> {
        let features = &self.examples.prepared.features;
        let place = |index: u32| features.iter().position(|feature| feature.index == index);
        let prepared =
            |roots: &RootRange| Some(RootRange { feature: place(roots.feature)? as u32, ..*roots });
        roots.iter().filter_map(prepared).collect()
    }

    /// The same rules with features of the table.
    fn in_table(&self, roots: &RootRange) -> RootRange {
        let feature = self.examples.prepared.features[roots.feature as usize].index;
        RootRange { feature, ..*roots }
    }
}
