//! The interface to Python: converts arguments, runs the search on a thread of its own, converts
//! the outcome. No search happens here.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod allocator;
mod border;
mod certificates;
mod class_costs;
mod constraint_settings;
mod constraints;
mod dichotomies;
mod ensembles;
mod enumeration;
mod feature_sets;
mod one_surface;
mod refusal;
mod regression;
mod request;
mod result;
mod root_search;
mod root_search_kind;
mod searches;
mod table;
mod watch;

use border::{
    ClassCostsResult, CountResult, EnsembleListResult, EnsembleResult, ErrorPairsResult,
    RegressionResult, SearchResult,
};
use class_costs::{ClassCostArguments, ClassCostsSettings, ErrorPairsSettings};
use dichotomies::{DichotomyArguments, DichotomySettings};
use ensembles::{EnsembleListSettings, EnsembleSettings};
use enumeration::{AllTrees, ListingSettings};
use exactree_search::EnsembleOptions;
use exactree_search::all_ensembles;
use exactree_search::proper;
use exactree_search::solve;
use exactree_search::{CostExamples, pairs_between as search_pairs, solve_costs as search_costs};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use refusal::{CoreError, Refusal, TableTooLarge};
use regression::{RegressionArguments, RegressionSettings};
use request::CallLimits;
use searches::{ErrorSettings, PaperSettings, SearchRequest, SizeSettings};
use std::sync::OnceLock;
use table::{ExampleArrays, TableArguments};

/// Searches for the tree with minimum errors plus leaf prices.
///
/// `examples` has `columns` of finite numbers, one row per example; `labels` are class indices
/// below `n_classes`; `weights` are positive.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
fn minimum_errors(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: ErrorSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<SearchResult> {
    let limits = settings.costs.search.resources.start();
    let (request, options, leaf_weights) = settings.request()?;
    let raw = TableArguments { threads: request.threads, ..examples.copied()? };
    let (table, found, curve) = watch::run(py, on_progress, limits, |clock, progress| {
        let mut table = raw.table_within(clock);
        if leaf_weights {
            table.count_weight_as_rows();
        }
        let found = searches::found_by(solve(&table, &request, &options, *clock, progress));
        (table, found, progress.curve())
    })?;
    result::search_result(py, &table, &found, &curve)
}

/// Searches for the tree with the fewest nodes.
///
/// As `minimum_errors`; raises `TableTooLarge` if the table is too large.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
fn minimum_size(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: SizeSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<SearchResult> {
    let (limits, request) = (settings.resources.start(), settings.request()?);
    let raw = examples.copied()?;
    search(py, raw, &request, limits, on_progress)
}

/// Searches by a paper's own method: "box", "subsets", "support-sets", "threshold" or "witness".
///
/// As `minimum_size`.
#[pyfunction]
#[pyo3(signature = (method, examples, settings, on_progress=None))]
fn paper_method(
    py: Python<'_>,
    method: &str,
    examples: ExampleArrays<'_>,
    settings: PaperSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<SearchResult> {
    let (limits, request) = (settings.size.resources.start(), settings.request(method)?);
    let raw = examples.copied()?;
    search(py, raw, &request, limits, on_progress)
}

fn search(
    py: Python<'_>,
    raw: TableArguments,
    request: &SearchRequest,
    limits: CallLimits,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<SearchResult> {
    let (table, found, curve) = watch::run(py, on_progress, limits, |clock, progress| {
        let table = raw.table_in_grace(clock);
        let found = request.run(&table, clock, progress);
        (table, found, progress.curve())
    })?;
    result::search_result(py, &table, &found.map_err(Refusal::Search)?, &curve)
}

/// Counts all trees within the limits on depth, size and cost.
///
/// As `minimum_errors`; returns their number, None if stopped, and statistics.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
fn count_trees(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: ListingSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<CountResult> {
    let (limits, request) = (settings.resources.start(), settings.request()?);
    let raw = examples.copied()?;
    let (count, stats, stopped_by) = watch::run(py, on_progress, limits, |clock, _| {
        let table = raw.table_within(clock);
        let (count, stats) = exactree_search::count_trees(&table, &request, clock);
        (count, stats, clock.stopped_by())
    })?;
    enumeration::count_result(py, count, &stats, stopped_by)
}

/// Lists all trees within the limits on depth, size and cost.
///
/// As `count_trees`; without progress.
#[pyfunction]
fn list_trees(examples: ExampleArrays<'_>, settings: ListingSettings) -> Result<AllTrees, Refusal> {
    let (limits, request) = (settings.resources.start(), settings.request()?);
    let raw = examples.copied()?;
    AllTrees::start(raw, request, limits)
}

/// Runs a method for ensembles: "branch-and-bound", "subsets" or "witness".
///
/// As `minimum_size`; lower bounds are lists, one for every requested quantity.
#[pyfunction]
#[pyo3(signature = (method, examples, settings, on_progress=None))]
fn ensemble_method(
    py: Python<'_>,
    method: &str,
    examples: ExampleArrays<'_>,
    settings: EnsembleSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<EnsembleResult> {
    let limits = settings.resources.start();
    let request = ensembles::EnsembleSearch::new(method, &settings)?;
    let raw = examples.copied()?;
    let (table, found) = watch::run(py, on_progress, limits, |clock, progress| {
        let table = raw.table_in_grace(clock);
        let found = request.run(&table, clock, progress);
        (table, found)
    })?;
    ensembles::result(py, &table, found.map_err(Refusal::Search)?)
}

/// Lists all ensembles of the given sizes, which must be the minimum sizes.
///
/// As `ensemble_method`; returns the trees of every ensemble, and whether these are all.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
fn list_ensembles(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: EnsembleListSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<EnsembleListResult> {
    let (limits, request) = (settings.resources.start(), settings.request());
    let raw = examples.copied()?;
    let (table, found, stopped_by) = watch::run(py, on_progress, limits, |clock, _| {
        let (table, options) = (raw.table_within(clock), EnsembleOptions::default());
        let found = all_ensembles(&table, &request, &options, clock);
        (table, found, clock.stopped_by())
    })?;
    Ok(ensembles::list_result(&table, found.map_err(Refusal::Search)?, stopped_by))
}

/// Searches for the best tree over given dichotomies.
///
/// A row of `bits` is a dichotomy: bit r, lowest bits first, is set if row r goes left. Otherwise
/// as `minimum_errors`; a node is the number of its dichotomy and the positions of its two
/// children.
#[pyfunction]
#[pyo3(signature = (bits, labels, weights, n_classes, settings, on_progress=None))]
fn proper_tree(
    py: Python<'_>,
    bits: PyReadonlyArray2<'_, u8>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: PyReadonlyArray1<'_, u64>,
    n_classes: usize,
    settings: DichotomySettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<SearchResult> {
    let limits = settings.costs.search.resources.start();
    let arguments = DichotomyArguments::read(bits, labels, weights, n_classes, settings)?;
    let (outcome, stats, curve) = watch::run(py, on_progress, limits, |clock, progress| {
        let DichotomyArguments { dichotomies, examples, request } = &arguments;
        let (outcome, stats) = proper(dichotomies, examples, request, clock, progress);
        (outcome, stats, progress.curve())
    })?;
    dichotomies::result(py, &outcome, &stats, &curve)
}

/// Searches for the tree of minimum squared or absolute error.
///
/// `targets` are finite numbers, one per row. Otherwise as `minimum_errors`; all costs, also those
/// that `on_progress` receives, are in the unit of the targets.
#[pyfunction]
#[pyo3(signature = (columns, targets, weights, settings, on_progress=None))]
fn regression_tree(
    py: Python<'_>,
    columns: PyReadonlyArray2<'_, f64>,
    targets: PyReadonlyArray1<'_, f64>,
    weights: PyReadonlyArray1<'_, u64>,
    settings: RegressionSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<RegressionResult> {
    let limits = settings.search.resources.start();
    let arguments = RegressionArguments::read(columns, targets, weights, settings)?;
    let ready: OnceLock<CostExamples> = OnceLock::new();
    let in_units = |cost| ready.get().map_or(0.0, |examples| examples.in_user_units(cost as f64));
    let units: Option<watch::CostConversion<'_>> = Some(&in_units);
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let found = arguments.examples(clock).map(|examples| {
            let examples = ready.get_or_init(|| examples);
            let (request, start) = (&arguments.request, arguments.incumbent(examples));
            let found = search_costs(examples, request, start.as_ref(), clock, progress);
            (found, progress.curve())
        });
        (found, (clock.stopped_by(), clock.seconds()))
    })?;
    match (ready.get(), &found) {
        (Some(examples), Some((found, curve))) => {
            regression::result(py, &examples.table, &in_units, found, curve)
        }
        _ => regression::leaf_result(py, arguments.rows(), ended),
    }
}

/// Searches for the tree of minimum class costs: a cost matrix, log-loss or Gini impurity.
///
/// As `minimum_errors`; all costs are integers, in units given in the result. If costs are rounded,
/// `on_progress` receives them as floats in units of the weights.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
fn class_costs_tree(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: ClassCostsSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<ClassCostsResult> {
    let limits = settings.search.resources.start();
    let raw = examples.copied()?;
    let arguments = ClassCostArguments::new(raw, &settings, 0.0)?;
    let unit = arguments.unit();
    let in_units = |cost| cost as f64 * unit.unwrap_or(1.0);
    let units: Option<watch::CostConversion<'_>> = unit.is_some().then_some(&in_units);
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let found = arguments.examples(clock).map(|examples| {
            let (request, start) = (&arguments.request, arguments.incumbent(&examples));
            let found = search_costs(&examples, request, start.as_ref(), clock, progress);
            (examples, found, progress.curve())
        });
        (found, (clock.stopped_by(), clock.seconds()))
    })?;
    match &found {
        Some((examples, found, curve)) => arguments.result(py, &examples.table, found, curve),
        None => arguments.leaf_result(py, ended),
    }
}

/// The Pareto front of false positives and false negatives between two given pairs of these
/// numbers, with a price for each kind of error.
///
/// As `class_costs_tree`; without progress.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
fn pairs_between(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: ErrorPairsSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<ErrorPairsResult> {
    let limits = settings.class_costs.search.resources.start();
    let raw = examples.copied()?;
    let arguments = ClassCostArguments::new(raw, &settings.class_costs, 0.0)?;
    let (found, stopped) = watch::run(py, on_progress, limits, |clock, _| {
        let found = arguments.examples(clock).map(|examples| {
            let (request, prices) = (&arguments.request, settings.prices());
            let found = search_pairs(&examples, request, clock, &prices, settings.ends);
            (examples, found)
        });
        (found, clock.stopped_by())
    })?;
    class_costs::pairs_result(py, found, stopped)
}

/// Name and description of every switch of a search; names of searches are "minimum-errors",
/// "minimum-size", "regression", "constrained-errors", "constrained-costs", "proper" and the
/// papers' methods.
#[pyfunction]
fn accelerators(name: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(searches::accelerators(name)?)
}

/// Name and description of every switch of a method for ensembles.
#[pyfunction]
fn ensemble_accelerators(method: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(ensembles::accelerators(method)?.to_vec())
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CoreError", module.py().get_type::<CoreError>())?;
    module.add("TableTooLarge", module.py().get_type::<TableTooLarge>())?;
    module.add_class::<AllTrees>()?;
    module.add_class::<feature_sets::FeatureSets>()?;
    module.add_class::<root_search::RootSearch>()?;
    module.add_class::<root_search::SearchControl>()?;
    module.add_function(wrap_pyfunction!(minimum_errors, module)?)?;
    module.add_function(wrap_pyfunction!(certificates::check_certificate, module)?)?;
    module.add_function(wrap_pyfunction!(certificates::prove_bounds, module)?)?;
    module.add_function(wrap_pyfunction!(constraints::constrained_errors, module)?)?;
    module.add_function(wrap_pyfunction!(constraints::constrained_class_costs, module)?)?;
    module.add_function(wrap_pyfunction!(constraints::constrained_regression, module)?)?;
    module.add_function(wrap_pyfunction!(minimum_size, module)?)?;
    module.add_function(wrap_pyfunction!(paper_method, module)?)?;
    module.add_function(wrap_pyfunction!(feature_sets::branching_set, module)?)?;
    module.add_function(wrap_pyfunction!(count_trees, module)?)?;
    module.add_function(wrap_pyfunction!(list_trees, module)?)?;
    module.add_function(wrap_pyfunction!(ensemble_method, module)?)?;
    module.add_function(wrap_pyfunction!(list_ensembles, module)?)?;
    module.add_function(wrap_pyfunction!(one_surface::one_surface, module)?)?;
    module.add_function(wrap_pyfunction!(one_surface::one_surface_regression, module)?)?;
    module.add_function(wrap_pyfunction!(one_surface::one_surface_class_costs, module)?)?;
    module.add_function(wrap_pyfunction!(proper_tree, module)?)?;
    module.add_function(wrap_pyfunction!(regression_tree, module)?)?;
    module.add_function(wrap_pyfunction!(class_costs_tree, module)?)?;
    module.add_function(wrap_pyfunction!(pairs_between, module)?)?;
    module.add_function(wrap_pyfunction!(ensemble_accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(feature_sets::largest_difference, module)?)
}
