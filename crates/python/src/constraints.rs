//! The searches under constraints: their settings and their results.

use crate::border::{
    ClassCostsResult, ConstrainedClassCostsResult, ConstrainedErrorResult,
    ConstrainedRegressionResult, RegressionResult,
};
use crate::class_costs::{ClassCostArguments, ClassCostsSettings};
use crate::refusal::Refusal;
use crate::regression::{self, RegressionArguments, RegressionSettings, in_table};
use crate::request::CostSettings;
use crate::result::{NodeRow, nodes, stats, status, stopped_by};
use crate::searches::{Found, found_by};
use crate::table::{ExampleArrays, TableArguments};
use crate::watch;
use exactree_model::{Cost, Status, Table, Tree};
use exactree_search::{Clock, Options, Progress, ProgressPoint, Request};
use exactree_search::{ConstrainedExamples, Regression, RegressionRequest, constrained_costs};
use exactree_search::{FeaturePrices, TreeConstraints, solve_constrained};
use num_bigint::BigUint;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, OnceLock};

/// The constraints of a problem without prices of features, as in `TreeConstraints`, and a tree to
/// start from.
#[derive(FromPyObject)]
struct ConstraintSettings {
    features: Vec<u32>,
    directions: Vec<i8>,
    in_shares: bool,
    required: Vec<u32>,
    only_below: Vec<Option<u32>>,
    max_features: Option<usize>,
    /// Pairs of a class and its maximum number of leaves.
    leaves: Vec<(u32, u32)>,
    error_costs: Vec<BigUint>,
    share_scale: BigUint,
    share_added: Vec<BigUint>,
    min_leaf_weight: u64,
    values: Vec<Vec<Vec<u32>>>,
    incumbent: Option<Vec<NodeRow>>,
}

/// Settings of the search for minimum errors under constraints.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedErrorSettings<'py> {
    costs: CostSettings,
    constraints: ConstraintSettings,
    /// The weights of the rows that constraints compare, if they are others than those of the table.
    unscaled_weights: Option<PyReadonlyArray1<'py, u64>>,
    /// By feature: the price of using it.
    prices: Vec<Cost>,
    /// Whether the minimum leaf size is a weight.
    counts_weight: bool,
}

/// Settings of the search for minimum class costs under constraints.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedClassCostsSettings {
    costs: ClassCostsSettings,
    constraints: ConstraintSettings,
    prices: FeaturePriceSettings,
}

/// Settings of the search for regression trees under constraints.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedRegressionSettings {
    costs: RegressionSettings,
    constraints: ConstraintSettings,
    prices: Vec<f64>,
}

/// By feature: the price of using it, in integers if costs are exact.
#[derive(FromPyObject)]
enum FeaturePriceSettings {
    Exact(Vec<Cost>),
    Rounded(Vec<f64>),
}

impl From<FeaturePriceSettings> for FeaturePrices {
    fn from(settings: FeaturePriceSettings) -> Self {
        match settings {
            FeaturePriceSettings::Exact(prices) => FeaturePrices::Exact(prices),
            FeaturePriceSettings::Rounded(prices) => FeaturePrices::Rounded(prices),
        }
    }
}

impl ConstraintSettings {
    /// The constraints with prices of features, and the tree to start from.
    fn stated(self, prices: Vec<Cost>) -> (TreeConstraints, Option<Vec<NodeRow>>) {
        let constraints = TreeConstraints {
            features: self.features,
            directions: self.directions,
            in_shares: self.in_shares,
            required: self.required,
            only_below: self.only_below,
            max_features: self.max_features,
            prices,
            quotas: self.leaves,
            error_costs: self.error_costs,
            share_scale: self.share_scale,
            share_added: self.share_added,
            min_leaf_weight: self.min_leaf_weight,
            values: self.values,
        };
        (constraints, self.incumbent)
    }
}

/// The request of a search for errors under constraints.
struct ConstrainedErrorRequest {
    request: Request,
    options: Options,
    constraints: TreeConstraints,
    /// Whether the minimum leaf size is a weight.
    leaf_weights: bool,
    incumbent: Option<Vec<NodeRow>>,
}

impl ConstrainedErrorSettings<'_> {
    /// The request and the switches.
    fn request(self) -> Result<ConstrainedErrorRequest, Refusal> {
        let (constraints, incumbent) = self.constraints.stated(self.prices);
        Ok(ConstrainedErrorRequest {
            request: self.costs.request(),
            options: self.costs.search.resources.options(Options::set)?,
            constraints,
            leaf_weights: self.counts_weight,
            incumbent,
        })
    }
}

impl ConstrainedErrorRequest {
    /// Runs the search. There is no tree if the table could not be read in time.
    fn run(&self, table: &Table, clock: &Clock<'_>, progress: &Progress) -> Found {
        if !table.is_read() {
            return Found::stopped_early(clock);
        }
        let initial = self.incumbent.as_ref().and_then(|nodes| in_table(table, nodes, 0));
        let (request, constraints, options) = (&self.request, &self.constraints, &self.options);
        let solved = solve_constrained(
            table,
            request,
            constraints,
            options,
            *clock,
            progress,
            initial.as_ref(),
        );
        let choices = ("choices", solved.stats.choices);
        let mut found = found_by(solved);
        found.counts.push(choices);
        found
    }
}

/// A search for least sums of costs under constraints.
struct ConstrainedCostSearch {
    constraints: TreeConstraints,
    prices: FeaturePrices,
    incumbent: Option<Vec<NodeRow>>,
}

impl ConstrainedCostSearch {
    fn new(constraints: ConstraintSettings, prices: FeaturePrices) -> Self {
        let (constraints, incumbent) = constraints.stated(Vec::new());
        ConstrainedCostSearch { constraints, prices, incumbent }
    }

    fn run(
        &self,
        examples: &ConstrainedExamples,
        request: &RegressionRequest,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Regression {
        let start =
            |nodes: &Vec<NodeRow>| -> Option<Arc<Tree>> { in_table(&examples.table, nodes, 0) };
        let initial = self.incumbent.as_ref().and_then(start);
        let (constraints, prices) = (&self.constraints, &self.prices);
        constrained_costs(
            examples,
            request,
            constraints,
            prices,
            *clock,
            progress,
            initial.as_ref(),
        )
    }
}

/// Searches for the tree with minimum errors plus prices that satisfies constraints.
///
/// As `crate::minimum_errors`.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
pub(crate) fn constrained_errors(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: ConstrainedErrorSettings<'_>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<ConstrainedErrorResult> {
    let limits = settings.costs.search.resources.start();
    let unscaled = settings.unscaled_weights.as_ref().map(|weights| weights.as_array().to_vec());
    let request = settings.request()?;
    let raw = TableArguments { unscaled, ..examples.copied()? };
    let (table, found, curve) = watch::run(py, on_progress, limits, |clock, progress| {
        let mut table = raw.table_in_grace(clock);
        if request.leaf_weights {
            table.count_weight_as_rows();
        }
        let found = request.run(&table, clock, progress);
        (table, found, progress.curve())
    })?;
    error_result(py, &table, &found, &curve)
}

/// Searches for the tree of minimum class costs plus prices that satisfies constraints.
///
/// As `crate::class_costs_tree`.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
pub(crate) fn constrained_class_costs(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: ConstrainedClassCostsSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<ConstrainedClassCostsResult> {
    let limits = settings.costs.search.resources.start();
    let raw = examples.copied()?;
    let ConstrainedClassCostsSettings { costs, constraints, prices } = settings;
    let prices = FeaturePrices::from(prices);
    let arguments = ClassCostArguments::new(raw, &costs, prices.total())?;
    let search = ConstrainedCostSearch::new(constraints, prices);
    let unit = arguments.unit();
    let in_units = |cost| cost as f64 * unit.unwrap_or(1.0);
    let units: Option<watch::CostConversion<'_>> = unit.is_some().then_some(&in_units);
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let found = arguments.constrained_examples(clock).map(|examples| {
            let found = search.run(&examples, &arguments.request, clock, progress);
            (examples, found, progress.curve())
        });
        (found, (clock.stopped_by(), clock.seconds()))
    })?;
    let result = match &found {
        Some((examples, found, curve)) => arguments.result(py, &examples.table, found, curve),
        None => arguments.leaf_result(py, ended),
    };
    class_costs_result(py, result?, found.as_ref().map(|(_, found, _)| found))
}

/// Searches for the tree of minimum squared or absolute error plus prices that satisfies constraints.
///
/// As `crate::regression_tree`.
#[pyfunction]
#[pyo3(signature = (columns, targets, weights, settings, on_progress=None))]
pub(crate) fn constrained_regression(
    py: Python<'_>,
    columns: PyReadonlyArray2<'_, f64>,
    targets: PyReadonlyArray1<'_, f64>,
    weights: PyReadonlyArray1<'_, u64>,
    settings: ConstrainedRegressionSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<ConstrainedRegressionResult> {
    let limits = settings.costs.search.resources.start();
    let ConstrainedRegressionSettings { costs, constraints, prices } = settings;
    let arguments = RegressionArguments::read(columns, targets, weights, costs)?;
    let search = ConstrainedCostSearch::new(constraints, FeaturePrices::Rounded(prices));
    let ready: OnceLock<ConstrainedExamples> = OnceLock::new();
    let in_units = |cost| ready.get().map_or(0.0, |examples| examples.in_user_units(cost as f64));
    let units: Option<watch::CostConversion<'_>> = Some(&in_units);
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let found = arguments.constrained_examples(clock, &search.prices).map(|examples| {
            let examples = ready.get_or_init(|| examples);
            (search.run(examples, &arguments.request, clock, progress), progress.curve())
        });
        (found, (clock.stopped_by(), clock.seconds()))
    })?;
    let result = match (ready.get(), &found) {
        (Some(examples), Some((found, curve))) => {
            regression::result(py, &examples.table, &in_units, found, curve)
        }
        _ => regression::leaf_result(py, arguments.rows(), ended),
    };
    regression_result(py, result?, found.as_ref().map(|(found, _)| found))
}

/// The result of a search for errors.
fn error_result(
    py: Python<'_>,
    table: &Table,
    found: &Found,
    curve: &[ProgressPoint],
) -> PyResult<ConstrainedErrorResult> {
    let outcome = &found.outcome;
    Ok(ConstrainedErrorResult {
        status: status(outcome.status),
        cost: outcome.cost,
        lower_bound: outcome.lower_bound,
        stopped_by: outcome.stopped_by.map(stopped_by),
        nodes: outcome.tree.as_ref().map(|tree| nodes(table, tree)),
        stats: stats(py, table, found, curve)?.unbind(),
        ranks: outcome.tree.as_ref().map(|tree| ranks(tree)),
    })
}

/// The result of a search for class costs, from that without the ranks of its tree; `found` is `None`
/// if the search did not begin.
fn class_costs_result(
    py: Python<'_>,
    result: ClassCostsResult,
    found: Option<&Regression>,
) -> PyResult<ConstrainedClassCostsResult> {
    let ClassCostsResult {
        status,
        lower_bound,
        rounding_units,
        exponent,
        stopped_by,
        nodes,
        stats,
    } = result;
    add_counts(stats.bind(py), found)?;
    Ok(ConstrainedClassCostsResult {
        status: found.map_or(self::status(Status::Stopped), |_| status),
        lower_bound,
        rounding_units,
        exponent,
        stopped_by,
        nodes: nodes.filter(|_| found.is_some()),
        stats,
        ranks: ranks_of(found),
    })
}

/// The result of a search for a regression, as `class_costs_result`.
fn regression_result(
    py: Python<'_>,
    result: RegressionResult,
    found: Option<&Regression>,
) -> PyResult<ConstrainedRegressionResult> {
    let RegressionResult { status, cost, lower_bound, stopped_by, nodes, stats } = result;
    add_counts(stats.bind(py), found)?;
    Ok(ConstrainedRegressionResult {
        status: found.map_or(self::status(Status::Stopped), |_| status),
        cost,
        lower_bound,
        stopped_by,
        nodes: nodes.filter(|_| found.is_some()),
        stats,
        ranks: ranks_of(found),
    })
}

/// Adds the counts that only searches under constraints have.
fn add_counts(result: &Bound<'_, PyDict>, found: Option<&Regression>) -> PyResult<()> {
    let Some(Regression { stats, .. }) = found else { return Ok(()) };
    result.set_item("choices", stats.choices)?;
    let pruned = result.get_item("pruned")?.expect("every search counts what it prunes");
    pruned.set_item("relaxation", stats.pruned.relaxation)
}

fn ranks_of(found: Option<&Regression>) -> Option<Vec<u32>> {
    found?.outcome.tree.as_ref().map(|tree| ranks(tree))
}

/// By node in preorder the rank of its threshold among the values of the whole table; 0 for leaves.
fn ranks(tree: &Tree) -> Vec<u32> {
    match tree {
        Tree::Leaf { .. } => vec![0],
        Tree::Node { rank, left, right, .. } => [vec![*rank], ranks(left), ranks(right)].concat(),
    }
}
