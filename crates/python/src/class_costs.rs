//! The search for minimum class costs: its arguments and its result.

use crate::border::{ClassCostsResult, ErrorPairsResult};
use crate::refusal::Refusal;
use crate::regression::{counted, in_table, stats_of_leaf};
use crate::request::SearchSettings;
use crate::result::{LEAF, NodeRow, moments, nodes, status, stopped_by, voting_nodes};
use crate::table::TableArguments;
use exactree_model::{Status, StoppedBy, Table, Tree};
use exactree_search::{ClassCosts, ShareCost};
use exactree_search::{Clock, ConstrainedExamples};
use exactree_search::{CostExamples, CostOutcome, CostRequest};
use exactree_search::{ErrorPair, ErrorPrices};
use exactree_search::{ProgressPoint, Stats};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// Costs of leaves: exact costs by true and by predicted class, or a cost of the shares of the
/// classes, smoothed by added weights.
#[derive(FromPyObject)]
enum CostsByClass {
    Matrix { by_class: Vec<Vec<u64>>, leaf_price: u64 },
    Shares { kind: String, added: Vec<f64>, leaf_price: f64 },
}

/// Settings of the search for minimum class costs.
#[derive(FromPyObject)]
pub(crate) struct ClassCostsSettings {
    pub search: SearchSettings,
    costs: CostsByClass,
    incumbent: Option<Vec<NodeRow>>,
}

/// Settings of the list of pairs of errors between two given pairs.
#[derive(FromPyObject)]
pub(crate) struct ErrorPairsSettings {
    pub class_costs: ClassCostsSettings,
    /// The prices of a false positive and of a false negative.
    prices: (u64, u64),
    positive: usize,
    pub ends: [(u64, u64); 2],
}

impl ErrorPairsSettings {
    pub(crate) fn prices(&self) -> ErrorPrices {
        let (false_positives, false_negatives) = self.prices;
        ErrorPrices { positive: self.positive, false_positives, false_negatives }
    }
}

/// The arguments of a search, copied out of Python.
pub(crate) struct ClassCostArguments {
    raw: TableArguments,
    costs: ClassCosts,
    pub request: CostRequest,
    /// The unit of cost is 2 to this power.
    pub exponent: i32,
    incumbent: Option<Vec<NodeRow>>,
}

impl ClassCostArguments {
    /// `feature_prices` is the price of all features together.
    pub(crate) fn new(
        raw: TableArguments,
        settings: &ClassCostsSettings,
        feature_prices: f64,
    ) -> Result<Self, Refusal> {
        // A matrix comes with its price of a leaf; the request has that of rounded costs.
        let ((costs, exponent), leaf_price) = match &settings.costs {
            CostsByClass::Matrix { by_class, leaf_price } => {
                let (by_class, price) = (by_class.clone(), *leaf_price);
                ((ClassCosts::Matrix { by_class, price }, 0), 0.0)
            }
            CostsByClass::Shares { kind, added, leaf_price } => {
                let mut class_weights = vec![0; added.len()];
                for (&label, &weight) in raw.labels.iter().zip(&raw.weights) {
                    class_weights[label as usize] += weight as i64;
                }
                let (cost, all_prices) = (share_cost(kind)?, *leaf_price + feature_prices);
                let costs = ClassCosts::of_shares(cost, added.clone(), &class_weights, all_prices);
                (costs, *leaf_price)
            }
        };
        let request = settings.search.cost_request(leaf_price)?;
        let incumbent = settings.incumbent.clone();
        Ok(ClassCostArguments { raw, costs, request, exponent, incumbent })
    }

    /// The unit of rounded costs in units of the weights; `None` for a matrix, whose costs are
    /// exact.
    pub(crate) fn unit(&self) -> Option<f64> {
        let rounded = !matches!(self.costs, ClassCosts::Matrix { .. });
        rounded.then(|| f64::from(self.exponent).exp2())
    }

    /// The examples; `None` if the clock stops before they are prepared.
    pub(crate) fn examples(&self, clock: &Clock<'_>) -> Option<CostExamples> {
        let TableArguments { columns, labels, weights, .. } = &self.raw;
        let costs = (self.costs.clone(), self.exponent);
        CostExamples::of_classes(clock, columns, labels, weights, costs, &self.request)
    }

    /// The initial tree, if there is one.
    pub(crate) fn incumbent(&self, examples: &CostExamples) -> Option<Arc<Tree>> {
        in_table(&examples.table, self.incumbent.as_ref()?, 0)
    }

    /// The same examples for a search under constraints.
    pub(crate) fn constrained_examples(&self, clock: &Clock<'_>) -> Option<ConstrainedExamples> {
        let TableArguments { columns, labels, weights, .. } = &self.raw;
        let costs = (self.costs.clone(), self.exponent);
        ConstrainedExamples::of_classes(clock, columns, labels, weights, costs)
    }

    /// The result of a search.
    pub(crate) fn result(
        &self,
        py: Python<'_>,
        table: &Table,
        found: &CostOutcome,
        curve: &[ProgressPoint],
    ) -> PyResult<ClassCostsResult> {
        let outcome = &found.outcome;
        let stats = counted(py, table, &found.stats)?;
        stats.set_item("first_incumbent", found.stats.first_incumbent)?;
        stats.set_item("progress", moments(curve))?;
        Ok(ClassCostsResult {
            status: status(outcome.status),
            lower_bound: outcome.lower_bound,
            rounding_units: found.rounding_units,
            exponent: self.exponent,
            stopped_by: outcome.stopped_by.map(stopped_by),
            nodes: outcome.tree.as_ref().map(|tree| nodes(table, tree)),
            stats: stats.unbind(),
        })
    }

    /// The result if the clock stopped before the search began: a single leaf and lower bound 0.
    /// `clock` is the reason of the stop and the seconds.
    pub(crate) fn leaf_result(
        &self,
        py: Python<'_>,
        clock: (Option<StoppedBy>, f64),
    ) -> PyResult<ClassCostsResult> {
        Ok(ClassCostsResult {
            status: status(Status::Feasible),
            lower_bound: 0,
            rounding_units: 0.0,
            exponent: self.exponent,
            stopped_by: clock.0.map(stopped_by),
            nodes: Some(vec![LEAF]),
            stats: stats_of_leaf(py, self.raw.labels.len(), clock.1)?.unbind(),
        })
    }
}

/// The pairs, each with the nodes of its tree and the classes of its leaves; no pairs if the
/// examples were not prepared in time.
pub(crate) fn pairs_result(
    py: Python<'_>,
    found: Option<(CostExamples, (Vec<ErrorPair>, Stats))>,
    stopped: Option<StoppedBy>,
) -> PyResult<ErrorPairsResult> {
    let row = |table: &Table, pair: &ErrorPair| {
        let (nodes, classes) = voting_nodes(table, &pair.tree);
        (pair.false_positives, pair.false_negatives, nodes, classes)
    };
    let (pairs, stats) = match found {
        Some((examples, (pairs, stats))) => {
            (pairs.iter().map(|pair| row(&examples.table, pair)).collect(), stats)
        }
        None => (Vec::new(), Stats::default()),
    };
    let counted = PyDict::new(py);
    counted.set_item("nodes", stats.nodes)?;
    counted.set_item("seconds", stats.seconds)?;
    Ok(ErrorPairsResult { pairs, stopped_by: stopped.map(stopped_by), stats: counted.unbind() })
}

/// The cost of shares with this name.
fn share_cost(kind: &str) -> Result<ShareCost, Refusal> {
    match kind {
        "log_loss" => Ok(ShareCost::LogLoss),
        "gini" => Ok(ShareCost::Gini),
        _ => Err(Refusal::unknown("class cost", kind)),
    }
}
