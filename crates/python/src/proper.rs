//! The search over dichotomies: settings in, outcome and counts out.

use crate::request::{item, read_engine, switches};
use crate::result::{moments, status, stopped_by};
use exactree_model::{Outcome, Tree};
use exactree_search::Request;
use exactree_search::proper::{Dichotomies, Examples, ProperOptions, ProperRequest, ProperStats};
use exactree_search::tracer::Moment;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// A node in preorder: its dichotomy (−1 for a leaf), the two children.
type NodeRow = (i64, i64, i64);

/// The arguments of a search, copied out of Python.
pub struct Given {
    pub dichotomies: Dichotomies,
    pub examples: Examples,
    pub request: ProperRequest,
}

impl Given {
    pub fn read(
        bits: PyReadonlyArray2<'_, u8>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, u64>,
        n_classes: usize,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let bits = bits.as_array();
        // One thread searches.
        let Request { objective, limits, below, memory_limit, stop_at_gap, threads: _ } =
            read_engine(settings)?;
        let options = switches(settings, ProperOptions::set)?;
        let leaves = item(settings, "leaves")?.extract()?;
        Ok(Given {
            dichotomies: Dichotomies { stride: bits.ncols(), bits: bits.iter().copied().collect() },
            examples: Examples {
                labels: labels.as_array().to_vec(),
                weights: weights.as_array().to_vec(),
                n_classes,
            },
            request: ProperRequest {
                objective,
                limits,
                leaves,
                below,
                memory_limit,
                stop_at_gap,
                options,
            },
        })
    }
}

/// Status, cost, lower bound, nodes of the tree, and counts.
pub fn write<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    stats: &ProperStats,
    curve: &[Moment],
) -> PyResult<Bound<'py, PyDict>> {
    let counted = PyDict::new(py);
    let counts = [
        ("dichotomies", stats.dichotomies),
        ("nodes", stats.nodes),
        ("roots", stats.roots),
        ("memo_entries", stats.memo_entries),
        ("memo_lookups", stats.memo_lookups),
        ("memo_hits", stats.memo_hits),
        ("memo_bytes", stats.memo_bytes),
        ("memo_evicted", stats.memo_evicted),
    ];
    for (name, count) in counts {
        counted.set_item(name, count)?;
    }
    counted.set_item("discards", stats.discards.list().into_py_dict(py)?)?;
    counted.set_item("first_incumbent", stats.first_incumbent)?;
    counted.set_item("seconds", stats.seconds)?;
    counted.set_item("progress", moments(curve))?;
    let result = PyDict::new(py);
    result.set_item("status", status(outcome.status))?;
    result.set_item("cost", outcome.cost)?;
    result.set_item("lower_bound", outcome.lower_bound)?;
    result.set_item("stopped_by", outcome.stopped_by.map(stopped_by))?;
    result.set_item("nodes", outcome.tree.as_ref().map(|tree| nodes(tree)))?;
    result.set_item("stats", counted)?;
    Ok(result)
}

fn nodes(tree: &Tree) -> Vec<NodeRow> {
    let mut rows = Vec::new();
    write_node(tree, &mut rows);
    rows
}

fn write_node(tree: &Tree, rows: &mut Vec<NodeRow>) -> i64 {
    let at = rows.len();
    rows.push((-1, -1, -1));
    if let Tree::Node { feature, left, right, .. } = tree {
        let left = write_node(left, rows);
        let right = write_node(right, rows);
        rows[at] = (i64::from(*feature), left, right);
    }
    at as i64
}
