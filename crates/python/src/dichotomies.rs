//! The search over dichotomies: its arguments and its result.

use crate::border::{DichotomyNodeRow, SearchResult, TreeNodes};
use crate::refusal::Refusal;
use crate::request::CostSettings;
use crate::result::{moments, status, stopped_by};
use exactree_model::{Outcome, Tree};
use exactree_search::ProgressPoint;
use exactree_search::Request;
use exactree_search::{Dichotomies, DichotomyExamples, ProperOptions, ProperRequest, ProperStats};
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use std::sync::Arc;

/// Settings of the search over given dichotomies.
#[derive(FromPyObject)]
pub(crate) struct DichotomySettings {
    pub costs: CostSettings,
    /// Pairs of a class and its maximum number of leaves.
    leaves: Vec<(u32, u32)>,
}

/// The arguments of a search, copied out of Python.
pub(crate) struct DichotomyArguments {
    pub dichotomies: Dichotomies,
    pub examples: DichotomyExamples,
    pub request: ProperRequest,
}

impl DichotomyArguments {
    pub(crate) fn read(
        bits: PyReadonlyArray2<'_, u8>,
        labels: PyReadonlyArray1<'_, u32>,
        weights: PyReadonlyArray1<'_, u64>,
        n_classes: usize,
        settings: DichotomySettings,
    ) -> Result<Self, Refusal> {
        let bits = bits.as_array();
        let DichotomySettings { costs, leaves } = settings;
        let options = costs.search.resources.options(ProperOptions::set)?;
        let Request { objective, limits, below, memory_limit, stop_at_gap, threads } =
            costs.request();
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

/// The result of a search; its nodes are dichotomies.
pub(crate) fn result(
    py: Python<'_>,
    outcome: &Outcome,
    stats: &ProperStats,
    curve: &[ProgressPoint],
) -> PyResult<SearchResult> {
    Ok(SearchResult {
        status: status(outcome.status),
        cost: outcome.cost,
        lower_bound: outcome.lower_bound,
        stopped_by: outcome.stopped_by.map(stopped_by),
        nodes: outcome.tree.as_ref().map(|tree| TreeNodes::Dichotomies(nodes(tree))),
        stats: stats_of(py, stats, curve)?.unbind(),
    })
}

/// The statistics of a search.
pub(crate) fn stats_of<'py>(
    py: Python<'py>,
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
    Ok(counted)
}

/// The nodes of a tree in preorder.
pub(crate) fn nodes(tree: &Tree) -> Vec<DichotomyNodeRow> {
    let mut rows = Vec::new();
    write_node(tree, &mut rows);
    rows
}

/// Appends the nodes of a subtree; returns the position of its root.
fn write_node(tree: &Tree, rows: &mut Vec<DichotomyNodeRow>) -> i64 {
    let at = rows.len();
    rows.push((-1, -1, -1)); // A leaf; replaced below if it is an inner node.
    if let Tree::Node { rank, left, right, .. } = tree {
        let left = write_node(left, rows);
        let right = write_node(right, rows);
        rows[at] = (i64::from(*rank), left, right);
    }
    at as i64
}

/// The tree with these nodes, from one of them on; `None` if they do not form a tree.
pub(crate) fn tree(rows: &[DichotomyNodeRow], at: usize) -> Option<Arc<Tree>> {
    let &(dichotomy, left, right) = rows.get(at)?;
    if dichotomy < 0 {
        return Some(Tree::leaf(0));
    }
    // Children follow their parents, so this ends.
    let child = |row: i64| usize::try_from(row).ok().filter(|&row| row > at);
    let rank = u32::try_from(dichotomy).ok()?;
    Some(Tree::node(0, rank, tree(rows, child(left)?)?, tree(rows, child(right)?)?))
}
