//! The border to Python: converts arguments, runs the search on a thread of its
//! own, converts the outcome. No search happens here.
#![deny(unsafe_code)]

mod papers;
mod request;
mod result;
mod watch;

use exactree_model::Table;
use exactree_search::Clock;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

pyo3::create_exception!(
    exactree._native,
    CoreError,
    pyo3::exceptions::PyRuntimeError,
    "The core failed in a way that is its own fault."
);

pyo3::create_exception!(
    exactree._native,
    Refused,
    pyo3::exceptions::PyRuntimeError,
    "A table is too large for a method."
);

/// Searches for the best tree of a table.
///
/// `columns` holds finite numbers, one row per example; `labels` are class
/// indices below `n_classes`; `weights` are positive. Returns a dictionary that
/// `exactree.engine` turns into an outcome.
#[pyfunction]
#[pyo3(signature = (columns, labels, weights, n_classes, settings, on_progress=None))]
fn solve<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let settings = request::read(settings)?;
    let raw = RawTable::read(columns, labels, weights, n_classes);
    let run = watch::run(py, on_progress, |shared| {
        let clock = Clock::start(settings.time_limit, &shared.switch);
        let table = raw.table();
        let request = &settings.request;
        let solved =
            exactree_search::solve(&table, request, &settings.options, clock, &shared.progress);
        (table, solved)
    })?;
    let (table, solved) = run;
    let stats = result::stats(py, &table, &solved.stats)?;
    result::write(py, &table, &solved.outcome, stats)
}

/// Searches for the smallest tree of a table within errors and depth.
///
/// As `solve`; costs are sizes.
#[pyfunction]
#[pyo3(signature = (columns, labels, weights, n_classes, settings, on_progress=None))]
fn least_size<'py>(
    py: Python<'py>,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let (request, time_limit) = request::read_size(settings)?;
    let raw = RawTable::read(columns, labels, weights, n_classes);
    let (table, (outcome, stats)) = watch::run(py, on_progress, |shared| {
        let clock = Clock::start(time_limit, &shared.switch);
        let table = raw.table();
        let found = exactree_search::least_size(&table, &request, &clock, &shared.progress);
        (table, found)
    })?;
    let stats = result::size_stats(py, &table, &stats)?;
    result::write(py, &table, &outcome, stats)
}

/// Runs one of the papers' own methods: "box", "subsets", "threshold" or "witness".
///
/// As `least_size`; raises `Refused` for a table too large for the method.
#[pyfunction]
#[pyo3(signature = (method, columns, labels, weights, n_classes, settings, on_progress=None))]
#[allow(clippy::too_many_arguments)]
fn paper_method<'py>(
    py: Python<'py>,
    method: &str,
    columns: PyReadonlyArray2<'py, f64>,
    labels: PyReadonlyArray1<'py, u32>,
    weights: PyReadonlyArray1<'py, u64>,
    n_classes: usize,
    settings: &Bound<'py, PyDict>,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Bound<'py, PyDict>> {
    let asked = papers::Asked::read(method, settings)?;
    let time_limit = request::seconds(request::item(settings, "time_limit")?.extract()?);
    let raw = RawTable::read(columns, labels, weights, n_classes);
    let (table, found) = watch::run(py, on_progress, |shared| {
        let clock = Clock::start(time_limit, &shared.switch);
        let table = raw.table();
        let found = asked.run(&table, &clock, &shared.progress);
        (table, found)
    })?;
    let found = found.map_err(Refused::new_err)?;
    let stats = result::paper_stats(py, &table, &found)?;
    result::write(py, &table, &found.outcome, stats)
}

/// The arguments of a search, copied out of Python.
struct RawTable {
    columns: Vec<Vec<f64>>,
    labels: Vec<u32>,
    weights: Vec<u64>,
    n_classes: usize,
}

impl RawTable {
    fn read(
        columns: PyReadonlyArray2<'_, f64>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, u64>,
        n_classes: usize,
    ) -> Self {
        let columns = columns.as_array();
        RawTable {
            columns: columns.columns().into_iter().map(|column| column.to_vec()).collect(),
            labels: labels.as_array().to_vec(),
            weights: weights.as_array().to_vec(),
            n_classes,
        }
    }

    fn table(&self) -> Table {
        Table::new(&self.columns, &self.labels, &self.weights, self.n_classes)
    }
}

/// Name and reason of every switch of the search for least cost.
#[pyfunction]
fn accelerators() -> Vec<(&'static str, &'static str)> {
    exactree_search::Options::ALL.to_vec()
}

/// Name and reason of every switch of the search for least size.
#[pyfunction]
fn size_accelerators() -> Vec<(&'static str, &'static str)> {
    exactree_search::SizeOptions::ALL.to_vec()
}

/// Name and reason of every switch of one of the papers' own methods.
#[pyfunction]
fn paper_accelerators(method: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
    papers::Asked::accelerators(method)
}

/// The largest number of features in which two rows of different labels differ.
///
/// `ranks` holds one row per example. Ctrl-C ends it within some milliseconds.
#[pyfunction]
fn largest_difference<'py>(
    py: Python<'py>,
    ranks: PyReadonlyArray2<'py, u32>,
    labels: PyReadonlyArray1<'py, u32>,
) -> PyResult<u32> {
    let codes: Vec<u32> = ranks.as_array().iter().copied().collect();
    let labels = labels.as_array().to_vec();
    if ranks.as_array().nrows() != labels.len() {
        return Err(PyValueError::new_err("one label per row"));
    }
    let check = || Python::attach(|py| py.check_signals());
    py.detach(|| exactree_search::largest_difference(&codes, &labels, check))
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CoreError", module.py().get_type::<CoreError>())?;
    module.add_function(wrap_pyfunction!(solve, module)?)?;
    module.add("Refused", module.py().get_type::<Refused>())?;
    module.add_function(wrap_pyfunction!(paper_method, module)?)?;
    module.add_function(wrap_pyfunction!(paper_accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(least_size, module)?)?;
    module.add_function(wrap_pyfunction!(size_accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(largest_difference, module)?)
}
