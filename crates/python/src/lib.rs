//! The border to Python: converts arguments, runs the search on a thread of its
//! own, converts the outcome. No search happens here.
#![deny(unsafe_code)]

mod request;
mod result;
mod watch;

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
    let request = request::read(settings)?;
    let columns: Vec<Vec<f64>> =
        columns.as_array().columns().into_iter().map(|column| column.to_vec()).collect();
    let labels = labels.as_array().to_vec();
    let weights = weights.as_array().to_vec();
    let run = watch::run(py, columns, labels, weights, n_classes, request, on_progress)?;
    result::write(py, &run)
}

/// Name and reason of every switch of the search.
#[pyfunction]
fn accelerators() -> Vec<(&'static str, &'static str)> {
    exactree_search::Options::ALL.to_vec()
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
    module.add_function(wrap_pyfunction!(accelerators, module)?)?;
    module.add_function(wrap_pyfunction!(largest_difference, module)?)
}
