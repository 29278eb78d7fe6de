//! Results of the searches for one tree: nodes, progress and statistics, as values for Python.

use crate::border::{SearchResult, TreeNodes, VotingTree};
use crate::searches::Found;
use exactree_model::{Cost, Status, StoppedBy, Table, Tree};
use exactree_search::ProgressPoint;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};

/// A node in preorder: feature (−1 for a leaf), the greatest value in its left child, the smallest
/// value in its right child, and the positions of the two children.
pub(crate) type NodeRow = (i64, f64, f64, i64, i64);

pub(crate) const LEAF: NodeRow = (-1, 0.0, 0.0, -1, -1);

/// The result of a search over thresholds.
pub(crate) fn search_result(
    py: Python<'_>,
    table: &Table,
    found: &Found,
    curve: &[ProgressPoint],
) -> PyResult<SearchResult> {
    let outcome = &found.outcome;
    let nodes = outcome.tree.as_ref().map(|tree| TreeNodes::Thresholds(nodes(table, tree)));
    Ok(SearchResult {
        status: status(outcome.status),
        cost: outcome.cost,
        lower_bound: outcome.lower_bound,
        stopped_by: outcome.stopped_by.map(stopped_by),
        nodes,
        stats: stats(py, table, found, curve)?.unbind(),
    })
}

/// Cost of the incumbent, lower bound and seconds of every point of the curve.
pub(crate) fn moments(curve: &[ProgressPoint]) -> Vec<(Option<Cost>, Cost, f64)> {
    curve.iter().map(|moment| (moment.cost, moment.lower_bound, moment.seconds)).collect()
}

pub(crate) fn status(status: Status) -> &'static str {
    match status {
        Status::Optimal => "optimal",
        Status::Feasible => "feasible",
        Status::Infeasible => "infeasible",
        Status::Stopped => "stopped",
    }
}

pub(crate) fn stopped_by(reason: StoppedBy) -> &'static str {
    match reason {
        StoppedBy::TimeLimit => "time limit",
        StoppedBy::MemoryLimit => "memory limit",
        StoppedBy::Interrupt => "interrupt",
        StoppedBy::Callback => "callback",
        StoppedBy::Gap => "gap",
    }
}

pub(crate) fn nodes(table: &Table, tree: &Tree) -> Vec<NodeRow> {
    voting_nodes(table, tree).0
}

/// Nodes with thresholds between neighbouring values of the whole table, which determine the
/// ranks.
pub(crate) fn nodes_of_whole_table(table: &Table, tree: &Tree) -> Vec<NodeRow> {
    let mut rows = nodes(table, tree);
    let mut splits = Vec::new();
    list_splits(tree, &mut splits);
    for (row, (feature, rank)) in rows.iter_mut().filter(|row| row.0 >= 0).zip(splits) {
        let values = &table.features[feature as usize].values;
        (row.1, row.2) = (values[rank as usize], values[rank as usize + 1]);
    }
    rows
}

/// Feature and rank of the inner nodes in preorder.
fn list_splits(tree: &Tree, splits: &mut Vec<(u32, u32)>) {
    if let Tree::Node { feature, rank, left, right } = tree {
        splits.push((*feature, *rank));
        list_splits(left, splits);
        list_splits(right, splits);
    }
}

/// Nodes, and by node the class that a leaf predicts; −1 for inner nodes.
pub(crate) fn voting_nodes(table: &Table, tree: &Tree) -> VotingTree {
    let mut rows = NodeRows::default();
    let items: Vec<usize> = (0..table.items.len()).collect();
    write_node(table, tree, &items, &mut rows);
    (rows.nodes, rows.classes)
}

/// Nodes in preorder, and by node the class that a leaf predicts.
#[derive(Default)]
struct NodeRows {
    nodes: Vec<NodeRow>,
    classes: Vec<i64>,
}

/// Appends the nodes of a subtree that the items reach; returns the position of its root.
fn write_node(table: &Table, tree: &Tree, items: &[usize], rows: &mut NodeRows) -> i64 {
    let at = rows.nodes.len();
    rows.nodes.push(LEAF);
    rows.classes.push(if let Tree::Leaf { class } = tree { i64::from(*class) } else { -1 });
    if let Tree::Node { feature, rank, left, right } = tree {
        let column = &table.features[*feature as usize];
        let (left_items, right_items): (Vec<usize>, Vec<usize>) =
            items.iter().partition(|&&item| column.ranks[item] <= *rank);
        // In a returned tree both children of every rule hold items; the defaults only make this
        // function total.
        let low = left_items.iter().map(|&item| column.ranks[item]).max().unwrap_or(*rank);
        let high = right_items.iter().map(|&item| column.ranks[item]).min().unwrap_or(*rank + 1);
        let (low, high) = (column.values[low as usize], column.values[high as usize]);
        let left = write_node(table, left, &left_items, rows);
        let right = write_node(table, right, &right_items, rows);
        rows.nodes[at] = (i64::from(column.index), low, high, left, right);
    }
    at as i64
}

/// Statistics of a search, and properties of its table.
pub(crate) fn stats<'py>(
    py: Python<'py>,
    table: &Table,
    found: &Found,
    curve: &[ProgressPoint],
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    for (name, count) in &found.counts {
        result.set_item(name, count)?;
    }
    if let Some(pruned) = &found.pruned {
        result.set_item("pruned", pruned.iter().copied().into_py_dict(py)?)?;
    }
    if let Some(by_size) = &found.by_size {
        result.set_item("search_nodes_by_size", by_size.iter().copied().into_py_dict(py)?)?;
    }
    result.set_item("first_incumbent", found.first_incumbent)?;
    result.set_item("seconds", found.seconds)?;
    result.set_item("progress", moments(curve))?;
    add_table(&result, table)?;
    Ok(result)
}

/// Adds the number of rows and, if they were read, of distinct rows.
pub(crate) fn add_rows(result: &Bound<'_, PyDict>, table: &Table) -> PyResult<()> {
    result.set_item("rows", table.rows)?;
    if table.is_read() {
        result.set_item("merged_rows", table.items.len())?;
    }
    Ok(())
}

/// Adds the properties of a table that was read.
pub(crate) fn add_table(result: &Bound<'_, PyDict>, table: &Table) -> PyResult<()> {
    add_rows(result, table)?;
    if !table.is_read() {
        return Ok(());
    }
    result.set_item("contradictions", table.contradictory_groups)?;
    let unavoidable: u64 = table.items.iter().map(|item| item.unavoidable).sum();
    result.set_item("unavoidable_errors", unavoidable)
}
