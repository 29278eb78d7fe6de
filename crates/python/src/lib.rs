//! The interface to Python: converts arguments, runs the search on a thread of its own, converts
//! the outcome. No search happens here.
#![deny(unsafe_code)]

#[allow(unsafe_code)]
mod allocator;
mod class_costs;
mod constraints;
mod dichotomies;
mod ensembles;
mod enumeration;
mod feature_sets;
mod refusal;
mod regression;
mod request;
mod result;
mod root_search;
mod searches;
mod table;
mod watch;

use exactree_search::ensembles::witness_ensemble::EnsembleOptions;
use exactree_search::ensembles::witness_ensemble::enumeration::all_ensembles;
use exactree_search::regression::{
    RegressionExamples, pairs_between as search_pairs, regression as search_regression,
};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use refusal::{CoreError, Refusal, TableTooLarge};
use searches::SearchRequest;
use std::sync::OnceLock;
use table::TableArguments;

/// Searches for the best tree of a table. `name` is "minimum-errors" or "minimum-size" for the
/// searches of the engine, or the name of a paper's own method.
///
/// `columns` holds finite numbers, one row per example; `labels` are class
/// indices below `n_classes`; `weights` are positive. Returns a dictionary that `exactree.engine` turns
/// into an outcome; raises `TableTooLarge` if the table is too large for the method.
#[pyfunction]
#[pyo3(signature = (name, columns, labels, weights, n_classes, settings, on_progress=None))]
#[allow(clippy::too_many_arguments)]
fn search<'py>(
    py: Python<'py>,
    name: &str,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let request = SearchRequest::read(name, settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    let (table, found, curve) = watch::run(py, on_progress, resources, |clock, progress| {
        let mut table = match request {
            SearchRequest::MinimumErrors(..) => raw.table_within(clock),
            _ => raw.table_in_grace(clock),
        };
        if request.counts_weight() {
            table.count_weight_as_rows();
        }
        let found = request.run(&table, clock, progress);
        (table, found, progress.curve())
    })?;
    result::write(py, &table, &found.map_err(Refusal::Search)?, &curve)
}

/// Counts all trees within the limits on depth, size and cost.
///
/// As `search`; returns their number, None if stopped, and statistics.
#[pyfunction]
#[pyo3(signature = (columns, labels, weights, n_classes, settings, on_progress=None))]
fn count_trees<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let request = enumeration::read(settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    let (count, stats, stopped_by) = watch::run(py, on_progress, resources, |clock, _| {
        let table = raw.table_within(clock);
        let (count, stats) = exactree_search::count_trees(&table, &request, clock);
        (count, stats, clock.stopped_by())
    })?;
    enumeration::counted(py, count, &stats, stopped_by)
}

/// Lists all trees within the limits on depth, size and cost.
///
/// As `count_trees`; without progress.
#[pyfunction]
fn list_trees<'py>(
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
) -> PyResult<enumeration::AllTrees> {
    let resources = request::Resources::read(settings)?;
    let request = enumeration::read(settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    enumeration::AllTrees::start(raw, request, resources)
}

/// Runs a method for ensembles: "branch-and-bound", "subsets" or "witness".
///
/// As `search`; lower bounds are lists, one for every requested quantity.
#[pyfunction]
#[pyo3(signature = (method, columns, labels, weights, n_classes, settings, on_progress=None))]
#[allow(clippy::too_many_arguments)]
fn ensemble_method<'py>(
    py: Python<'py>,
    method: &str,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let request = ensembles::EnsembleSearch::read(method, settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    let (table, found) = watch::run(py, on_progress, resources, |clock, progress| {
        let table = raw.table_in_grace(clock);
        let found = request.run(&table, clock, progress);
        (table, found)
    })?;
    let found = found.map_err(Refusal::Search)?;
    let stats = PyDict::new(py);
    result::add_table(&stats, &table)?;
    ensembles::write(py, &table, &found, stats)
}

/// Lists all ensembles of the given sizes, which must be the minimum sizes.
///
/// As `search`; returns the trees of every ensemble, and whether these are all.
#[pyfunction]
#[pyo3(signature = (columns, labels, weights, n_classes, settings, on_progress=None))]
fn list_ensembles<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let request = ensembles::read_all(settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    let (table, found, stopped_by) = watch::run(py, on_progress, resources, |clock, _| {
        let (table, options) = (raw.table_within(clock), EnsembleOptions::default());
        let found = all_ensembles(&table, &request, &options, clock);
        (table, found, clock.stopped_by())
    })?;
    ensembles::write_all(py, &table, found.map_err(Refusal::Search)?, stopped_by)
}

/// Searches for the best tree over given dichotomies.
///
/// A row of `bits` is a dichotomy: bit r, lowest bits first, is set if row r goes left. Otherwise
/// as `search`; the feature of a node is the number of its dichotomy.
#[pyfunction]
#[pyo3(signature = (bits, labels, weights, n_classes, settings, on_progress=None))]
fn proper_tree<'py>(
    py: Python<'py>,
    bits: PyReadonlyArray2<'py, u8>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let arguments =
        dichotomies::DichotomyArguments::read(bits, labels, weights, n_classes, settings)?;
    let (outcome, stats, curve) = watch::run(py, on_progress, resources, |clock, progress| {
        let dichotomies::DichotomyArguments { dichotomies, examples, request } = &arguments;
        let (outcome, stats) = exactree_search::spaces::dichotomies::proper(
            dichotomies,
            examples,
            request,
            clock,
            progress,
        );
        (outcome, stats, progress.curve())
    })?;
    dichotomies::write(py, &outcome, &stats, &curve)
}

/// Searches for the tree of minimum squared or absolute error.
///
/// `targets` are finite numbers, one per row. Otherwise as `search`; all costs, also those that
/// `on_progress` receives, are in the unit of the targets.
#[pyfunction]
#[pyo3(signature = (columns, targets, weights, settings, on_progress=None))]
fn regression_tree<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    targets: PyReadonlyArray1<'py, f64>,
    weights: PyReadonlyArray1<'py, u64>,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let arguments = regression::RegressionArguments::read(columns, targets, weights, settings)?;
    let ready: OnceLock<RegressionExamples> = OnceLock::new();
    let in_units = |cost| ready.get().map_or(0.0, |examples| examples.in_user_units(cost as f64));
    let units: Option<watch::CostConversion<'_>> = Some(&in_units);
    let (found, ended) =
        watch::run_in_units(py, on_progress, units, resources, |clock, progress| {
            let found = arguments.examples(clock).map(|examples| {
                let examples = ready.get_or_init(|| examples);
                let (request, start) = (&arguments.request, arguments.incumbent(examples));
                let found = search_regression(examples, request, start.as_ref(), clock, progress);
                (found, progress.curve())
            });
            (found, (clock.stopped_by(), clock.seconds()))
        })?;
    match (ready.get(), &found) {
        (Some(examples), Some((found, curve))) => regression::write(py, examples, found, curve),
        _ => regression::write_leaf(py, arguments.rows(), ended),
    }
}

/// Searches for the tree of minimum class costs: a cost matrix, log-loss or Gini impurity.
///
/// As `search`; all costs are integers, in units given in the result. If costs are rounded,
/// `on_progress` receives them as floats in units of the weights.
#[pyfunction]
#[pyo3(signature = (columns, labels, weights, n_classes, settings, on_progress=None))]
fn class_costs_tree<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    let arguments = class_costs::ClassCostArguments::read(raw, settings)?;
    let unit = arguments.unit();
    let in_units = |cost| cost as f64 * unit.unwrap_or(1.0);
    let units: Option<watch::CostConversion<'_>> = unit.is_some().then_some(&in_units);
    let (found, ended) =
        watch::run_in_units(py, on_progress, units, resources, |clock, progress| {
            let found = arguments.examples(clock).map(|examples| {
                let found = search_regression(&examples, &arguments.request, None, clock, progress);
                (examples, found, progress.curve())
            });
            (found, (clock.stopped_by(), clock.seconds()))
        })?;
    match &found {
        Some((examples, found, curve)) => arguments.write(py, examples, found, curve),
        None => arguments.write_leaf(py, ended),
    }
}

/// The Pareto front of false positives and false negatives between two given pairs of these numbers,
/// with a price for each kind of error.
///
/// As `class_costs_tree`; without progress.
#[pyfunction]
#[pyo3(signature = (columns, labels, weights, n_classes, settings, on_progress=None))]
fn pairs_between<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let resources = request::Resources::read(settings)?;
    let raw = TableArguments::read(columns, labels, weights, n_classes)?;
    let arguments = class_costs::ClassCostArguments::read(raw, settings)?;
    let (prices, ends) = class_costs::read_pairs(settings)?;
    let (found, stopped) = watch::run(py, on_progress, resources, |clock, _| {
        let found = arguments.examples(clock).map(|examples| {
            let found = search_pairs(&examples, &arguments.request, clock, &prices, ends);
            (examples, found)
        });
        (found, clock.stopped_by())
    })?;
    class_costs::write_pairs(py, found, stopped)
}

/// Name and description of every switch of a search; names of searches as in `search`.
#[pyfunction]
fn accelerators(name: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(searches::accelerators(name)?.to_vec())
}

/// Name and description of every switch of a method for ensembles.
#[pyfunction]
fn ensemble_accelerators(method: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    Ok(ensembles::accelerators(method)?.to_vec())
}

/// The largest number of features in which two rows of different labels differ, and the reason of a
/// stop, if any; then the number is the largest found so far.
///
/// `ranks` has one row per example.
#[pyfunction]
#[pyo3(signature = (ranks, labels, time_limit=None))]
fn largest_difference<'py>(
    py: Python<'py>,
    ranks: PyReadonlyArray2<'py, u32>,
    labels: PyReadonlyArray1<'py, u32>,
    time_limit: Option<f64>,
) -> PyResult<(u32, Option<&'static str>)> {
    let resources = request::Resources::new(time_limit, None);
    let codes: Vec<u32> = ranks.as_array().iter().copied().collect();
    let labels = labels.as_array().to_vec();
    Refusal::unless_one_label_per_row(labels.len(), ranks.as_array().nrows())?;
    watch::run(py, None, resources, |clock, _| {
        let (found, ended) = exactree_search::largest_difference(&codes, &labels, || clock.check());
        (found, ended.err().and_then(|_| clock.stopped_by()).map(result::stopped_by))
    })
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CoreError", module.py().get_type::<CoreError>())?;
    module.add("TableTooLarge", module.py().get_type::<TableTooLarge>())?;
    module.add_class::<enumeration::AllTrees>()?;
    module.add_class::<feature_sets::FeatureSets>()?;
    module.add_class::<root_search::RootSearch>()?;
    module.add_class::<root_search::SearchControl>()?;
    module.add_function(wrap_pyfunction!(search, module)?)?;
    module.add_function(wrap_pyfunction!(feature_sets::branching_set, module)?)?;
    module.add_function(wrap_pyfunction!(count_trees, module)?)?;
    module.add_function(wrap_pyfunction!(list_trees, module)?)?;
    module.add_function(wrap_pyfunction!(ensemble_method, module)?)?;
    module.add_function(wrap_pyfunction!(list_ensembles, module)?)?;
    module.add_function(wrap_pyfunction!(proper_tree, module)?)?;
    module.add_function(wrap_pyfunction!(regression_tree, module)?)?;
    module.add_function(wrap_pyfunction!(class_costs_tree, module)?)?;
    module.add_function(wrap_pyfunction!(pairs_between, module)?)?;
    module.add_function(wrap_pyfunction!(ensemble_accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(largest_difference, module)?)
}
