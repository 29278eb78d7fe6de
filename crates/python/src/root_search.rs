//! Root tasks of distributed workers: a prepared table, and searches restricted to some of its
//! roots.

use crate::border::{RootsResult, RootsRow};
use crate::request::{CallLimits, CostSettings};
use crate::searches::found_by;
use crate::table::ExampleArrays;
use crate::{result, watch};
use exactree_model::UNBOUNDED;
use exactree_search::{Options, RootRange};
use pyo3::prelude::*;

/// Signals to a running search from other workers.
#[pyclass(module = "exactree._native", frozen)]
#[derive(Default)]
pub struct SearchControl(exactree_search::SearchControl);

#[pymethods]
impl SearchControl {
    #[new]
    fn new() -> Self {
        SearchControl::default()
    }

    /// Trees of this cost or more no longer matter.
    fn tighten_upper_bound(&self, cost: u64) {
        self.0.tighten_upper_bound(cost);
    }

    /// Makes the search return its open rules once the rule being evaluated is finished.
    fn return_open(&self) {
        self.0.return_open();
    }
}

/// A table prepared once for several searches, which share a cache.
///
/// The cache outlives each search and may take half of the memory limit. The memory of a search
/// counts from its start.
#[pyclass(module = "exactree._native", frozen)]
pub struct RootSearch {
    search: exactree_search::RootSearch,
    memory_limit: Option<usize>,
}

#[pymethods]
impl RootSearch {
    /// Prepares a table with the settings of the search "minimum-errors". Returns None and the
    /// reason if the preparation is stopped.
    #[staticmethod]
    fn prepare(
        py: Python<'_>,
        examples: ExampleArrays<'_>,
        settings: CostSettings,
    ) -> PyResult<(Option<Self>, Option<&'static str>)> {
        // The memory limit holds for every search, not for the preparation.
        let (limits, memory_limit) = settings.search.resources.start().without_memory();
        let (request, options) =
            (settings.request(), settings.search.resources.options(Options::set)?);
        let raw = examples.copied()?;
        watch::run(py, None, limits, |clock, _| {
            let (stopped, table) = (|| clock.stopped(), raw.table_within(clock));
            let search = exactree_search::RootSearch::prepare(&stopped, table, request, options);
            let prepared = search.map(|search| RootSearch { search, memory_limit });
            let stopped_by = clock.stopped_by().filter(|_| prepared.is_none());
            (prepared, stopped_by.map(result::stopped_by))
        })
    }

    /// The rules that a root may have.
    fn roots(&self) -> Vec<RootsRow> {
        self.search.roots().iter().map(row).collect()
    }

    /// Searches for the best tree that costs less than `upper_bound` with one of these rules at its
    /// root; with `greedy_start` the first incumbent is a greedy tree. Otherwise as `search`;
    /// "open" in the result has the rules that remain open.
    #[pyo3(signature = (roots, upper_bound, greedy_start, time_limit, control, on_progress=None))]
    #[allow(clippy::too_many_arguments)]
    fn run(
        &self,
        py: Python<'_>,
        roots: Vec<RootsRow>,
        upper_bound: Option<u64>,
        greedy_start: bool,
        time_limit: Option<f64>,
        control: &SearchControl,
        on_progress: Option<Py<PyAny>>,
    ) -> PyResult<RootsResult> {
        let roots: Vec<RootRange> = roots
            .into_iter()
            .map(|(feature, first, last, lower, left, right)| RootRange {
                feature,
                first,
                last,
                lower,
                left,
                right,
            })
            .collect();
        let limits = CallLimits::new(time_limit, self.memory_limit);
        let start = (upper_bound.unwrap_or(UNBOUNDED).min(UNBOUNDED), greedy_start);
        let (search, control) = (&self.search, &control.0);
        let (solved, open, curve) = watch::run(py, on_progress, limits, |clock, progress| {
            let (solved, open) = search.run(&roots, start, *clock, progress, control);
            (solved, open, progress.curve())
        })?;
        let (found, table) = (found_by(solved), &search.table);
        let outcome = &found.outcome;
        Ok(RootsResult {
            cost: outcome.cost,
            stopped_by: outcome.stopped_by.map(result::stopped_by),
            nodes: outcome.tree.as_ref().map(|tree| result::nodes(table, tree)),
            stats: result::stats(py, table, &found, &curve)?.unbind(),
            open: open.iter().map(row).collect(),
        })
    }
}

fn row(roots: &RootRange) -> RootsRow {
    let RootRange { feature, first, last, lower, left, right } = *roots;
    (feature, first, last, lower, left, right)
}
