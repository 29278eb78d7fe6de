//! The search under constraints: its settings and its result.

use crate::border::ConstrainedResult;
use crate::refusal::Refusal;
use crate::regression::in_table;
use crate::request::CostSettings;
use crate::result::{NodeRow, nodes, stats, status, stopped_by};
use crate::searches::{Found, found_by};
use exactree_model::{Cost, Table, Tree};
use exactree_search::{Clock, Options, Progress, ProgressPoint, Request};
use exactree_search::{TreeConstraints, solve_constrained};
use pyo3::prelude::*;

/// Settings of the search for minimum errors under constraints; the fields after `costs` up to
/// `values` are those of `TreeConstraints`.
#[derive(FromPyObject)]
pub(crate) struct ConstrainedSettings {
    pub costs: CostSettings,
    features: Vec<u32>,
    directions: Vec<i8>,
    in_shares: bool,
    required: Vec<u32>,
    only_below: Vec<Option<u32>>,
    max_features: Option<usize>,
    prices: Vec<Cost>,
    /// Pairs of a class and its maximum number of leaves.
    leaves: Vec<(u32, u32)>,
    share_factors: Vec<u64>,
    min_leaf_weight: u64,
    values: Vec<Vec<Vec<u32>>>,
    /// Whether the minimum leaf size is a weight.
    counts_weight: bool,
    /// The nodes of a tree to start from.
    incumbent: Option<Vec<NodeRow>>,
}

/// The request of a search under constraints.
pub(crate) struct ConstrainedRequest {
    request: Request,
    options: Options,
    constraints: TreeConstraints,
    /// Whether the minimum leaf size is a weight.
    pub leaf_weights: bool,
    /// The nodes of a tree to start from.
    incumbent: Option<Vec<NodeRow>>,
}

impl ConstrainedSettings {
    /// The request and the switches.
    pub(crate) fn request(self) -> Result<ConstrainedRequest, Refusal> {
        Ok(ConstrainedRequest {
            request: self.costs.request(),
            options: self.costs.search.resources.options(Options::set)?,
            constraints: TreeConstraints {
                features: self.features,
                directions: self.directions,
                in_shares: self.in_shares,
                required: self.required,
                only_below: self.only_below,
                max_features: self.max_features,
                prices: self.prices,
                quotas: self.leaves,
                share_factors: self.share_factors,
                min_leaf_weight: self.min_leaf_weight,
                values: self.values,
            },
            leaf_weights: self.counts_weight,
            incumbent: self.incumbent,
        })
    }
}

impl ConstrainedRequest {
    /// Runs the search. There is no tree if the table could not be read in time.
    pub(crate) fn run(&self, table: &Table, clock: &Clock<'_>, progress: &Progress) -> Found {
        if !table.is_read() {
            return Found::stopped_early(clock);
        }
        let initial = self.incumbent.as_ref().and_then(|nodes| in_table(table, nodes, 0));
        let (request, constraints, options) = (&self.request, &self.constraints, &self.options);
        let solved = solve_constrained(
            table,
            request,
            constraints,
            options,
            *clock,
            progress,
            initial.as_ref(),
        );
        let choices = ("choices", solved.stats.choices);
        let mut found = found_by(solved);
        found.counts.push(choices);
        found
    }
}

/// The result of a search.
pub(crate) fn result(
    py: Python<'_>,
    table: &Table,
    found: &Found,
    curve: &[ProgressPoint],
) -> PyResult<ConstrainedResult> {
    let outcome = &found.outcome;
    Ok(ConstrainedResult {
        status: status(outcome.status),
        cost: outcome.cost,
        lower_bound: outcome.lower_bound,
        stopped_by: outcome.stopped_by.map(stopped_by),
        nodes: outcome.tree.as_ref().map(|tree| nodes(table, tree)),
        ranks: outcome.tree.as_ref().map(|tree| ranks(tree)),
        stats: stats(py, table, found, curve)?.unbind(),
    })
}

/// By node in preorder the rank of its threshold among the values of the whole table; 0 for leaves.
fn ranks(tree: &Tree) -> Vec<Cost> {
    match tree {
        Tree::Leaf { .. } => vec![0],
        Tree::Node { rank, left, right, .. } => {
            [vec![Cost::from(*rank)], ranks(left), ranks(right)].concat()
        }
    }
}
