//! The search for the best split by one surface: its arguments and its result.

use crate::border::OneSurfaceResult;
use crate::request::Resources;
use crate::result::stopped_by;
use crate::watch;
use exactree_search::{OneSurfaceRequest, PointTable, one_surface as search};
use num_bigint::BigInt;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// Settings of the search for one surface.
#[derive(FromPyObject)]
pub(crate) struct OneSurfaceSettings {
    min_samples_leaf: u64,
    upper_bound: Option<u64>,
    threads: usize,
    resources: Resources,
}

/// Searches for the split of minimum misclassified weight by a hyperplane.
///
/// `coordinates` has, by point and coordinate, the bytes of an integer, lowest first, with its sign.
/// `weights` has, by point and class, a weight, and `rows` the number of rows of each point. A row of
/// `excluded` is a split that is not allowed: whether each point goes left. Points are different and
/// span all coordinates. Returns None if the table is too large.
#[pyfunction]
#[pyo3(signature = (coordinates, weights, rows, excluded, settings, on_progress=None))]
pub(crate) fn one_surface(
    py: Python<'_>,
    coordinates: PyReadonlyArray3<'_, u8>,
    weights: PyReadonlyArray2<'_, u64>,
    rows: PyReadonlyArray1<'_, u64>,
    excluded: PyReadonlyArray2<'_, bool>,
    settings: OneSurfaceSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Option<OneSurfaceResult>> {
    let limits = settings.resources.start();
    let (coordinates, weights) = (coordinates.as_array(), weights.as_array());
    let (points, dimensions, _) = coordinates.dim();
    let integer = |point: usize, f: usize| {
        let bytes: Vec<u8> =
            coordinates.slice(numpy::ndarray::s![point, f, ..]).iter().copied().collect();
        BigInt::from_signed_bytes_le(&bytes)
    };
    let numbers = (0..points).flat_map(|point| (0..dimensions).map(move |f| (point, f)));
    let table = PointTable {
        dimensions,
        coordinates: numbers.map(|(point, f)| integer(point, f)).collect(),
        weights: weights.iter().copied().collect(),
        rows: rows.as_array().to_vec(),
        n_classes: weights.ncols(),
    };
    if !table.is_accepted() {
        return Ok(None);
    }
    let request = OneSurfaceRequest {
        min_rows: settings.min_samples_leaf,
        below: settings.upper_bound.unwrap_or(u64::MAX),
        excluded: excluded.as_array().rows().into_iter().map(|row| row.to_vec()).collect(),
        threads: settings.threads,
    };
    let (found, stopped, seconds) = watch::run(py, on_progress, limits, |clock, progress| {
        let found = search(&table, &request, clock, progress);
        (found, clock.stopped_by(), clock.seconds())
    })?;
    let stats = [("flats", found.flats), ("exact_directions", found.exact_directions)];
    let stats: Bound<'_, PyDict> = stats.into_py_dict(py)?;
    stats.set_item("seconds", seconds)?;
    let (cost, left) = found.best.unzip();
    Ok(Some(OneSurfaceResult {
        cost,
        left,
        lower_bound: found.lower,
        stopped_by: stopped.map(stopped_by),
        stats: stats.unbind(),
    }))
}
