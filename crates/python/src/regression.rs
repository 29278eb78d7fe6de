//! The regression search: reads its settings, writes its outcome and statistics.

use crate::refusal::Refusal;
use crate::request::{item, limit, memory_limit, switches};
use crate::result::{NodeRow, add_rows, nodes, status, stopped_by};
use crate::table::columns_of;
use exactree_model::{Limits, Status, StoppedBy, Table, Tree};
use exactree_search::Clock;
use exactree_search::regression::{
    Deviation, Regression, RegressionExamples, RegressionOptions, RegressionRequest, pruned_bounds,
};
use exactree_search::support::statistics::{ProgressPoint, Stats};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use std::sync::Arc;

/// The arguments of a search, copied out of Python.
pub struct RegressionArguments {
    columns: Vec<Vec<f64>>,
    targets: Vec<f64>,
    weights: Vec<u64>,
    deviation: Deviation,
    pub request: RegressionRequest,
    incumbent: Option<Vec<NodeRow>>,
}

/// Reads the limits and options of a search.
pub fn request(settings: &Bound<'_, PyDict>, leaf_penalty: f64) -> PyResult<RegressionRequest> {
    Ok(RegressionRequest {
        limits: Limits {
            depth: limit(settings, "max_depth")?,
            size: limit(settings, "max_size")?,
            min_samples_leaf: item(settings, "min_samples_leaf")?.extract()?,
        },
        leaf_penalty,
        memory_limit: memory_limit(settings)?,
        stop_at_gap: item(settings, "stop_at_gap")?.extract()?,
        threads: item(settings, "threads")?.extract::<usize>()?.max(1),
        options: switches(settings, RegressionOptions::set)?,
    })
}

impl RegressionArguments {
    pub fn read(
        columns: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, u64>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let columns = columns_of(&columns.as_array());
        let (targets, weights) = (targets.as_array().to_vec(), weights.as_array().to_vec());
        let deviation: String = item(settings, "deviation")?.extract()?;
        let deviation = match deviation.as_str() {
            "squared_error" => Deviation::Squared,
            "absolute_error" => Deviation::Absolute,
            _ => return Err(Refusal::unknown("deviation", &deviation).into()),
        };
        let request = request(settings, item(settings, "leaf_penalty")?.extract()?)?;
        let incumbent = item(settings, "incumbent")?.extract()?;
        Ok(RegressionArguments { columns, targets, weights, deviation, request, incumbent })
    }

    /// The examples; `None` if the clock stops before they are prepared.
    pub fn examples(&self, clock: &Clock<'_>) -> Option<RegressionExamples> {
        let RegressionArguments { columns, targets, weights, deviation, request, .. } = self;
        RegressionExamples::new(clock, columns, targets, weights, *deviation, request)
    }

    /// The initial tree, if there is one.
    pub fn incumbent(&self, examples: &RegressionExamples) -> Option<Arc<Tree>> {
        in_table(&examples.table, self.incumbent.as_ref()?, 0)
    }

    pub fn rows(&self) -> usize {
        self.targets.len()
    }
}

/// The tree of node `at`, given the nodes of a tree in preorder as results have them; `None` if they
/// do not fit the table.
pub fn in_table(table: &Table, nodes: &[NodeRow], at: usize) -> Option<Arc<Tree>> {
    let &(column, low, _, left, right) = nodes.get(at)?;
    if column < 0 {
        return Some(Tree::leaf(0));
    }
    let feature = table.features.iter().position(|feature| i64::from(feature.index) == column)?;
    let values = &table.features[feature].values;
    let rank = values.partition_point(|&value| value <= low).checked_sub(1)?;
    // Children follow their parents, so this ends.
    let child = |node: i64| usize::try_from(node).ok().filter(|&node| node > at);
    let (left, right) = (child(left)?, child(right)?);
    let left = in_table(table, nodes, left)?;
    Some(Tree::node(feature as u32, rank as u32, left, in_table(table, nodes, right)?))
}

/// Writes status, cost, lower bound, nodes of the tree, and statistics; costs in the unit of the
/// targets.
pub fn write<'py>(
    py: Python<'py>,
    examples: &RegressionExamples,
    found: &Regression,
    curve: &[ProgressPoint],
) -> PyResult<Bound<'py, PyDict>> {
    let in_units = |cost: u64| examples.in_user_units(cost as f64);
    let counted = counted(py, &examples.table, &found.stats)?;
    counted.set_item("first_incumbent", found.stats.first_incumbent.map(in_units))?;
    counted.set_item("rounding", found.rounding)?;
    let moment = |at: &ProgressPoint| (at.cost.map(in_units), in_units(at.lower_bound), at.seconds);
    counted.set_item("progress", curve.iter().map(moment).collect::<Vec<_>>())?;
    let result = write_proof(py, &examples.table, found)?;
    result.set_item("stats", counted)?;
    Ok(result)
}

/// Writes status, cost, lower bound and nodes of the tree; costs in the unit of the targets.
pub fn write_proof<'py>(
    py: Python<'py>,
    table: &Table,
    found: &Regression,
) -> PyResult<Bound<'py, PyDict>> {
    let outcome = &found.outcome;
    let result = PyDict::new(py);
    result.set_item("status", status(outcome.status))?;
    result.set_item("cost", found.cost)?;
    result.set_item("lower_bound", found.lower_bound)?;
    result.set_item("stopped_by", outcome.stopped_by.map(stopped_by))?;
    result.set_item("nodes", outcome.tree.as_ref().map(|tree| nodes(table, tree)))?;
    Ok(result)
}

/// Writes the result if the clock stopped before the search began: a single leaf and lower bound 0.
/// `clock` is the reason of the stop and the seconds.
pub fn write_leaf<'py>(
    py: Python<'py>,
    rows: usize,
    clock: (Option<StoppedBy>, f64),
) -> PyResult<Bound<'py, PyDict>> {
    let counted = PyDict::new(py);
    for (name, count) in counts(&Stats::default()) {
        counted.set_item(name, count)?;
    }
    counted.set_item("pruned", PyDict::new(py))?;
    counted.set_item("seconds", clock.1)?;
    counted.set_item("rows", rows)?;
    counted.set_item("first_incumbent", py.None())?;
    counted.set_item("rounding", 0.0)?;
    counted.set_item("progress", Vec::<(Option<f64>, f64, f64)>::new())?;
    let result = PyDict::new(py);
    result.set_item("status", status(Status::Feasible))?;
    result.set_item("cost", py.None())?;
    result.set_item("lower_bound", 0)?;
    result.set_item("stopped_by", clock.0.map(stopped_by))?;
    let leaf: NodeRow = (-1, 0.0, 0.0, -1, -1);
    result.set_item("nodes", vec![leaf])?;
    result.set_item("stats", counted)?;
    Ok(result)
}

/// The statistics, except for costs.
pub fn counted<'py>(py: Python<'py>, table: &Table, stats: &Stats) -> PyResult<Bound<'py, PyDict>> {
    let counted = PyDict::new(py);
    for (name, count) in counts(stats) {
        counted.set_item(name, count)?;
    }
    counted.set_item("pruned", pruned_bounds(stats).into_py_dict(py)?)?;
    counted.set_item("seconds", stats.seconds)?;
    add_rows(&counted, table)?;
    Ok(counted)
}

fn counts(stats: &Stats) -> [(&'static str, u64); 8] {
    [
        ("nodes", stats.nodes),
        ("depth_two_calls", stats.depth_two_calls),
        ("stump_evaluations", stats.stump_evaluations),
        ("cache_entries", stats.cache_entries),
        ("cache_lookups", stats.cache_lookups),
        ("cache_hits", stats.cache_hits),
        ("cache_bytes", stats.cache_bytes),
        ("cache_evicted", stats.cache_evicted),
    ]
}
