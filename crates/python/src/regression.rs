//! The regression search: its arguments and its result.

use crate::border::RegressionResult;
use crate::refusal::Refusal;
use crate::request::SearchSettings;
use crate::result::{LEAF, NodeRow, add_rows, nodes, status, stopped_by};
use crate::table::columns_of;
use crate::watch::CostConversion;
use exactree_model::{Status, StoppedBy, Table, Tree};
use exactree_search::{Clock, ConstrainedExamples, FeaturePrices};
use exactree_search::{
    CostExamples, CostOptions, CostOutcome, CostRequest, TargetError, pruned_bounds,
};
use exactree_search::{ProgressPoint, Stats};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use std::sync::Arc;

/// The arguments of a search, copied out of Python.
pub(crate) struct RegressionArguments {
    columns: Vec<Vec<f64>>,
    targets: Vec<f64>,
    weights: Vec<u64>,
    deviation: TargetError,
    pub request: CostRequest,
    incumbent: Option<Vec<NodeRow>>,
}

/// Settings of the search for regression trees; `deviation` is the kind of error.
#[derive(FromPyObject)]
pub(crate) struct RegressionSettings {
    pub search: SearchSettings,
    deviation: String,
    leaf_price: f64,
    incumbent: Option<Vec<NodeRow>>,
}

impl SearchSettings {
    /// The request of a search for the least sum of costs of leaves.
    pub(crate) fn cost_request(&self, leaf_price: f64) -> Result<CostRequest, Refusal> {
        Ok(CostRequest {
            limits: self.limits.limits(),
            leaf_price,
            memory_limit: self.resources.cache_bytes(),
            stop_at_gap: self.stop_at_gap,
            threads: self.threads.max(1),
            options: self.resources.options(CostOptions::set)?,
        })
    }
}

impl RegressionArguments {
    pub(crate) fn read(
        columns: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, u64>,
        settings: RegressionSettings,
    ) -> Result<Self, Refusal> {
        let columns = columns_of(&columns.as_array());
        let (targets, weights) = (targets.as_array().to_vec(), weights.as_array().to_vec());
        let RegressionSettings { search, deviation, leaf_price, incumbent } = settings;
        let deviation = match deviation.as_str() {
            "squared_error" => TargetError::Squared,
            "absolute_error" => TargetError::Absolute,
            _ => return Err(Refusal::unknown("deviation", &deviation)),
        };
        let request = search.cost_request(leaf_price)?;
        Ok(RegressionArguments { columns, targets, weights, deviation, request, incumbent })
    }

    /// The examples; `None` if the clock stops before they are prepared.
    pub(crate) fn examples(&self, clock: &Clock<'_>) -> Option<CostExamples> {
        let RegressionArguments { columns, targets, weights, deviation, request, .. } = self;
        CostExamples::new(clock, columns, targets, weights, *deviation, request)
    }

    /// The same examples for a search under constraints.
    pub(crate) fn constrained_examples(
        &self,
        clock: &Clock<'_>,
        prices: &FeaturePrices,
    ) -> Option<ConstrainedExamples> {
        let RegressionArguments { columns, targets, weights, deviation, request, .. } = self;
        let prices = (request.leaf_price, prices);
        ConstrainedExamples::new(clock, columns, targets, weights, *deviation, prices)
    }

    /// The initial tree, if there is one.
    pub(crate) fn incumbent(&self, examples: &CostExamples) -> Option<Arc<Tree>> {
        in_table(&examples.table, self.incumbent.as_ref()?, 0)
    }

    pub(crate) fn rows(&self) -> usize {
        self.targets.len()
    }
}

/// The tree of node `at`, given the nodes of a tree in preorder as results have them; `None` if
/// they do not fit the table.
pub(crate) fn in_table(table: &Table, nodes: &[NodeRow], at: usize) -> Option<Arc<Tree>> {
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

/// The result of a search; `in_units` converts costs to the unit of the targets.
pub(crate) fn result(
    py: Python<'_>,
    table: &Table,
    in_units: CostConversion<'_>,
    found: &CostOutcome,
    curve: &[ProgressPoint],
) -> PyResult<RegressionResult> {
    let outcome = &found.outcome;
    let stats = counted(py, table, &found.stats)?;
    stats.set_item("first_incumbent", found.stats.first_incumbent.map(in_units))?;
    stats.set_item("rounding", found.rounding)?;
    let moment = |at: &ProgressPoint| (at.cost.map(in_units), in_units(at.lower_bound), at.seconds);
    stats.set_item("progress", curve.iter().map(moment).collect::<Vec<_>>())?;
    Ok(RegressionResult {
        status: status(outcome.status),
        cost: found.cost,
        lower_bound: found.lower_bound,
        stopped_by: outcome.stopped_by.map(stopped_by),
        nodes: outcome.tree.as_ref().map(|tree| nodes(table, tree)),
        stats: stats.unbind(),
    })
}

/// The result if the clock stopped before the search began: a single leaf and lower bound 0.
/// `clock` is the reason of the stop and the seconds.
pub(crate) fn leaf_result(
    py: Python<'_>,
    rows: usize,
    clock: (Option<StoppedBy>, f64),
) -> PyResult<RegressionResult> {
    Ok(RegressionResult {
        status: status(Status::Feasible),
        cost: None,
        lower_bound: 0.0,
        stopped_by: clock.0.map(stopped_by),
        nodes: Some(vec![LEAF]),
        stats: stats_of_leaf(py, rows, clock.1)?.unbind(),
    })
}

/// The statistics of a search that did not begin.
pub(crate) fn stats_of_leaf(
    py: Python<'_>,
    rows: usize,
    seconds: f64,
) -> PyResult<Bound<'_, PyDict>> {
    let stats = PyDict::new(py);
    for (name, count) in counts(&Stats::default()) {
        stats.set_item(name, count)?;
    }
    stats.set_item("pruned", PyDict::new(py))?;
    stats.set_item("seconds", seconds)?;
    stats.set_item("rows", rows)?;
    stats.set_item("first_incumbent", py.None())?;
    stats.set_item("rounding", 0.0)?;
    stats.set_item("progress", Vec::<(Option<f64>, f64, f64)>::new())?;
    Ok(stats)
}

/// The statistics, except for costs.
pub(crate) fn counted<'py>(
    py: Python<'py>,
    table: &Table,
    stats: &Stats,
) -> PyResult<Bound<'py, PyDict>> {
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
