//! The search for numbers: settings in, outcome and counts out.

use crate::request::{item, memory_limit, most, switches};
use crate::result::{add_rows, nodes, status, stopped_by};
use exactree_model::Limits;
use exactree_search::regression::{
    Deviation, Examples, Regression, RegressionOptions, RegressionRequest,
};
use exactree_search::tracer::Moment;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// The arguments of a search, copied out of Python.
pub struct Given {
    pub examples: Examples,
    pub request: RegressionRequest,
}

impl Given {
    pub fn read(
        columns: PyReadonlyArray2<'_, f64>,
        targets: PyReadonlyArray1<'_, f64>,
        weights: PyReadonlyArray1<'_, u64>,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let columns = columns.as_array();
        let columns: Vec<Vec<f64>> = columns.columns().into_iter().map(|c| c.to_vec()).collect();
        let (targets, weights) = (targets.as_array().to_vec(), weights.as_array().to_vec());
        let deviation: String = item(settings, "deviation")?.extract()?;
        let deviation = match deviation.as_str() {
            "squared_error" => Deviation::Squared,
            "absolute_error" => Deviation::Absolute,
            _ => return Err(PyValueError::new_err(format!("there is no {deviation:?}"))),
        };
        let options = switches(settings, RegressionOptions::set)?;
        let request = RegressionRequest {
            limits: Limits {
                depth: most(settings, "max_depth")?,
                size: most(settings, "max_size")?,
                min_rows: item(settings, "min_rows")?.extract()?,
            },
            leaf_penalty: item(settings, "leaf_penalty")?.extract()?,
            memory_limit: memory_limit(settings)?,
            stop_at_gap: item(settings, "stop_at_gap")?.extract()?,
            threads: item(settings, "threads")?.extract::<usize>()?.max(1),
            options,
        };
        let examples = settings
            .py()
            .detach(|| Examples::new(&columns, &targets, &weights, deviation, &request));
        Ok(Given { examples, request })
    }
}

/// Status, cost, lower bound, nodes of the tree, and counts; costs in the unit of the
/// targets.
pub fn write<'py>(
    py: Python<'py>,
    examples: &Examples,
    found: &Regression,
    curve: &[Moment],
) -> PyResult<Bound<'py, PyDict>> {
    let (outcome, stats) = (&found.outcome, &found.stats);
    let in_units = |cost: u64| examples.in_user_units(cost as f64);
    let counted = PyDict::new(py);
    let counts = [
        ("nodes", stats.nodes),
        ("depth_two_calls", stats.depth_two_calls),
        ("stump_evaluations", stats.stump_evaluations),
        ("memo_entries", stats.memo_entries),
        ("memo_lookups", stats.memo_lookups),
        ("memo_hits", stats.memo_hits),
        ("memo_bytes", stats.memo_bytes),
        ("memo_evicted", stats.memo_evicted),
    ];
    for (name, count) in counts {
        counted.set_item(name, count)?;
    }
    counted.set_item("discards", found.discards().into_py_dict(py)?)?;
    counted.set_item("first_incumbent", stats.first_incumbent.map(in_units))?;
    counted.set_item("seconds", stats.seconds)?;
    counted.set_item("rounding", found.rounding)?;
    let moment = |at: &Moment| (at.cost.map(in_units), in_units(at.lower_bound), at.seconds);
    counted.set_item("progress", curve.iter().map(moment).collect::<Vec<_>>())?;
    add_rows(&counted, &examples.table)?;
    let result = PyDict::new(py);
    result.set_item("status", status(outcome.status))?;
    result.set_item("cost", found.cost)?;
    result.set_item("lower_bound", found.lower_bound)?;
    result.set_item("stopped_by", outcome.stopped_by.map(stopped_by))?;
    result.set_item("nodes", outcome.tree.as_ref().map(|tree| nodes(&examples.table, tree)))?;
    result.set_item("stats", counted)?;
    Ok(result)
}
