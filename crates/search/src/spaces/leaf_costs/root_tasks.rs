//! Root tasks of searches for all costs other than plain errors; `spaces/root_tasks.rs` explains
//! root tasks.
//!
//! All costs and bounds of tasks are integers of the search. `conclude` converts the best tree and
//! the lower bound of all tasks to the unit of the user, once.

#[cfg(test)]
mod differential;

use super::column_rules::ColumnRules;
use super::cost_space::{CostRules, CostSearch, CostSpace};
use super::one_search::{CostStart, FoundTree, rounded_outcome};
use super::request::{CostExamples, CostOutcome, CostRequest};
use super::solve::is_too_coarse;
use super::threshold_rules::{ThresholdRules, ThresholdsSearch};
use crate::engine::intervals::EvaluatedThresholds;
use crate::engine::request::SearchOutcome;
use crate::engine::root_range::{RootRange, RootTasks, RootsResult, SearchControl};
use crate::engine::solution::CostedTree;
use crate::engine::some_roots::EvaluatedOf;
use crate::engine::space::LeafCosts;
use crate::engine::threads::with_workers;
use crate::support::cache::SharedCache;
use crate::support::clock::{Clock, StopSwitch};
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Outcome, Table, Tree, UNBOUNDED};
use std::sync::{Arc, Mutex};

/// Root tasks whose costs and bounds are converted to the unit of the user once, after the last task.
pub trait RootCosts: Send + Sync {
    fn tasks(&self) -> &dyn RootTasks;

    fn table(&self) -> &Table;

    /// A cost of the search in the unit of the user.
    fn in_user_units(&self, cost: f64) -> f64;

    /// (cost − lower bound) / cost, rounding included.
    fn gap(&self, cost: Cost, lower: Cost) -> f64;

    /// The outcome in the unit of the user, given the best tree of all tasks with its cost, and a
    /// lower bound for all tasks.
    fn conclude(&self, found: Option<CostedTree>, lower: Cost) -> CostOutcome;

    /// Whether an outcome is proved, but its rounding error exceeds the tolerance, so that the search
    /// has to be repeated in fine units.
    fn is_too_coarse(&self, found: &CostOutcome) -> bool;
}

/// Examples prepared once for several searches restricted to some roots; they share one cache.
pub struct CostRootSearch {
    pub examples: CostExamples,
    request: CostRequest,
    /// A tree within the limits from which a search with a first incumbent starts.
    initial: Option<Arc<Tree>>,
    cache: SharedCache,
    /// Bounds at root thresholds; unused for columns of bits.
    evaluated: Mutex<EvaluatedThresholds>,
}

/// Arguments of a search of some roots: the roots, an upper bound, whether to start from a first
/// incumbent, the clock, and the signals to the search and from it.
struct RootTask<'t> {
    roots: &'t [RootRange],
    below: Cost,
    start: bool,
    clock: Clock<'t>,
    progress: &'t Progress,
    control: &'t SearchControl,
}

impl CostRootSearch {
    /// Features of the initial tree are indices into `Table::features`.
    pub fn new(examples: CostExamples, request: CostRequest, initial: Option<Arc<Tree>>) -> Self {
        let cache = SharedCache::new(request.memory_limit, request.threads);
        let CostExamples { table, prepared } = &examples;
        let initial = initial.and_then(|tree| prepared.in_prepared_features(table, &tree));
        CostRootSearch { examples, request, initial, cache, evaluated: Mutex::default() }
    }

    /// `run` for one form of rules; the roots name features of the prepared table.
    fn run_in<R: CostRules>(
        &self,
        space: CostSpace<'_, R>,
        task: &RootTask<'_>,
        evaluated: &Mutex<EvaluatedOf<CostSpace<'_, R>>>,
    ) -> (RootsResult, Stats) {
        let (queue, threads) = (TaskQueue::new(), self.request.threads);
        let searcher = || {
            let mut search = CostSearch::new(space, &task.clock, task.progress, &self.cache);
            search.queue = (threads > 1).then_some(&queue);
            search.control = Some(task.control);
            search
        };
        with_workers(threads - 1, &queue, &searcher, |search| {
            let whole = self.examples.prepared.whole();
            let limits = self.request.limits.normalised();
            let start = task.start.then(|| CostStart {
                initial: self.initial.clone(),
                greedy: self.request.options.incumbent,
            });
            let found = start.and_then(|start| search.first_incumbent(&whole, limits, start));
            let found = found.filter(|(cost, _)| *cost < task.below);
            let upper = found.as_ref().map_or(task.below, |(cost, _)| *cost);
            let tried = search.best_of_roots(&whole, limits, upper, (task.roots, evaluated));
            search.count_cache();
            RootsResult { tree: tried.tree.or(found), ..tried }
        })
    }

    fn with_search<T>(&self, work: impl FnOnce(&ThresholdsSearch<'_, '_>) -> T) -> T {
        let (switch, progress) = (StopSwitch::default(), Progress::default());
        let clock = Clock::start(None, &switch);
        let space = CostSpace::new(&self.examples.prepared, &self.request, ThresholdRules);
        work(&ThresholdsSearch::new(space, &clock, &progress, &self.cache))
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

impl RootTasks for CostRootSearch {
    fn roots(&self) -> Vec<RootRange> {
        let CostExamples { table, prepared } = &self.examples;
        if let Some(columns) = &prepared.columns {
            let root = |&(feature, rank): &(u32, u32)| RootRange::new(feature, rank, rank);
            return columns.rules.iter().map(root).map(|roots| self.in_table(&roots)).collect();
        }
        let range = |index: u32| {
            let values = table.features[index as usize].values.len() as u32;
            RootRange::new(index, 0, values - 2)
        };
        prepared.features.iter().map(|feature| range(feature.index)).collect()
    }

    /// With `start` the first incumbent is the initial tree or a greedy tree.
    fn run(
        &self,
        roots: &[RootRange],
        (below, start): (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>) {
        let (roots, below) = (&self.in_prepared(roots)[..], below.min(UNBOUNDED));
        let task = RootTask { roots, below, start, clock, progress, control };
        let (prepared, request) = (&self.examples.prepared, &self.request);
        let (tried, mut stats) = match &prepared.columns {
            Some(columns) => {
                let space = CostSpace::new(prepared, request, ColumnRules(columns));
                self.run_in(space, &task, &Mutex::new(()))
            }
            None => {
                let space = CostSpace::new(prepared, request, ThresholdRules);
                self.run_in(space, &task, &self.evaluated)
            }
        };
        stats.seconds = clock.seconds();
        let in_table = |(cost, tree)| (cost, prepared.in_table_features(&tree));
        let outcome = Outcome::of(tried.tree.map(in_table), tried.lower, below, clock.stopped_by());
        let open = tried.open.iter().map(|roots| self.in_table(roots)).collect();
        (SearchOutcome { outcome, stats }, open)
    }

    fn agrees(&self, tree: &Arc<Tree>, cost: Cost) -> bool {
        let CostExamples { table, prepared } = &self.examples;
        let Some(tree) = prepared.in_prepared_features(table, tree) else { return false };
        let slots: Vec<u32> = prepared.all.iter().collect();
        self.with_search(|search| search.agrees(&slots, &tree, cost))
    }
}

impl RootCosts for CostRootSearch {
    fn tasks(&self) -> &dyn RootTasks {
        self
    }

    fn table(&self) -> &Table {
        &self.examples.table
    }

    fn in_user_units(&self, cost: f64) -> f64 {
        self.examples.in_user_units(cost)
    }

    fn gap(&self, cost: Cost, lower: Cost) -> f64 {
        let progress = Progress::default();
        progress.report(cost, lower);
        self.with_search(|search| search.space.gap(&progress))
    }

    fn conclude(&self, found: Option<CostedTree>, lower: Cost) -> CostOutcome {
        let CostExamples { table, prepared } = &self.examples;
        let (whole, limits) = (prepared.whole(), self.request.limits.normalised());
        let (switch, slots) = (StopSwitch::default(), prepared.all.iter().collect::<Vec<u32>>());
        let simplified = |(cost, tree): (Cost, Arc<Tree>)| -> Option<FoundTree> {
            let tree = prepared.in_prepared_features(table, &tree)?;
            Some((cost, self.with_search(|search| search.simplified(&slots, &tree))))
        };
        let found = found.and_then(simplified);
        let clock = Clock::start(None, &switch);
        let stats = Stats::default();
        let found = rounded_outcome(prepared, (&whole, limits), found, (lower, 0.0), &clock, stats);
        let tree = found.outcome.tree.as_ref().map(|tree| prepared.in_table_features(tree));
        CostOutcome { outcome: Outcome { tree, ..found.outcome }, ..found }
    }

    fn is_too_coarse(&self, found: &CostOutcome) -> bool {
        is_too_coarse(&self.examples.prepared, found)
    }
}
