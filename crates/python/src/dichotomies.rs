//! The search over dichotomies: reads its settings, writes its outcome and statistics.

use crate::request::{item, read_engine, switches};
use crate::result::{moments, status, stopped_by};
use exactree_model::{Outcome, Tree};
use exactree_search::Request;
use exactree_search::spaces::dichotomies::{
    Dichotomies, DichotomyExamples, ProperOptions, ProperRequest, ProperStats,
};
use exactree_search::support::statistics::ProgressPoint;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// A node in preorder: its dichotomy (−1 for a leaf), and the positions of its two children.
type DichotomyNodeRow = (i64, i64, i64);

/// The arguments of a search, copied out of Python.
pub struct DichotomyArguments {
    pub dichotomies: Dichotomies,
    pub examples: DichotomyExamples,
    pub request: ProperRequest,
}

impl DichotomyArguments {
    pub fn read(
        bits: PyReadonlyArray2<'_, u8>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, u64>,
        n_classes: usize,
        settings: &Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let bits = bits.as_array();
        let Request { objective, limits, below, memory_limit, stop_at_gap, threads } =
            read_engine(settings)?;
        let options = switches(settings, ProperOptions::set)?;
        // Pairs of a class and its maximum number of leaves.
        let leaves = item(settings, "leaves")?.extract()?;
        Ok(DichotomyArguments {
            dichotomies: Dichotomies { stride: bits.ncols(), bits: bits.iter().copied().collect() },
            examples: DichotomyExamples {
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
                threads,
                options,
            },
        })
    }
}

/// Writes status, cost, lower bound, nodes of the tree, and statistics.
pub fn write<'py>(
    py: Python<'py>,
    outcome: &Outcome,
    stats: &ProperStats,
    curve: &[ProgressPoint],
) -> PyResult<Bound<'py, PyDict>> {
    let counted = PyDict::new(py);
    let (dichotomies, pruned, stats) = (stats.dichotomies, stats.pruned(), &stats.search);
    let counts = [
        ("dichotomies", dichotomies),
        ("nodes", stats.nodes),
        ("roots", stats.roots),
        ("cache_entries", stats.cache_entries),
        ("cache_lookups", stats.cache_lookups),
        ("cache_hits", stats.cache_hits),
        ("cache_bytes", stats.cache_bytes),
        ("cache_evicted", stats.cache_evicted),
    ];
    for (name, count) in counts {
        counted.set_item(name, count)?;
    }
    counted.set_item("pruned", pruned.into_py_dict(py)?)?;
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

/// The nodes of a tree in preorder.
fn nodes(tree: &Tree) -> Vec<DichotomyNodeRow> {
    let mut rows = Vec::new();
    write_node(tree, &mut rows);
    rows
}

/// Appends the nodes of a subtree; returns the position of its root.
fn write_node(tree: &Tree, rows: &mut Vec<DichotomyNodeRow>) -> i64 {
    let at = rows.len();
    rows.push((-1, -1, -1)); // A leaf; replaced below if it is an inner node.
    if let Tree::Node { feature, left, right, .. } = tree {
        let left = write_node(left, rows);
        let right = write_node(right, rows);
        rows[at] = (i64::from(*feature), left, right);
    }
    at as i64
}
