//! The searches under constraints: their settings and their results.

use crate::border::{ClassCostsResult, RegressionResult, SearchResult, TreeNodes};
use crate::class_costs::ClassCostArguments;
use crate::constraint_settings::{
    ConstrainedClassCostsSettings, ConstrainedErrorSettings, ConstrainedRegressionSettings,
    ConstraintSettings,
};
use crate::refusal::Refusal;
use crate::regression::{self, RegressionArguments, in_table};
use crate::request::CallLimits;
use crate::result::{NodeRow, nodes_of_whole_table, search_result, status};
use crate::searches::{Found, found_by};
use crate::table::{ExampleArrays, TableArguments};
use crate::watch;
use exactree_model::{Status, Table, Tree};
use exactree_search::{Clock, Options, Progress, ProgressPoint, Request};
use exactree_search::{ConstrainedCostRoots, ConstrainedErrorRoots, ConstrainedExamples};
use exactree_search::{CostOutcome, CostRequest, constrained_costs};
use exactree_search::{FeaturePrices, TreeConstraints, solve_constrained};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::{Arc, OnceLock};

/// The request of a search for errors under constraints.
pub(crate) struct ConstrainedErrorRequest {
    request: Request,
    options: Options,
    constraints: TreeConstraints,
    /// Whether the minimum leaf size is a weight.
    leaf_weights: bool,
    incumbent: Option<Vec<NodeRow>>,
}

impl ConstrainedErrorSettings<'_> {
    /// The limits of a call that starts now.
    pub(crate) fn start(&self) -> CallLimits {
        self.costs.search.resources.start()
    }

    /// The weights that constraints compare, if they are others.
    pub(crate) fn unscaled(&self) -> Option<Vec<u64>> {
        self.unscaled_weights.as_ref().map(|weights| weights.as_array().to_vec())
    }

    /// The request and the switches.
    pub(crate) fn request(self) -> Result<ConstrainedErrorRequest, Refusal> {
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
    /// Threads of the search.
    pub(crate) fn threads(&self) -> usize {
        self.request.threads
    }

    /// The table with the rows that the minimum leaf size counts.
    fn counted(&self, mut table: Table) -> Table {
        if self.leaf_weights {
            table.count_weight_as_rows();
        }
        table
    }

    /// Prepares root tasks, perhaps of the relaxation; `None` if the clock stops.
    pub(crate) fn roots(
        self,
        raw: TableArguments,
        relaxation: bool,
        clock: &Clock<'_>,
    ) -> Option<ConstrainedErrorRoots> {
        let table = self.counted(raw.table_within(clock));
        let start = (relaxation, tree_of(self.incumbent.as_ref(), &table));
        let (request, options) = (&self.request, &self.options);
        ConstrainedErrorRoots::prepare(table, request, self.constraints, options, start, clock)
    }

    /// Runs the search. There is no tree if the table could not be read in time.
    fn run(&self, table: &Table, clock: &Clock<'_>, progress: &Progress) -> Found {
        if !table.is_read() {
            return Found::stopped_early(clock);
        }
        let initial = tree_of(self.incumbent.as_ref(), table);
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

/// The tree of these nodes, if they are given and fit the table.
fn tree_of(nodes: Option<&Vec<NodeRow>>, table: &Table) -> Option<Arc<Tree>> {
    nodes.and_then(|nodes| in_table(table, nodes, 0))
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

    /// Prepares root tasks, perhaps of the relaxation, and perhaps in fine units; `None` if the
    /// clock stops.
    fn roots(
        self,
        examples: ConstrainedExamples,
        request: &CostRequest,
        kind: (bool, bool),
        clock: &Clock<'_>,
    ) -> Option<ConstrainedCostRoots> {
        let initial = tree_of(self.incumbent.as_ref(), &examples.table);
        ConstrainedCostRoots::prepare(examples, request, self.constraints, kind, initial, clock)
    }

    fn run(
        &self,
        examples: &ConstrainedExamples,
        request: &CostRequest,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> CostOutcome {
        let initial = tree_of(self.incumbent.as_ref(), &examples.table);
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

/// The arguments of a search for class costs under constraints, copied out of Python.
pub(crate) struct ConstrainedClassCosts {
    pub arguments: ClassCostArguments,
    search: ConstrainedCostSearch,
}

impl ConstrainedClassCosts {
    pub(crate) fn new(
        raw: TableArguments,
        settings: ConstrainedClassCostsSettings,
    ) -> Result<Self, Refusal> {
        let ConstrainedClassCostsSettings { costs, constraints, prices } = settings;
        let prices = FeaturePrices::from(prices);
        let arguments = ClassCostArguments::new(raw, &costs, prices.total())?;
        let search = ConstrainedCostSearch::new(constraints, prices);
        Ok(ConstrainedClassCosts { arguments, search })
    }

    /// Prepares root tasks, perhaps of the relaxation; `None` if the clock stops.
    pub(crate) fn roots(self, relaxation: bool, clock: &Clock<'_>) -> Option<ConstrainedCostRoots> {
        let examples = self.arguments.constrained_examples(clock)?;
        self.search.roots(examples, &self.arguments.request, (relaxation, false), clock)
    }
}

/// The arguments of a search for a regression under constraints, copied out of Python.
pub(crate) struct ConstrainedRegressionArguments {
    arguments: RegressionArguments,
    search: ConstrainedCostSearch,
}

impl ConstrainedRegressionArguments {
    pub(crate) fn read(
        columns: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, u64>,
        settings: ConstrainedRegressionSettings,
    ) -> Result<Self, Refusal> {
        let ConstrainedRegressionSettings { costs, constraints, prices } = settings;
        let arguments = RegressionArguments::read(columns, targets, weights, costs)?;
        let search = ConstrainedCostSearch::new(constraints, FeaturePrices::Rounded(prices));
        Ok(ConstrainedRegressionArguments { arguments, search })
    }

    fn examples(&self, clock: &Clock<'_>) -> Option<ConstrainedExamples> {
        self.arguments.constrained_examples(clock, &self.search.prices)
    }

    /// Prepares root tasks, perhaps of the relaxation, and perhaps in fine units; `None` if the
    /// clock stops.
    pub(crate) fn roots(
        self,
        kind: (bool, bool),
        clock: &Clock<'_>,
    ) -> Option<ConstrainedCostRoots> {
        let examples = self.examples(clock)?;
        self.search.roots(examples, &self.arguments.request, kind, clock)
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
) -> PyResult<SearchResult> {
    let limits = settings.start();
    let unscaled = settings.unscaled();
    let request = settings.request()?;
    let raw = TableArguments { unscaled, threads: request.threads(), ..examples.copied()? };
    let (table, found, curve) = watch::run(py, on_progress, limits, |clock, progress| {
        let table = request.counted(raw.table_in_grace(clock));
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
) -> PyResult<ClassCostsResult> {
    let limits = settings.start();
    let raw = examples.copied()?;
    let ConstrainedClassCosts { arguments, search } = ConstrainedClassCosts::new(raw, settings)?;
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
    let mut result = match &found {
        Some((examples, found, curve)) => arguments.result(py, &examples.table, found, curve),
        None => arguments.leaf_result(py, ended),
    }?;
    let replaced = (&mut result.status, &mut result.nodes, &result.stats);
    let found = found.as_ref().map(|(examples, found, _)| (&examples.table, found));
    replace_by_constrained(py, replaced, found)?;
    Ok(result)
}

/// Searches for the tree of minimum squared or absolute error plus prices that satisfies
/// constraints.
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
) -> PyResult<RegressionResult> {
    let limits = settings.start();
    let call = ConstrainedRegressionArguments::read(columns, targets, weights, settings)?;
    let ConstrainedRegressionArguments { arguments, search } = &call;
    let ready: OnceLock<ConstrainedExamples> = OnceLock::new();
    let in_units = |cost| ready.get().map_or(0.0, |examples| examples.in_user_units(cost as f64));
    let units: Option<watch::CostConversion<'_>> = Some(&in_units);
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let found = call.examples(clock).map(|examples| {
            let examples = ready.get_or_init(|| examples);
            (search.run(examples, &arguments.request, clock, progress), progress.curve())
        });
        (found, (clock.stopped_by(), clock.seconds()))
    })?;
    let searched = ready.get().zip(found.as_ref());
    let mut result = match &searched {
        Some((examples, (found, curve))) => {
            regression::result(py, &examples.table, &in_units, found, curve)
        }
        None => regression::leaf_result(py, arguments.rows(), ended),
    }?;
    let replaced = (&mut result.status, &mut result.nodes, &result.stats);
    let found = searched.map(|(examples, (found, _))| (&examples.table, found));
    replace_by_constrained(py, replaced, found)?;
    Ok(result)
}

/// The result of a search for errors.
fn error_result(
    py: Python<'_>,
    table: &Table,
    found: &Found,
    curve: &[ProgressPoint],
) -> PyResult<SearchResult> {
    let tree = found.outcome.tree.as_ref();
    let nodes = tree.map(|tree| TreeNodes::Thresholds(nodes_of_whole_table(table, tree)));
    Ok(SearchResult { nodes, ..search_result(py, table, found, curve)? })
}

/// The result of a search for class costs or for a regression: status, nodes and statistics of that
/// without constraints are replaced. `found` is `None` if the search did not begin.
fn replace_by_constrained(
    py: Python<'_>,
    (status, nodes, stats): (&mut &'static str, &mut Option<Vec<NodeRow>>, &Py<PyDict>),
    found: Option<(&Table, &CostOutcome)>,
) -> PyResult<()> {
    let Some((table, found)) = found else {
        (*status, *nodes) = (self::status(Status::Stopped), None);
        return Ok(());
    };
    *nodes = found.outcome.tree.as_ref().map(|tree| nodes_of_whole_table(table, tree));
    add_counts(stats.bind(py), found.stats.choices, found.stats.pruned.relaxation)
}

/// Adds the counts that only searches under constraints have.
pub(crate) fn add_counts(
    result: &Bound<'_, PyDict>,
    choices: u64,
    relaxation: u64,
) -> PyResult<()> {
    result.set_item("choices", choices)?;
    let pruned = result.get_item("pruned")?.expect("every search counts what it prunes");
    pruned.set_item("relaxation", relaxation)
}
