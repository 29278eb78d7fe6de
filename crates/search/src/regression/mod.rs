//! Regression trees of minimum squared or absolute error, and classification trees of minimum cost.
//! Start reading at `cost_space.rs`; `units.rs` converts targets to integers, and `class_costs/`
//! defines the cost of leaves for classes.

mod bounds;
pub(crate) mod class_costs;
mod clusters;
mod column_rules;
mod columns;
pub(crate) mod constrained;
mod cost_space;
mod depth_three;
mod depth_two;
#[cfg(test)]
mod differential;
pub(crate) mod error_pairs;
mod incumbent;
mod items;
mod medians;
mod options;
mod prepared_table;
pub(crate) mod root_tasks;
mod stump;
mod stump_evaluator;
mod subset;
mod subset_columns;
mod threshold_rules;
pub(crate) mod units;

use crate::engine::threads::with_workers;
use crate::support::cache::SharedCache;
use crate::support::clock::Clock;
use crate::support::statistics::{Progress, Stats};
use crate::support::task_queue::TaskQueue;
use exactree_model::{Cost, Limits, Outcome, Status, Table, Tree, UNBOUNDED, Weight, rank};
use std::sync::Arc;

use crate::engine::solution::CostedTree;
use class_costs::ClassCosts;
use column_rules::ColumnRules;
use cost_space::{CostRules, CostSearch, CostSpace};
use error_pairs::{ErrorPair, ErrorPrices, PairCache, ParetoFront};
pub use options::RegressionOptions;
use prepared_table::{RegressionTable, in_prepared_features, in_table_features};
use subset::RegressionSubset;
use threshold_rules::{RegressionSearch, ThresholdRules};
pub use units::Deviation;
pub(crate) use units::Units;

/// The examples: a table whose classes are the codes of the targets.
pub struct RegressionExamples {
    pub table: Table,
    prepared: RegressionTable,
}

/// The limits and options of a search.
#[derive(Clone, Debug)]
pub struct RegressionRequest {
    pub limits: Limits,
    /// Price of a leaf in the unit of the user.
    pub leaf_price: f64,
    /// Soft limit on the bytes of the cache.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    /// Number of threads, at least 1.
    pub threads: usize,
    pub options: RegressionOptions,
}

/// The outcome, in integers of the search and in the user's unit.
pub struct Regression {
    pub outcome: Outcome,
    pub cost: Option<f64>,
    /// Lower bound on the cost of every tree within the limits, rounding included.
    pub lower_bound: f64,
    /// Maximum error of the cost of a tree reported optimal, because of rounding.
    pub rounding: f64,
    /// The same maximum in units of the search.
    pub rounding_units: f64,
    pub stats: Stats,
}

/// Name and count of every bound.
pub fn pruned_bounds(stats: &Stats) -> [(&'static str, u64); 10] {
    let pruned = &stats.pruned;
    [
        ("interval_bound", pruned.interval_bound),
        ("similarity_bound", pruned.similarity_bound),
        ("feature_bounds", pruned.feature_bounds),
        ("stump_bounds", pruned.stump_bounds),
        ("cached_bounds", pruned.cached_bounds),
        ("one_target", pruned.one_target),
        ("equivalent_points", pruned.equivalent_points),
        ("clustering_bound", pruned.clustering_bound),
        ("leaf_price", pruned.leaf_price),
        ("two_set_bound", pruned.two_set_bound),
    ]
}

impl RegressionExamples {
    /// Merges the rows of a table of finite values given column by column, for one request;
    /// `None` if the clock stops.
    pub fn new(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        targets: &[f64],
        weights: &[Weight],
        deviation: Deviation,
        request: &RegressionRequest,
    ) -> Option<Self> {
        let (distinct, codes) = clock.check().map(|()| rank(targets)).ok()?;
        clock.check().ok()?;
        let by_code = prepared_table::weights_of(&codes, weights, distinct.len());
        let units = Units::new(deviation, &distinct, &by_code, request.leaf_price);
        let stopped = || clock.stopped();
        let table = Table::read(&stopped, columns, &codes, weights, distinct.len())?;
        let (options, rows) = (&request.options, request.limits.min_samples_leaf);
        let prepared = RegressionTable::prepare(&stopped, &table, units, options, rows)?;
        Some(RegressionExamples { table, prepared })
    }

    /// The same for a table whose labels are classes, with the given costs of leaves; the unit is
    /// 2 to the exponent.
    pub fn of_classes(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        labels: &[u32],
        weights: &[Weight],
        (costs, exponent): (ClassCosts, i32),
        request: &RegressionRequest,
    ) -> Option<Self> {
        let stopped = || clock.stopped();
        let table = Table::read(&stopped, columns, labels, weights, costs.classes())?;
        let units = Units::of_classes(costs, exponent);
        let (options, rows) = (&request.options, request.limits.min_samples_leaf);
        let prepared = RegressionTable::prepare(&stopped, &table, units, options, rows)?;
        Some(RegressionExamples { table, prepared })
    }

    /// A cost of the search in the user's unit.
    pub fn in_user_units(&self, cost: f64) -> f64 {
        self.prepared.in_user_units(cost)
    }

    /// The same examples in fine units; in the same units if there are no finer ones. `None` if the
    /// clock stops.
    pub fn in_fine_units(self, clock: &Clock<'_>, request: &RegressionRequest) -> Option<Self> {
        if self.prepared.units.finer().is_none() {
            return Some(self);
        }
        let prepared = self.prepared_in_fine_units(clock, request)?;
        Some(RegressionExamples { prepared, ..self })
    }

    /// The prepared table in fine units. If the clock stops, `None`: a proof in coarse units then
    /// holds up to its rounding error.
    fn prepared_in_fine_units(
        &self,
        clock: &Clock<'_>,
        request: &RegressionRequest,
    ) -> Option<RegressionTable> {
        let units = self.prepared.units.finer()?;
        let (options, rows) = (&request.options, request.limits.min_samples_leaf);
        RegressionTable::prepare(&|| clock.stopped(), &self.table, units, options, rows)
    }
}

/// Finds the best tree for some examples, or the best tree and lower bound within the time limit.
/// Features of the tree are indices into `Table::features`, as are those of `initial`, a tree
/// within the limits.
pub fn regression(
    examples: &RegressionExamples,
    request: &RegressionRequest,
    initial: Option<&Arc<Tree>>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Regression {
    let initial =
        initial.and_then(|tree| in_prepared_features(&examples.table, &examples.prepared, tree));
    let start = RegressionStart { initial, greedy: request.options.incumbent };
    let found = search_from(&examples.prepared, request, clock, progress, start);
    let fine = is_too_coarse(&examples.prepared, &found)
        .then(|| examples.prepared_in_fine_units(clock, request))
        .flatten();
    let found = match fine {
        Some(prepared) => search_again(&prepared, request, clock, found),
        None => found,
    };
    let in_table = |tree: Arc<Tree>| in_table_features(&examples.prepared, &tree);
    let outcome = Outcome { tree: found.outcome.tree.map(in_table), ..found.outcome };
    let equal_features = examples.table.features.len() - examples.prepared.features.len();
    let mut stats = found.stats;
    stats.pruned.equal_features = equal_features as u64;
    stats.seconds = clock.seconds();
    Regression { outcome, stats, ..found }
}

/// Whether an outcome is proved, but the rounding error of the proof exceeds the tolerance, and there
/// are finer units.
fn is_too_coarse(prepared: &RegressionTable, found: &Regression) -> bool {
    let Some(cost) = found.outcome.cost.filter(|_| found.outcome.status == Status::Optimal) else {
        return false;
    };
    let net = |cost: Cost| prepared.net(cost as f64);
    let one_leaf = net(RegressionSubset::whole(prepared).leaf);
    prepared.units.finer().is_some() && !Units::tolerate(found.rounding_units, net(cost), one_leaf)
}

/// Repeats a search, starting from its tree, and keeps the greater of both lower bounds.
fn search_again(
    prepared: &RegressionTable,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    before: Regression,
) -> Regression {
    let progress = Progress::default();
    let start = RegressionStart { initial: before.outcome.tree, greedy: false };
    let found = search_from(prepared, request, clock, &progress, start);
    let mut stats = before.stats;
    stats.add(&found.stats);
    Regression { lower_bound: found.lower_bound.max(before.lower_bound), stats, ..found }
}

/// The Pareto front of false positives and false negatives between two pairs on it; complete unless
/// the clock has stopped.
pub fn pairs_between(
    examples: &RegressionExamples,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    prices: &ErrorPrices,
    ends: [(Weight, Weight); 2],
) -> (Vec<ErrorPair>, Stats) {
    let prepared = &examples.prepared;
    // Half of the memory for the minimum costs of subsets, half for their pairs.
    let memory = request.memory_limit.map(|bytes| bytes / 2);
    let (progress, cache) = (Progress::default(), SharedCache::new(memory, 1));
    let space = CostSpace::new(prepared, request, ThresholdRules);
    let mut search = RegressionSearch::new(space, clock, &progress, &cache);
    let mut front = ParetoFront::default();
    ends.into_iter().for_each(|end| front.insert(end, || Tree::leaf(0)));
    let whole = RegressionSubset::whole(prepared);
    search.fill(&whole, request.limits, prices, PairCache::new(memory), &mut front);
    let slots: Vec<u32> = whole.members.iter().collect();
    let positive = prices.positive as u32;
    front.0.iter_mut().for_each(|pair| {
        pair.tree = search.without_redundant_nodes(&slots, &pair.tree, positive);
    });
    let (mut pairs, mut stats) = (front.0, search.stats);
    stats.seconds = clock.seconds();
    let inner = 1..pairs.len().max(2) - 1;
    let mut inner: Vec<ErrorPair> = pairs.drain(inner).collect();
    inner.iter_mut().for_each(|pair| pair.tree = in_table_features(prepared, &pair.tree));
    (inner, stats)
}

/// The cost of the best tree, and that tree simplified, with its own cost.
type FoundTree = (Cost, CostedTree);

/// The first incumbent: an initial tree, a greedy tree, or the better of both.
struct RegressionStart {
    initial: Option<Arc<Tree>>,
    greedy: bool,
}

/// Searches, starting from the first incumbent if there is one.
fn search_from(
    prepared: &RegressionTable,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    progress: &Progress,
    start: RegressionStart,
) -> Regression {
    match &prepared.columns {
        Some(columns) => {
            let space = CostSpace::new(prepared, request, ColumnRules(columns));
            search_in(space, request, clock, progress, start)
        }
        None => {
            let space = CostSpace::new(prepared, request, ThresholdRules);
            search_in(space, request, clock, progress, start)
        }
    }
}

/// The same with one form of rules.
fn search_in<R: CostRules>(
    space: CostSpace<'_, R>,
    request: &RegressionRequest,
    clock: &Clock<'_>,
    progress: &Progress,
    start: RegressionStart,
) -> Regression {
    let (prepared, threads) = (space.prepared, request.threads);
    let (cache, queue) = (SharedCache::new(request.memory_limit, threads), TaskQueue::new());
    let searcher = || {
        let mut search = CostSearch::new(space, clock, progress, &cache);
        search.stop_at_gap = request.stop_at_gap;
        search.queue = (threads > 1).then_some(&queue);
        search
    };
    let limits = request.limits.normalised();
    let whole = RegressionSubset::whole(prepared);
    let work = |search: &mut CostSearch<'_, '_, R>| search.run(&whole, limits, start);
    let ((found, lower), stats) = with_workers(threads - 1, &queue, &searcher, work);
    rounded_outcome(prepared, (&whole, limits), found, (lower, 0.0), clock, stats)
}

impl<'a, R> CostSpace<'a, R> {
    fn new(prepared: &'a RegressionTable, request: &'a RegressionRequest, rules: R) -> Self {
        let price = prepared.units.price(request.leaf_price);
        CostSpace { prepared, options: &request.options, price, rules }
    }
}

impl<R: CostRules> CostSearch<'_, '_, R> {
    /// The best tree for the whole table, and its lower bound.
    fn run(
        &mut self,
        whole: &RegressionSubset,
        limits: Limits,
        start: RegressionStart,
    ) -> (Option<FoundTree>, Cost) {
        let found = self.first_incumbent(whole, limits, start);
        let upper = found.as_ref().map_or(UNBOUNDED, |found| found.0);
        let solution = self.solve(whole, limits, upper, None);
        self.count_cache();
        let slots: Vec<u32> = whole.members.iter().collect();
        let found = solution.tree.or(found);
        (found.map(|(cost, tree)| (cost, self.simplified(&slots, &tree))), solution.lower)
    }

    /// The better of the initial tree and a greedy tree for the whole table.
    fn first_incumbent(
        &mut self,
        whole: &RegressionSubset,
        limits: Limits,
        start: RegressionStart,
    ) -> Option<CostedTree> {
        let slots: Vec<u32> = whole.members.iter().collect();
        let initial = start.initial.map(|tree| self.simplified(&slots, &tree));
        let greedy = start.greedy.then(|| self.incumbent(whole, limits));
        let found = initial.into_iter().chain(greedy).min_by_key(|(cost, _)| *cost);
        if let Some((cost, _)) = found {
            self.stats.first_incumbent = Some(cost);
            self.progress.report(cost, 0);
        }
        found
    }
}

/// The outcome of a search of the whole table, in the user's unit. Costs are rounded by at most
/// `rounding` beside their leaves.
fn rounded_outcome(
    prepared: &RegressionTable,
    (whole, limits): (&RegressionSubset, Limits),
    found: Option<FoundTree>,
    (lower, rounding): (Cost, f64),
    clock: &Clock<'_>,
    stats: Stats,
) -> Regression {
    let (best, found) = found.unzip();
    let cost = found.as_ref().map(|found| found.0);
    let net = prepared.net(cost.unwrap_or(whole.leaf) as f64);
    // The rounding error of any tree, and the rounding error of the best tree.
    let any = prepared.max_rounding_error(leaves(limits, whole), net) + rounding;
    let of_tree =
        |tree: &Tree| prepared.max_rounding_error(f64::from(tree.size()) + 1.0, net) + rounding;
    let own = found.as_ref().map_or(0.0, |(_, tree)| of_tree(tree));
    // A gap within the rounding error counts as closed.
    let proved = best.is_some_and(|best| best.saturating_sub(lower) as f64 <= any + own);
    let near = cost.filter(|_| proved).unwrap_or(lower);
    let outcome = Outcome::of(found, near, UNBOUNDED, clock.stopped_by());
    let above = |cost: Cost| cost.saturating_sub(lower) as f64 + own;
    let above = cost.filter(|_| outcome.status == Status::Optimal).map_or(0.0, above);
    Regression {
        cost: cost.map(|cost| prepared.in_user_units(cost as f64)),
        lower_bound: prepared.in_user_units(lower as f64 - any),
        rounding: prepared.units.in_user_units(above + any),
        rounding_units: above + any,
        outcome,
        stats,
    }
}

/// Maximum number of leaves of a tree for a subset.
fn leaves(limits: Limits, subset: &RegressionSubset) -> f64 {
    let maximum = (limits.size as f64 + 1.0).min(subset.count as f64);
    maximum.min(2f64.powi(limits.depth.min(1000) as i32))
}
