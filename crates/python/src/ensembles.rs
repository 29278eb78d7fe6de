//! Methods for ensembles: read their settings, write their outcome and statistics.

use crate::refusal::Refusal;
use crate::request::{item, limit, memory_limit, switches};
use crate::result::{NodeRow, status, stopped_by, voting_nodes};
use exactree_model::{Cost, Status, StoppedBy, Table};
use exactree_search::ensembles::cover::{CoverQuantity, CoverRequest, cover};
use exactree_search::ensembles::ensemble_dp::{EnsembleDpOptions, ensemble_dp};
use exactree_search::ensembles::witness_ensemble::enumeration::AllEnsemblesRequest;
use exactree_search::ensembles::witness_ensemble::{EnsembleOptions, witness_ensemble};
use exactree_search::ensembles::{
    Ensemble, EnsembleOutcome, EnsembleQuantity, EnsembleRequest, Sizes,
};
use exactree_search::support::options::CoverOptions;
use exactree_search::{Clock, Progress, Refusal as SearchRefusal, SizeOptions};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A method and its request.
pub enum EnsembleSearch {
    Cover(CoverRequest),
    Subsets(EnsembleRequest, EnsembleDpOptions),
    Witness(EnsembleRequest, EnsembleOptions),
}

/// An outcome with its statistics.
pub struct EnsembleResult {
    pub outcome: EnsembleOutcome,
    pub counts: Vec<(&'static str, u64)>,
    /// Search nodes by the sizes that were decided: total size, and size of the largest tree.
    pub by_size: Vec<((u32, u32), u64)>,
    pub first_incumbent: Option<Cost>,
    pub seconds: f64,
}

/// Name and description of every switch of a method.
pub fn accelerators(method: &str) -> Result<&'static [(&'static str, &'static str)], Refusal> {
    match method {
        "branch-and-bound" => Ok(CoverOptions::ALL),
        "subsets" => Ok(EnsembleDpOptions::ALL),
        "witness" => Ok(EnsembleOptions::ALL),
        _ => Err(Refusal::unknown("method", method)),
    }
}

impl EnsembleSearch {
    pub fn read(method: &str, settings: &Bound<'_, PyDict>) -> PyResult<EnsembleSearch> {
        let request = || read_request(settings);
        match method {
            "branch-and-bound" => Ok(EnsembleSearch::Cover(read_cover(settings)?)),
            "subsets" => {
                Ok(EnsembleSearch::Subsets(request()?, switches(settings, EnsembleDpOptions::set)?))
            }
            "witness" => {
                Ok(EnsembleSearch::Witness(request()?, switches(settings, EnsembleOptions::set)?))
            }
            _ => Err(Refusal::unknown("method", method).into()),
        }
    }

    /// Runs the method; an error if the table is too large for it.
    pub fn run(
        &self,
        table: &Table,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Result<EnsembleResult, SearchRefusal> {
        if !table.is_read() {
            return Ok(self.stopped_early(clock));
        }
        match self {
            EnsembleSearch::Cover(request) => {
                let (outcome, stats) = cover(table, request, clock, progress)?;
                Ok(EnsembleResult {
                    outcome,
                    counts: stats.list().to_vec(),
                    by_size: Vec::new(),
                    first_incumbent: stats.first_incumbent.map(Cost::from),
                    seconds: stats.seconds,
                })
            }
            EnsembleSearch::Subsets(request, options) => {
                let (outcome, stats) = ensemble_dp(table, request, options, clock, progress)?;
                let counts = vec![
                    ("labelings", stats.labelings),
                    ("dominated", stats.dominated),
                    ("entries", stats.entries),
                ];
                Ok(EnsembleResult {
                    outcome,
                    counts,
                    by_size: Vec::new(),
                    first_incumbent: stats.first_incumbent,
                    seconds: stats.seconds,
                })
            }
            EnsembleSearch::Witness(request, options) => {
                let (outcome, stats) = witness_ensemble(table, request, options, clock, progress)?;
                let mut counts = vec![
                    ("search_nodes", stats.search_nodes),
                    ("first_size", stats.first_size.into()),
                ];
                counts.extend(stats.pruned.list());
                Ok(EnsembleResult {
                    outcome,
                    counts,
                    by_size: stats.search_nodes_by_size,
                    first_incumbent: stats.first_incumbent,
                    seconds: stats.seconds,
                })
            }
        }
    }
}

impl EnsembleSearch {
    /// The result if the clock stopped before the table was read: no ensemble, lower bounds 0.
    fn stopped_early(&self, clock: &Clock<'_>) -> EnsembleResult {
        let quantities = match self {
            EnsembleSearch::Cover(_) => 1,
            EnsembleSearch::Subsets(request, _) | EnsembleSearch::Witness(request, _) => {
                request.quantities.len()
            }
        };
        let outcome = EnsembleOutcome {
            status: Status::Stopped,
            ensemble: None,
            lower_bound: vec![0; quantities],
            stopped_by: clock.stopped_by(),
        };
        let (counts, by_size, seconds) = (Vec::new(), Vec::new(), clock.seconds());
        EnsembleResult { outcome, counts, by_size, first_incumbent: None, seconds }
    }
}

fn read_request(settings: &Bound<'_, PyDict>) -> PyResult<EnsembleRequest> {
    let names: Vec<String> = item(settings, "quantities")?.extract()?;
    let quantity = |name: &String| match name.as_str() {
        "total_size" => Ok(EnsembleQuantity::Total),
        "largest_size" => Ok(EnsembleQuantity::Largest),
        "total_depth" => Ok(EnsembleQuantity::TotalDepth),
        "largest_depth" => Ok(EnsembleQuantity::LargestDepth),
        "errors" => Ok(EnsembleQuantity::Errors),
        _ => Err(Refusal::unknown("quantity", name)),
    };
    Ok(EnsembleRequest {
        trees: item(settings, "n_trees")?.extract()?,
        quantities: names.iter().map(quantity).collect::<Result<_, _>>()?,
        errors: item(settings, "errors")?.extract()?,
        size: limit(settings, "max_size")?,
        depth: limit(settings, "max_depth")?,
        total: limit(settings, "max_total_size")?,
        min_samples_leaf: item(settings, "min_samples_leaf")?.extract()?,
        leaves: item(settings, "leaves")?.extract()?,
        memory_limit: memory_limit(settings)?,
        stop_at_gap: item(settings, "stop_at_gap")?.extract()?,
    })
}

fn read_cover(settings: &Bound<'_, PyDict>) -> PyResult<CoverRequest> {
    let names: Vec<String> = item(settings, "quantities")?.extract()?;
    let minimize = match names.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["total_size"] => CoverQuantity::TotalSize,
        ["largest_size"] => CoverQuantity::LargestSize,
        ["total_depth"] => CoverQuantity::TotalDepth,
        ["largest_depth"] => CoverQuantity::LargestDepth,
        _ => return Err(Refusal::unknown("quantity", &names.join(", ")).into()),
    };
    Ok(CoverRequest {
        trees: item(settings, "n_trees")?.extract()?,
        minimize,
        size: limit(settings, "max_size")?,
        depth: limit(settings, "max_depth")?,
        total: limit(settings, "max_total_size")?,
        memory_limit: memory_limit(settings)?,
        stop_at_gap: item(settings, "stop_at_gap")?.extract()?,
        options: switches(settings, CoverOptions::set)?,
        size_options: SizeOptions::default(),
    })
}

/// Writes status, lower bound by quantity, nodes and leaf classes of every tree, and statistics.
pub fn write<'py>(
    py: Python<'py>,
    table: &Table,
    found: &EnsembleResult,
    stats: Bound<'py, PyDict>,
) -> PyResult<Bound<'py, PyDict>> {
    let outcome = &found.outcome;
    for (name, count) in &found.counts {
        stats.set_item(name, count)?;
    }
    if !found.by_size.is_empty() {
        stats.set_item("search_nodes_by_size", found.by_size.clone())?;
    }
    stats.set_item("first_incumbent", found.first_incumbent)?;
    stats.set_item("seconds", found.seconds)?;
    let result = PyDict::new(py);
    result.set_item("status", status(outcome.status))?;
    result.set_item("lower_bound", outcome.lower_bound.clone())?;
    result.set_item("stopped_by", outcome.stopped_by.map(stopped_by))?;
    let trees = outcome.ensemble.as_ref();
    result.set_item("trees", trees.map(|trees| voting_trees(table, trees)))?;
    result.set_item("stats", stats)?;
    Ok(result)
}

/// The nodes of every tree, and the classes that leaves predict.
fn voting_trees(table: &Table, ensemble: &Ensemble) -> Vec<(Vec<NodeRow>, Vec<i64>)> {
    ensemble.iter().map(|tree| voting_nodes(table, tree)).collect()
}

/// Reads the request for all ensembles of given sizes.
pub fn read_all(settings: &Bound<'_, PyDict>) -> PyResult<AllEnsemblesRequest> {
    let sizes: (u32, u32) = item(settings, "sizes")?.extract()?;
    Ok(AllEnsemblesRequest {
        trees: item(settings, "n_trees")?.extract()?,
        errors: item(settings, "errors")?.extract()?,
        sizes: Sizes { total: sizes.0, largest: sizes.1 },
        depth: limit(settings, "max_depth")?,
        maximum: item(settings, "max_count")?.extract()?,
        memory_limit: memory_limit(settings)?,
    })
}

/// Writes the trees of every ensemble, whether the list is complete, and the reason of a stop.
pub fn write_all<'py>(
    py: Python<'py>,
    table: &Table,
    (ensembles, complete): (Vec<Ensemble>, bool),
    stopped: Option<StoppedBy>,
) -> PyResult<Bound<'py, PyDict>> {
    let result = PyDict::new(py);
    let trees: Vec<_> = ensembles.iter().map(|ensemble| voting_trees(table, ensemble)).collect();
    result.set_item("ensembles", trees)?;
    result.set_item("complete", complete)?;
    result.set_item("stopped_by", stopped.map(stopped_by))?;
    Ok(result)
}
