//! Certificates: their proofs, written with the help of the search, and their check by the crate
//! `exactree-check`, which shares nothing with it.

use crate::border::CertificateProof;
use crate::refusal::Refusal;
use crate::request::{CallLimits, SearchSettings, TreeLimits};
use crate::result::stopped_by;
use crate::table::TableArguments;
use crate::table::{ExampleArrays, columns_of};
use crate::watch;
use exactree_check::{Examples, Reason};
use exactree_model::Errors;
use exactree_search::{BoundToProve, CertificateRequest, CertifiedCosts, write_certificate};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// The problem of a certificate, and by stage the lower bounds to prove one after the other.
#[derive(FromPyObject)]
pub(crate) struct CertificateSettings {
    search: SearchSettings,
    costs: CertifiedCostSettings,
    stages: Vec<Vec<BoundSettings>>,
}

/// What the leaves of trees cost: by true and by predicted class, or by errors alone.
#[derive(FromPyObject)]
pub(crate) enum CertifiedCostSettings {
    Matrix { by_class: Vec<Vec<u64>>, leaf_price: u64 },
    Errors { error_price: u64, leaf_price: u64 },
}

impl From<CertifiedCostSettings> for CertifiedCosts {
    fn from(settings: CertifiedCostSettings) -> Self {
        match settings {
            CertifiedCostSettings::Matrix { by_class, leaf_price } => {
                CertifiedCosts::Matrix { by_class, price: leaf_price }
            }
            CertifiedCostSettings::Errors { error_price, leaf_price } => {
                CertifiedCosts::Errors(Errors { error_price, leaf_price })
            }
        }
    }
}

/// A lower bound on the cost of the trees within limits.
#[derive(FromPyObject)]
pub(crate) struct BoundSettings {
    limits: TreeLimits,
    bound: u64,
}

/// Proves lower bounds, stage by stage, as long as there is time.
///
/// As `minimum_errors`; returns the proof of the bounds that are reached, or None if a bound is
/// wrong.
#[pyfunction]
#[pyo3(signature = (examples, settings, on_progress=None))]
pub(crate) fn prove_bounds(
    py: Python<'_>,
    examples: ExampleArrays<'_>,
    settings: CertificateSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Option<CertificateProof>> {
    let resources = &settings.search.resources;
    let (limits, threads) = (resources.start(), settings.search.threads);
    let memory_limit = resources.cache_bytes();
    let raw = TableArguments { threads, ..examples.copied()? };
    let request = CertificateRequest {
        costs: settings.costs.into(),
        stages: settings
            .stages
            .iter()
            .map(|bounds| bounds.iter().map(to_prove).collect())
            .collect(),
        columns: raw.columns.len(),
        memory_limit,
        threads,
    };
    let (proof, stopped) = watch::run(py, on_progress, limits, |clock, progress| {
        let table = raw.table_within(clock);
        (write_certificate(&table, &request, *clock, progress), clock.stopped_by())
    })?;
    Ok(proof.map(|proof| CertificateProof {
        proved: proof.proved,
        sets: proof.sets,
        claims: proof.claims,
        body: PyBytes::new(py, &proof.body).unbind(),
        stopped_by: stopped.map(stopped_by),
    }))
}

fn to_prove(settings: &BoundSettings) -> BoundToProve {
    BoundToProve { limits: settings.limits.limits(), bound: settings.bound }
}

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
    let examples = Examples { columns, labels, weights, weight_scale };
    let checked = watch::run(py, None, CallLimits::new(None, None), |clock, _| {
        exactree_check::check(&content, &examples, &|| clock.stopped())
    })?;
    match checked {
        Ok(_) => Ok(None),
        Err(Reason::Stopped) => Err(PyKeyboardInterrupt::new_err(())),
        Err(reason) => Ok(Some(format!("{reason:?}").to_uppercase())),
    }
}
