//! A table laid out for searches of some of its roots, which workers share.

use crate::request::{Resources, read_engine, switches};
use crate::searches::of_solved;
use crate::table::GivenTable;
use crate::{result, watch};
use exactree_model::UNBOUNDED;
use exactree_search::{Options, Roots};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A feature of the merged table, the first and the last rank; lower bounds on trees, on left
/// and on right sides.
type RootsRow = (u32, u32, u32, u64, u64, u64);

/// What searches are told while they run.
#[pyclass(module = "exactree._native", frozen)]
#[derive(Default)]
pub struct Told(exactree_search::Told);

#[pymethods]
impl Told {
    #[new]
    fn new() -> Self {
        Told::default()
    }

    /// Trees that cost as much are of no use any more.
    fn beat(&self, cost: u64) {
        self.0.beat(cost);
    }

    /// Asks for what is not done, after the rule that is being tried.
    fn give_back(&self) {
        self.0.give_back();
    }
}

/// A table laid out once; what one search has proved of parts helps the next.
///
/// The cache outlives each search and keeps to its own half of the limit on memory; the limit of a
/// search counts what this search has added.
#[pyclass(module = "exactree._native", frozen)]
pub struct RootSearch {
    search: exactree_search::RootSearch,
    memory_limit: Option<usize>,
}

#[pymethods]
impl RootSearch {
    /// As the search "least-errors". None if something stops the preparation, which comes second.
    #[staticmethod]
    fn laid_out(
        py: Python<'_>,
        columns: PyReadonlyArray2<'_, f64>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, u64>,
        n_classes: usize,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<(Option<Self>, Option<&'static str>)> {
        let mut resources = Resources::read(settings)?;
        let memory_limit = resources.memory.take(); // of searches
        let (request, options) = (read_engine(settings)?, switches(settings, Options::set)?);
        let raw = GivenTable::read(columns, labels, weights, n_classes)?;
        watch::run(py, None, resources, |clock, _| {
            let (stopped, table) = (|| clock.stopped(), raw.table_within(clock));
            let search = exactree_search::RootSearch::unless(&stopped, table, request, options);
            let laid = search.map(|search| RootSearch { search, memory_limit });
            let by = clock.stopped_by().filter(|_| laid.is_none());
            (laid, by.map(result::stopped_by))
        })
    }

    /// All rules that a root may ask.
    fn roots(&self) -> Vec<RootsRow> {
        self.search.roots().iter().map(row).collect()
    }

    /// Searches for the best tree that costs less than `below` and whose root asks one of
    /// these rules; `begin` says whether to begin with a greedy tree. As `search`, and "open"
    /// has what was not finished.
    #[pyo3(signature = (roots, below, begin, time_limit, told, on_progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn run<'py>(
        &self,
        py: Python<'py>,
        roots: Vec<RootsRow>,
        below: Option<u64>,
        begin: bool,
        time_limit: Option<f64>,
        told: &Told,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let roots: Vec<Roots> = roots
            .into_iter()
            .map(|(feature, first, last, lower, left, right)| Roots {
                feature,
                first,
                last,
                lower,
                left,
                right,
            })
            .collect();
        let resources = Resources::new(time_limit, self.memory_limit);
        let asked = (below.unwrap_or(UNBOUNDED).min(UNBOUNDED), begin);
        let (search, told) = (&self.search, &told.0);
        let (solved, left, curve) = watch::run(py, on_progress, resources, |clock, progress| {
            let (solved, left) = search.run(&roots, asked, *clock, progress, told);
            (solved, left, progress.curve())
        })?;
        let found = result::write(py, &search.table, &of_solved(solved), &curve)?;
        found.set_item("open", left.iter().map(row).collect::<Vec<_>>())?;
        Ok(found)
    }
}

fn row(roots: &Roots) -> RootsRow {
    let Roots { feature, first, last, lower, left, right } = *roots;
    (feature, first, last, lower, left, right)
}
