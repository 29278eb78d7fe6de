//! The search for minimum class costs: reads its settings, writes its outcome and statistics.

use crate::refusal::Refusal;
use crate::regression::{counted, request, write_leaf};
use crate::request::item;
use crate::result::{moments, nodes, status, stopped_by, voting_nodes};
use crate::table::TableArguments;
use exactree_model::{StoppedBy, Table};
use exactree_search::Clock;
use exactree_search::regression::class_costs::{ClassCosts, ShareCost};
use exactree_search::regression::error_pairs::{ErrorPair, ErrorPrices};
use exactree_search::regression::{Regression, RegressionExamples, RegressionRequest};
use exactree_search::support::statistics::{ProgressPoint, Stats};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The arguments of a search, copied out of Python.
pub struct ClassCostArguments {
    raw: TableArguments,
    costs: ClassCosts,
    pub request: RegressionRequest,
    /// The unit of cost is 2 to this power.
    pub exponent: i32,
}

impl ClassCostArguments {
    pub fn read(raw: TableArguments, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let kind: String = item(settings, "kind")?.extract()?;
        let ((costs, exponent), penalty) = match kind.as_str() {
            "matrix" => {
                let by_class = item(settings, "by_class")?.extract()?;
                let price = item(settings, "leaf_price")?.extract()?;
                ((ClassCosts::Matrix { by_class, price }, 0), 0.0)
            }
            _ => {
                let added: Vec<f64> = item(settings, "added")?.extract()?;
                let price: f64 = item(settings, "leaf_price")?.extract()?;
                let mut class_weights = vec![0; added.len()];
                for (&label, &weight) in raw.labels.iter().zip(&raw.weights) {
                    class_weights[label as usize] += weight as i64;
                }
                (ClassCosts::of_shares(shares(&kind)?, added, &class_weights, price), price)
            }
        };
        let request = request(settings, penalty)?;
        Ok(ClassCostArguments { raw, costs, request, exponent })
    }

    /// The unit of rounded costs in units of the weights; `None` for a matrix, whose costs are exact.
    pub fn unit(&self) -> Option<f64> {
        let rounded = !matches!(self.costs, ClassCosts::Matrix { .. });
        rounded.then(|| f64::from(self.exponent).exp2())
    }

    /// The examples; `None` if the clock stops before they are prepared.
    pub fn examples(&self, clock: &Clock<'_>) -> Option<RegressionExamples> {
        let (raw, costs) = (&self.raw, (self.costs.clone(), self.exponent));
        RegressionExamples::of_classes(
            clock,
            &raw.columns,
            &raw.labels,
            &raw.weights,
            costs,
            &self.request,
        )
    }

    /// Like `write`, for a search that was stopped before it began; `clock` is the reason of the stop
    /// and the seconds.
    pub fn write_leaf<'py>(
        &self,
        py: Python<'py>,
        clock: (Option<StoppedBy>, f64),
    ) -> PyResult<Bound<'py, PyDict>> {
        let result = write_leaf(py, self.raw.labels.len(), clock)?;
        result.set_item("slack", 0.0)?;
        result.set_item("exponent", self.exponent)?;
        Ok(result)
    }

    /// Writes status, lower bound, nodes of the tree, and statistics; costs in units of 2 to the
    /// exponent. A tree reported optimal may cost up to "slack" units more than the optimum.
    pub fn write<'py>(
        &self,
        py: Python<'py>,
        examples: &RegressionExamples,
        found: &Regression,
        curve: &[ProgressPoint],
    ) -> PyResult<Bound<'py, PyDict>> {
        let counted = counted(py, &examples.table, &found.stats)?;
        counted.set_item("first_incumbent", found.stats.first_incumbent)?;
        counted.set_item("progress", moments(curve))?;
        let result = write_proof(py, &examples.table, found, self.exponent)?;
        result.set_item("stats", counted)?;
        Ok(result)
    }
}

/// Writes status, lower bound and nodes of the tree; costs in units of 2 to the exponent.
pub fn write_proof<'py>(
    py: Python<'py>,
    table: &Table,
    found: &Regression,
    exponent: i32,
) -> PyResult<Bound<'py, PyDict>> {
    let outcome = &found.outcome;
    let result = PyDict::new(py);
    result.set_item("status", status(outcome.status))?;
    result.set_item("lower_bound", outcome.lower_bound)?;
    result.set_item("slack", found.slack)?;
    result.set_item("exponent", exponent)?;
    result.set_item("stopped_by", outcome.stopped_by.map(stopped_by))?;
    result.set_item("nodes", outcome.tree.as_ref().map(|tree| nodes(table, tree)))?;
    Ok(result)
}

/// Reads the arguments of `pairs_between`: the price of each kind of error, and two pairs.
pub fn read_pairs(settings: &Bound<'_, PyDict>) -> PyResult<(ErrorPrices, [(u64, u64); 2])> {
    let (false_positives, false_negatives) = item(settings, "prices")?.extract()?;
    let positive = item(settings, "positive")?.extract()?;
    let prices = ErrorPrices { positive, false_positives, false_negatives };
    Ok((prices, item(settings, "ends")?.extract()?))
}

/// Writes the pairs, each with the nodes of its tree and the classes of its leaves; no pairs if the
/// examples were not prepared in time.
pub fn write_pairs<'py>(
    py: Python<'py>,
    found: Option<(RegressionExamples, (Vec<ErrorPair>, Stats))>,
    stopped: Option<StoppedBy>,
) -> PyResult<Bound<'py, PyDict>> {
    let row = |table: &Table, pair: &ErrorPair| {
        let (nodes, classes) = voting_nodes(table, &pair.tree);
        (pair.false_positives, pair.false_negatives, nodes, classes)
    };
    let (pairs, stats) = match &found {
        Some((examples, (pairs, stats))) => {
            (pairs.iter().map(|pair| row(&examples.table, pair)).collect(), stats.clone())
        }
        None => (Vec::new(), Stats::default()),
    };
    let result = PyDict::new(py);
    result.set_item("pairs", pairs)?;
    result.set_item("nodes", stats.nodes)?;
    result.set_item("seconds", stats.seconds)?;
    result.set_item("stopped_by", stopped.map(stopped_by))?;
    Ok(result)
}

/// The cost of this name.
fn shares(kind: &str) -> Result<ShareCost, Refusal> {
    match kind {
        "log_loss" => Ok(ShareCost::LogLoss),
        "gini" => Ok(ShareCost::Gini),
        _ => Err(Refusal::unknown("class cost", kind)),
    }
}
