//! The search for least costs of classes: settings in, outcome and counts out, in integers.

use crate::regression::{counted, request};
use crate::request::item;
use crate::result::{moments, nodes, status, stopped_by, voting_nodes};
use crate::table::GivenTable;
use exactree_model::StoppedBy;
use exactree_search::regression::class_costs::{ClassCosts, Shares};
use exactree_search::regression::pairs::{Pair, Prices};
use exactree_search::regression::{Examples, Regression, RegressionRequest};
use exactree_search::tracer::{Moment, Stats};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The arguments of a search, copied out of Python.
pub struct Given {
    pub examples: Examples,
    pub request: RegressionRequest,
    /// A unit of cost is 2 to this.
    exponent: i32,
}

impl Given {
    pub fn read(raw: GivenTable, settings: &Bound<'_, PyDict>) -> PyResult<Self> {
        let kind: String = item(settings, "kind")?.extract()?;
        let (costs, penalty) = match kind.as_str() {
            "matrix" => {
                let by_class = item(settings, "by_class")?.extract()?;
                let price = item(settings, "leaf_price")?.extract()?;
                ((ClassCosts::Matrix { by_class, price }, 0), 0.0)
            }
            _ => {
                let added: Vec<f64> = item(settings, "added")?.extract()?;
                let price: f64 = item(settings, "leaf_price")?.extract()?;
                let mut whole = vec![0; added.len()];
                for (&label, &weight) in raw.labels.iter().zip(&raw.weights) {
                    whole[label as usize] += weight as i64;
                }
                (ClassCosts::of_shares(shares(&kind)?, added, &whole, price), price)
            }
        };
        let request = request(settings, penalty)?;
        let exponent = costs.1;
        let examples = settings.py().detach(|| {
            Examples::of_classes(&raw.columns, &raw.labels, &raw.weights, costs, &request)
        });
        Ok(Given { examples, request, exponent })
    }

    /// Status, cost, lower bound, nodes of the tree, and counts; costs in units of 2 to the
    /// exponent. What is called best may be off by so many units as "slack" says.
    pub fn write<'py>(
        &self,
        py: Python<'py>,
        found: &Regression,
        curve: &[Moment],
    ) -> PyResult<Bound<'py, PyDict>> {
        let (outcome, table) = (&found.outcome, &self.examples.table);
        let counted = counted(py, &self.examples, found)?;
        counted.set_item("first_incumbent", found.stats.first_incumbent)?;
        counted.set_item("progress", moments(curve))?;
        let result = PyDict::new(py);
        result.set_item("status", status(outcome.status))?;
        result.set_item("lower_bound", outcome.lower_bound)?;
        result.set_item("slack", found.slack)?;
        result.set_item("exponent", self.exponent)?;
        result.set_item("stopped_by", outcome.stopped_by.map(stopped_by))?;
        result.set_item("nodes", outcome.tree.as_ref().map(|tree| nodes(table, tree)))?;
        result.set_item("stats", counted)?;
        Ok(result)
    }
}

/// What `pairs_between` is asked: the price of each kind of errors, and two pairs.
pub fn read_pairs(settings: &Bound<'_, PyDict>) -> PyResult<(Prices, [(u64, u64); 2])> {
    let (false_positives, false_negatives) = item(settings, "prices")?.extract()?;
    let positive = item(settings, "positive")?.extract()?;
    let prices = Prices { positive, false_positives, false_negatives };
    Ok((prices, item(settings, "ends")?.extract()?))
}

/// The pairs, each with the nodes of its tree and the classes of the leaves.
pub fn write_pairs<'py>(
    py: Python<'py>,
    examples: &Examples,
    found: &(Vec<Pair>, Stats),
    stopped: Option<StoppedBy>,
) -> PyResult<Bound<'py, PyDict>> {
    let row = |pair: &Pair| {
        let (nodes, classes) = voting_nodes(&examples.table, &pair.tree);
        (pair.false_positives, pair.false_negatives, nodes, classes)
    };
    let result = PyDict::new(py);
    result.set_item("pairs", found.0.iter().map(row).collect::<Vec<_>>())?;
    result.set_item("nodes", found.1.nodes)?;
    result.set_item("seconds", found.1.seconds)?;
    result.set_item("stopped_by", stopped.map(stopped_by))?;
    Ok(result)
}

fn shares(kind: &str) -> PyResult<Shares> {
    match kind {
        "log_loss" => Ok(Shares::LogLoss),
        "gini" => Ok(Shares::Gini),
        _ => Err(PyValueError::new_err(format!("there is no {kind:?}"))),
    }
}
