//! Reading of constraints from a Python dictionary, and the search under constraints.

use crate::regression::in_table;
use crate::request::{item, read_engine, switches};
use crate::result::NodeRow;
use exactree_model::{Cost, Table, Tree};
use exactree_search::constraints::{TreeConstraints, solve_constrained};
use exactree_search::{Clock, Options, Progress, Request, SearchOutcome};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The request of a search under constraints.
pub struct ConstrainedRequest {
    request: Request,
    options: Options,
    constraints: TreeConstraints,
    /// Whether the minimum leaf size is a weight.
    pub leaf_weights: bool,
    /// The nodes of a tree to start from.
    incumbent: Option<Vec<NodeRow>>,
}

impl ConstrainedRequest {
    /// Reads settings that `exactree.engine` has checked.
    pub fn read(settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        Ok(ConstrainedRequest {
            request: read_engine(settings)?,
            options: switches(settings, Options::set)?,
            constraints: TreeConstraints {
                features: item(settings, "features")?.extract()?,
                directions: item(settings, "directions")?.extract()?,
                in_shares: item(settings, "in_shares")?.extract()?,
                required: item(settings, "required")?.extract()?,
                only_below: item(settings, "only_below")?.extract()?,
                max_features: item(settings, "max_features")?.extract()?,
                prices: item(settings, "prices")?.extract()?,
                quotas: item(settings, "leaves")?.extract()?,
                share_factors: item(settings, "share_factors")?.extract()?,
                min_leaf_weight: item(settings, "min_leaf_weight")?.extract()?,
                values: item(settings, "values")?.extract()?,
            },
            leaf_weights: item(settings, "counts_weight")?.extract()?,
            incumbent: item(settings, "incumbent")?.extract()?,
        })
    }

    /// Runs the search.
    pub fn run(&self, table: &Table, clock: Clock<'_>, progress: &Progress) -> SearchOutcome {
        let initial = self.incumbent.as_ref().and_then(|nodes| in_table(table, nodes, 0));
        let (request, constraints, options) = (&self.request, &self.constraints, &self.options);
        solve_constrained(table, request, constraints, options, clock, progress, initial.as_ref())
    }
}

/// By node in preorder the rank of its threshold among the values of the whole table; 0 for leaves.
pub fn ranks(tree: &Tree) -> Vec<Cost> {
    match tree {
        Tree::Leaf { .. } => vec![0],
        Tree::Node { rank, left, right, .. } => {
            [vec![Cost::from(*rank)], ranks(left), ranks(right)].concat()
        }
    }
}
