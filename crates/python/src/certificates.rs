//! Certificates: the check by the crate `exactree-check`, which shares nothing with the search.

use crate::refusal::Refusal;
use crate::request::CallLimits;
use crate::table::columns_of;
use crate::watch;
use exactree_check::{Reason, Table};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;

/// Checks a certificate, given unpacked, for a table; the weights are divided by `weight_scale`.
///
/// Returns None if it is verified, else the name of the reason to refuse it.
#[pyfunction]
pub(crate) fn check_certificate(
    py: Python<'_>,
    content: Vec<u8>,
    columns: PyReadonlyArray2<'_, f64>,
    labels: PyReadonlyArray1<'_, u32>,
    weights: PyReadonlyArray1<'_, u64>,
    weight_scale: u64,
) -> PyResult<Option<String>> {
    let columns = columns_of(&columns.as_array());
    let (labels, weights) = (labels.as_array().to_vec(), weights.as_array().to_vec());
    let rows = columns.first().map_or(0, Vec::len);
    Refusal::unless_one_label_per_row(labels.len(), rows)?;
    let checked = watch::run(py, None, CallLimits::new(None, None), |clock, _| {
        let table = Table::new(&columns, &labels, &weights, weight_scale);
        let table = table.ok_or(Reason::Table)?;
        exactree_check::check(&content, &table, &|| clock.stopped())
    })?;
    match checked {
        Ok(_) => Ok(None),
        Err(Reason::Stopped) => Err(PyKeyboardInterrupt::new_err(())),
        Err(reason) => Ok(Some(format!("{reason:?}").to_uppercase())),
    }
}
