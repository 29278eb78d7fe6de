//! The searches for the best split by one surface: their arguments and their results.

use crate::border::{ClassCostsResult, OneSurfaceResult, RegressionResult};
use crate::class_costs::{ClassCostArguments, ClassCostsSettings};
use crate::regression::{self, RegressionArguments, RegressionSettings};
use crate::request::Resources;
use crate::result::stopped_by;
use crate::table::ExampleArrays;
use crate::watch;
use exactree_model::StoppedBy;
use exactree_search::{Clock, Progress, ProgressPoint};
use exactree_search::{CostExamples, CostRequest, CostSurfaceOutcome, KnownSplits};
use exactree_search::{OneSurfaceRequest, PointTable, one_surface as search, one_surface_costs};
use num_bigint::BigInt;
use numpy::{PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use std::sync::OnceLock;

/// Different points that span all coordinates.
///
/// `coordinates` has, by point and coordinate, the bytes of an integer, lowest first, with its sign;
/// `rows` has the number of rows of each point. A row of `excluded` is a split that is not allowed:
/// whether each point goes left.
#[derive(FromPyObject)]
pub(crate) struct SurfacePointArrays<'py> {
    coordinates: PyReadonlyArray3<'py, u8>,
    rows: PyReadonlyArray1<'py, u64>,
    excluded: PyReadonlyArray2<'py, bool>,
}

impl SurfacePointArrays<'_> {
    fn table(&self) -> PointTable {
        let coordinates = self.coordinates.as_array();
        let (points, dimensions, _) = coordinates.dim();
        let integer = |point: usize, f: usize| {
            let bytes: Vec<u8> =
                coordinates.slice(numpy::ndarray::s![point, f, ..]).iter().copied().collect();
            BigInt::from_signed_bytes_le(&bytes)
        };
        let numbers = (0..points).flat_map(|point| (0..dimensions).map(move |f| (point, f)));
        PointTable {
            dimensions,
            coordinates: numbers.map(|(point, f)| integer(point, f)).collect(),
            rows: self.rows.as_array().to_vec(),
        }
    }

    fn excluded(&self) -> Vec<Vec<bool>> {
        self.excluded.as_array().rows().into_iter().map(|row| row.to_vec()).collect()
    }
}

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
/// `weights` has, by point and class, a weight. Returns None if the table is too large.
#[pyfunction]
#[pyo3(signature = (points, weights, settings, on_progress=None))]
pub(crate) fn one_surface(
    py: Python<'_>,
    points: SurfacePointArrays<'_>,
    weights: PyReadonlyArray2<'_, u64>,
    settings: OneSurfaceSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<Option<OneSurfaceResult>> {
    let limits = settings.resources.start();
    let (weights, table) = (weights.as_array(), points.table());
    if !table.is_accepted() {
        return Ok(None);
    }
    let n_classes = weights.ncols();
    let weights: Vec<u64> = weights.iter().copied().collect();
    let request = OneSurfaceRequest {
        min_rows: settings.min_samples_leaf,
        below: settings.upper_bound.unwrap_or(u64::MAX),
        excluded: points.excluded(),
        threads: settings.threads,
    };
    let (found, stopped, seconds) = watch::run(py, on_progress, limits, |clock, progress| {
        let found = search(&table, (&weights, n_classes), &request, clock, progress);
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

/// The outcome of a search for one surface, its progress, and the end of its clock.
type Found = (Option<(CostSurfaceOutcome, Vec<ProgressPoint>)>, (Option<StoppedBy>, f64));

/// The points of a search, copied out of Python.
struct Points {
    table: PointTable,
    known: KnownSplits,
}

impl Points {
    fn of(points: &SurfacePointArrays<'_>) -> Self {
        let known = KnownSplits { start: None, excluded: points.excluded() };
        Points { table: points.table(), known }
    }

    fn search(
        &self,
        examples: Option<&CostExamples>,
        request: &CostRequest,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Found {
        let found = examples.map(|examples| {
            let (table, known) = (&self.table, &self.known);
            let found = one_surface_costs(table, examples, request, known, clock, progress);
            (found, progress.curve())
        });
        (found, (clock.stopped_by(), clock.seconds()))
    }
}

fn add_counts(py: Python<'_>, stats: &Py<PyDict>, found: &CostSurfaceOutcome) -> PyResult<()> {
    stats.bind(py).set_item("flats", found.flats)?;
    stats.bind(py).set_item("exact_directions", found.exact_directions)
}

/// Searches for the tree of at most one surface with minimum squared or absolute error.
///
/// `numbers` has, by row, the number of its point as the only column. Returns a result as that of
/// `regression_tree`, and which points go left if its tree is a surface. The table is not too large.
#[pyfunction]
#[pyo3(signature = (points, numbers, targets, weights, settings, on_progress=None))]
pub(crate) fn one_surface_regression(
    py: Python<'_>,
    points: SurfacePointArrays<'_>,
    numbers: PyReadonlyArray2<'_, f64>,
    targets: PyReadonlyArray1<'_, f64>,
    weights: PyReadonlyArray1<'_, u64>,
    settings: RegressionSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<(RegressionResult, Option<Vec<bool>>)> {
    let limits = settings.search.resources.start();
    let points = Points::of(&points);
    let arguments = RegressionArguments::read(numbers, targets, weights, settings)?;
    let ready: OnceLock<CostExamples> = OnceLock::new();
    let in_units = |cost| ready.get().map_or(0.0, |examples| examples.in_user_units(cost as f64));
    let units: Option<watch::CostConversion<'_>> = Some(&in_units);
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let examples = arguments.examples(clock).map(|examples| ready.get_or_init(|| examples));
        points.search(examples, &arguments.request, clock, progress)
    })?;
    match (ready.get(), found) {
        (Some(examples), Some((found, curve))) => {
            let result = regression::result(py, &examples.table, &in_units, &found.found, &curve)?;
            add_counts(py, &result.stats, &found)?;
            Ok((result, found.left))
        }
        _ => Ok((regression::leaf_result(py, arguments.rows(), ended)?, None)),
    }
}

/// Searches for the tree of at most one surface with minimum class costs.
///
/// The only column of the examples is the number of the point. Returns a result as that of
/// `class_costs_tree`, and which points go left if its tree is a surface. The table is not too large.
#[pyfunction]
#[pyo3(signature = (points, examples, settings, on_progress=None))]
pub(crate) fn one_surface_class_costs(
    py: Python<'_>,
    points: SurfacePointArrays<'_>,
    examples: ExampleArrays<'_>,
    settings: ClassCostsSettings,
    on_progress: Option<Py<PyAny>>,
) -> PyResult<(ClassCostsResult, Option<Vec<bool>>)> {
    let limits = settings.search.resources.start();
    let points = Points::of(&points);
    let arguments = ClassCostArguments::new(examples.copied()?, &settings, 0.0)?;
    let unit = arguments.unit();
    let in_units = |cost| cost as f64 * unit.unwrap_or(1.0);
    let units: Option<watch::CostConversion<'_>> = unit.is_some().then_some(&in_units);
    let ready: OnceLock<CostExamples> = OnceLock::new();
    let (found, ended) = watch::run_in_units(py, on_progress, units, limits, |clock, progress| {
        let examples = arguments.examples(clock).map(|examples| ready.get_or_init(|| examples));
        points.search(examples, &arguments.request, clock, progress)
    })?;
    match (ready.get(), found) {
        (Some(examples), Some((found, curve))) => {
            let result = arguments.result(py, &examples.table, &found.found, &curve)?;
            add_counts(py, &result.stats, &found)?;
            Ok((result, found.left))
        }
        _ => Ok((arguments.leaf_result(py, ended)?, None)),
    }
}
