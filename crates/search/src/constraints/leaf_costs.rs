//! Squared error, absolute error and class costs under constraints.

#[cfg(test)]
mod differential;

use super::{
    ChoiceRequest, ConstrainedCosts, ConstrainedRoots, ConstraintOptions, CostFamily,
    FeatureChoice, Problem, RootsRequest, Targets, TreeConstraints,
};
use crate::costs::class_costs::ClassCosts;
use crate::costs::items::CostSubset;
use crate::costs::units::{TargetError, Units};
use crate::engine::root_range::RootTasks;
use crate::engine::solution::CostedTree;
use crate::engine::space::LeafCosts;
use crate::spaces::continuous::error_space::Directions;
use crate::spaces::leaf_costs::cost_space::CostSpace;
use crate::spaces::leaf_costs::one_search::{CostStart, rounded_outcome, search_from};
use crate::spaces::leaf_costs::prepared_table::{CostTable, weights_of};
use crate::spaces::leaf_costs::root_tasks::RootCosts;
use crate::spaces::leaf_costs::solve::is_too_coarse;
use crate::spaces::leaf_costs::threshold_rules::ThresholdRules;
use crate::spaces::leaf_costs::{CostOptions, CostOutcome, CostRequest};
use crate::support::clock::{Clock, Grace, StopSwitch};
use crate::support::statistics::{Progress, Stats};
use exactree_model::{Cost, Errors, Limits, Outcome, Table, Tree, UNBOUNDED, Weight, rank};
use std::sync::{Arc, OnceLock};

/// The examples of a search under constraints: a table whose classes are the codes of the targets.
pub struct ConstrainedExamples {
    pub table: Table,
    units: Units,
    /// The distinct targets of a regression, for leaves that predict their mean or median.
    targets: Option<Targets>,
    /// The amount that rounding adds to costs, from the first prepared table on.
    excess: OnceLock<f64>,
}

/// The prices of features, by feature.
#[derive(Clone, Debug)]
pub enum FeaturePrices {
    /// In the integers of the search.
    Exact(Vec<Cost>),
    /// In the unit of `CostRequest::leaf_price`.
    Rounded(Vec<f64>),
}

impl FeaturePrices {
    /// The price of all features, in the unit of `CostRequest::leaf_price`; 0 if exact.
    pub fn total(&self) -> f64 {
        match self {
            FeaturePrices::Exact(_) => 0.0,
            FeaturePrices::Rounded(prices) => prices.iter().sum(),
        }
    }

    /// The prices in the integers of the search.
    fn in_units(&self, units: &Units) -> Vec<Cost> {
        match self {
            FeaturePrices::Exact(prices) => prices.clone(),
            FeaturePrices::Rounded(prices) => prices.iter().map(|&p| units.price(p)).collect(),
        }
    }

    /// Maximum rounding error of the price of a tree's features, in units of the search.
    fn rounding(&self) -> f64 {
        match self {
            FeaturePrices::Exact(_) => 0.0,
            // Half a unit for each.
            FeaturePrices::Rounded(prices) => {
                prices.iter().filter(|&&price| price > 0.0).count() as f64 / 2.0
            }
        }
    }
}

impl ConstrainedExamples {
    /// Merges the rows of a table of finite values given column by column; `None` if the clock stops.
    pub fn new(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        targets: &[f64],
        weights: &[Weight],
        error: TargetError,
        (leaf_price, prices): (f64, &FeaturePrices),
    ) -> Option<Self> {
        let (distinct, codes) = rank(targets);
        let by_code = weights_of(&codes, weights, distinct.len());
        // All prices fit in the integers of the search.
        let units = Units::of_targets(error, &distinct, &by_code, leaf_price + prices.total());
        let table = in_grace(clock, columns, &codes, weights, distinct.len())?;
        let targets = match error {
            TargetError::Squared => Targets::of_means(&distinct),
            TargetError::Absolute => Targets::Medians,
        };
        Some(ConstrainedExamples { table, units, targets: Some(targets), excess: OnceLock::new() })
    }

    /// The same for a table whose labels are classes, with the given costs of leaves; the unit is
    /// 2 to the exponent. The costs are scaled for the price of a leaf and of all features together.
    pub fn of_classes(
        clock: &Clock<'_>,
        columns: &[Vec<f64>],
        labels: &[u32],
        weights: &[Weight],
        (costs, exponent): (ClassCosts, i32),
    ) -> Option<Self> {
        let table = in_grace(clock, columns, labels, weights, costs.classes())?;
        Some(ConstrainedExamples {
            table,
            units: Units::of_classes(costs, exponent),
            targets: None,
            excess: OnceLock::new(),
        })
    }

    /// A cost of the search in the user's unit.
    pub fn in_user_units(&self, cost: f64) -> f64 {
        self.units.in_user_units(cost - self.excess.get().unwrap_or(&0.0))
    }
}

/// The table of some rows; a stop leaves time for a small one.
fn in_grace(
    clock: &Clock<'_>,
    columns: &[Vec<f64>],
    codes: &[u32],
    weights: &[Weight],
    n_codes: usize,
) -> Option<Table> {
    let grace = Grace::of(clock, codes.len(), columns.len());
    Table::read(&|| grace.is_over(), columns, codes, weights, n_codes)
}

/// Costs of leaves, with the resources of the search.
struct SumFamily {
    request: CostRequest,
    units: Units,
}

impl SumFamily {
    fn new(
        request: &CostRequest,
        examples: &ConstrainedExamples,
        constraints: &TreeConstraints,
    ) -> Self {
        // Equal columns may belong to different features, and subsets are split by sorted orders. The
        // mean of a leaf needs the target of every item.
        let means = matches!(examples.targets, Some(Targets::Means(_))) && constraints.monotone();
        let options = CostOptions {
            equal_features: false,
            bit_columns: false,
            equal_rows: request.options.equal_rows && !means,
            ..request.options.clone()
        };
        let request = CostRequest { options, ..request.clone() };
        SumFamily { request, units: examples.units.clone() }
    }
}

/// Finds the best tree that satisfies the constraints, or the best tree and lower bound within the time
/// limit. `initial` is a tree to start from, made feasible by collapsing nodes. `constraints.prices` are
/// ignored. Features of trees are indices into `Table::features`.
pub fn constrained_costs(
    examples: &ConstrainedExamples,
    request: &CostRequest,
    constraints: &TreeConstraints,
    prices: &FeaturePrices,
    clock: Clock<'_>,
    progress: &Progress,
    initial: Option<&Arc<Tree>>,
) -> CostOutcome {
    let family = SumFamily::new(request, examples, constraints);
    let (coarse, prepared) = family.solve(examples, constraints, prices, clock, progress, initial);
    let Some(prepared) = prepared else { return coarse };
    let finer = prepared.units.finer().filter(|_| is_too_coarse(&prepared, &coarse));
    let Some(units) = finer else { return coarse };
    let (family, progress) = (SumFamily { units, ..family }, &Progress::default());
    let initial = coarse.outcome.tree.as_ref();
    let (fine, prepared) = family.solve(examples, constraints, prices, clock, progress, initial);
    if prepared.is_none() {
        return coarse;
    }
    let mut stats = coarse.stats;
    stats.add(&fine.stats);
    CostOutcome { lower_bound: fine.lower_bound.max(coarse.lower_bound), stats, ..fine }
}

impl SumFamily {
    /// The outcome, and the prepared table; `None` if the clock stopped before it was prepared.
    fn solve(
        &self,
        examples: &ConstrainedExamples,
        constraints: &TreeConstraints,
        prices: &FeaturePrices,
        clock: Clock<'_>,
        progress: &Progress,
        initial: Option<&Arc<Tree>>,
    ) -> (CostOutcome, Option<CostTable>) {
        let request = ChoiceRequest::from(&self.request);
        let (limits, table) = (request.limits, &examples.table);
        let Some(prepared) = FeatureChoice::prepare(self, table, clock) else {
            let outcome = Outcome::of(None, 0, UNBOUNDED, clock.stopped_by());
            let stats = Stats { seconds: clock.seconds(), ..Stats::default() };
            let (lower_bound, rounding, rounding_units) = (0.0, 0.0, 0.0);
            let cost = None;
            return (
                CostOutcome { outcome, cost, lower_bound, rounding, rounding_units, stats },
                None,
            );
        };
        examples.excess.get_or_init(|| prepared.excess);
        let in_units = prices.in_units(&self.units);
        let problem = Problem {
            table,
            request,
            constraints,
            targets: examples.targets.as_ref(),
            prices: &in_units,
        };
        let found = FeatureChoice::solve(self, &prepared, &problem, clock, progress, initial);
        let whole = prepared.whole();
        let tree = found.tree.map(|found| (found.0, found));
        let limits = (&whole, limits.normalised());
        let rounding = prices.rounding();
        let (lower, stats) = (found.lower, found.stats);
        let found = rounded_outcome(&prepared, limits, tree, (lower, rounding), &clock, stats);
        (found, Some(prepared))
    }
}

impl From<&CostRequest> for ChoiceRequest {
    fn from(request: &CostRequest) -> Self {
        let CostRequest { limits, memory_limit, stop_at_gap, threads, .. } = *request;
        ChoiceRequest { limits, below: UNBOUNDED, memory_limit, stop_at_gap, threads }
    }
}

/// A table prepared once for root tasks under constraints.
pub struct ConstrainedCostRoots {
    roots: ConstrainedRoots<SumFamily>,
}

impl ConstrainedCostRoots {
    /// Prepares a table, for the problem of `constrained_costs` without `max_features` or prices of
    /// features, or for its `relaxation`, in `fine` units if there are any; `None` if the clock
    /// stops.
    pub fn prepare(
        examples: ConstrainedExamples,
        request: &CostRequest,
        constraints: TreeConstraints,
        (relaxation, fine): (bool, bool),
        initial: Option<Arc<Tree>>,
        clock: &Clock<'_>,
    ) -> Option<Self> {
        let family = SumFamily::new(request, &examples, &constraints);
        let finer = family.units.finer().filter(|_| fine);
        let family = SumFamily { units: finer.unwrap_or(family.units), ..family };
        let ConstrainedExamples { table, targets, .. } = examples;
        let request = ChoiceRequest::from(request);
        let request = RootsRequest { request, constraints, targets, relaxation };
        let roots = ConstrainedRoots::prepare(family, table, request, initial, clock)?;
        Some(ConstrainedCostRoots { roots })
    }
}

impl RootCosts for ConstrainedCostRoots {
    fn tasks(&self) -> &dyn RootTasks {
        &self.roots
    }

    fn table(&self) -> &Table {
        self.roots.table()
    }

    fn in_user_units(&self, cost: f64) -> f64 {
        self.roots.prepared().in_user_units(cost)
    }

    fn gap(&self, cost: Cost, lower: Cost) -> f64 {
        let progress = Progress::default();
        progress.report(cost, lower);
        self.roots.family.base(self.roots.prepared(), None).gap(&progress)
    }

    fn conclude(&self, found: Option<CostedTree>, lower: Cost) -> CostOutcome {
        let (prepared, switch) = (self.roots.prepared(), StopSwitch::default());
        let (whole, clock) = (prepared.whole(), Clock::start(None, &switch));
        let limits = self.roots.family.request.limits.normalised();
        let found = found.map(|found| (found.0, found));
        rounded_outcome(prepared, (&whole, limits), found, (lower, 0.0), &clock, Stats::default())
    }

    fn is_too_coarse(&self, found: &CostOutcome) -> bool {
        is_too_coarse(self.roots.prepared(), found)
    }
}

impl CostFamily for SumFamily {
    type Prepared = CostTable;
    type Base<'p> = CostSpace<'p, ThresholdRules>;

    fn options(&self) -> ConstraintOptions {
        let CostOptions { relaxation, incumbent, wide_lanes, .. } = self.request.options;
        let (cross_bound, monotone_stumps) = (false, false);
        ConstraintOptions { relaxation, incumbent, cross_bound, monotone_stumps, wide_lanes }
    }

    fn prepare(
        &self,
        stopped: &dyn Fn() -> bool,
        table: &Table,
        _conditions: bool,
    ) -> Option<CostTable> {
        let rows = self.request.limits.min_samples_leaf;
        CostTable::prepare(stopped, table, self.units.clone(), &self.request.options, rows)
    }

    fn base<'p>(
        &'p self,
        prepared: &'p CostTable,
        _directions: Option<Directions<'p>>,
    ) -> CostSpace<'p, ThresholdRules> {
        CostSpace::new(prepared, &self.request, ThresholdRules)
    }

    fn whole(&self, prepared: &CostTable) -> CostSubset {
        prepared.whole()
    }

    fn unconstrained(
        &self,
        table: &Table,
        limits: Limits,
        clock: Clock<'_>,
        progress: &Progress,
    ) -> (Option<Arc<Tree>>, Stats) {
        let stopped = || clock.stopped();
        let Some(prepared) = self.prepare(&stopped, table, false) else {
            return (None, Stats::default());
        };
        let request = CostRequest { limits, stop_at_gap: 0.0, ..self.request.clone() };
        let start = CostStart { initial: None, greedy: request.options.incumbent };
        let found = search_from(&prepared, &request, &clock, progress, start);
        (found.outcome.tree.map(|tree| prepared.in_table_features(&tree)), found.stats)
    }
}

impl ConstrainedCosts for CostSpace<'_, ThresholdRules> {
    fn example(&self, slot: usize) -> (u32, Weight) {
        let item = &self.prepared.items[slot];
        (item.low, item.weight as Weight)
    }

    fn leaf_class(&self, class_weights: &[Weight]) -> u32 {
        match self.prepared.units.cost.of_classes() {
            Some(ClassCosts::Matrix { by_class, .. }) => {
                // Below 2^62 for each predicted class.
                let cost = |predicted: &usize| -> Cost {
                    class_weights.iter().zip(by_class).map(|(w, row)| w * row[*predicted]).sum()
                };
                (0..by_class.len()).min_by_key(cost).unwrap_or(0) as u32
            }
            _ => Errors::leaf_class(class_weights),
        }
    }

    fn stump_costs(&self, subset: &CostSubset, feature: usize) -> Vec<Cost> {
        let mut costs = self.costs_of_stumps(subset, subset.sorted.order(feature));
        costs.iter_mut().for_each(|cost| *cost += 2 * self.price);
        costs
    }
}
