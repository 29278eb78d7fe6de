//! Methods for ensembles: their settings and results.

use crate::border::{EnsembleListResult, EnsembleResult, VotingTree};
use crate::refusal::Refusal;
use crate::request::{Resources, limit};
use crate::result::{add_table, status, stopped_by, voting_nodes};
use exactree_model::{Cost, Status, StoppedBy, Table, Weight};
use exactree_search::AllEnsemblesRequest;
use exactree_search::CoverOptions;
use exactree_search::{Clock, Progress, Refusal as SearchRefusal, SizeOptions};
use exactree_search::{CoverQuantity, CoverRequest, cover};
use exactree_search::{Ensemble, EnsembleOutcome, EnsembleQuantity, EnsembleRequest, Sizes};
use exactree_search::{EnsembleDpOptions, ensemble_dp};
use exactree_search::{EnsembleOptions, witness_ensemble};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Settings of the methods for ensembles.
#[derive(FromPyObject)]
pub(crate) struct EnsembleSettings {
    pub resources: Resources,
    n_trees: u32,
    quantities: Vec<String>,
    errors: Weight,
    #[pyo3(from_py_with = limit)]
    max_size: u32,
    #[pyo3(from_py_with = limit)]
    max_depth: u32,
    #[pyo3(from_py_with = limit)]
    max_total_size: u32,
    min_samples_leaf: u64,
    leaves: Vec<u32>,
    stop_at_gap: f64,
}

/// Settings of the list of all ensembles of given sizes.
#[derive(FromPyObject)]
pub(crate) struct EnsembleListSettings {
    pub resources: Resources,
    n_trees: u32,
    errors: Weight,
    #[pyo3(from_py_with = limit)]
    max_depth: u32,
    sizes: (u32, u32),
    max_count: usize,
}

/// A method and its request.
pub(crate) enum EnsembleSearch {
    Cover(CoverRequest),
    Subsets(EnsembleRequest, EnsembleDpOptions),
    Witness(EnsembleRequest, EnsembleOptions),
}

/// An outcome with its statistics.
pub(crate) struct FoundEnsemble {
    pub outcome: EnsembleOutcome,
    pub counts: Vec<(&'static str, u64)>,
    /// Search nodes by the sizes that were decided: total size, and size of the largest tree.
    pub by_size: Vec<((u32, u32), u64)>,
    pub first_incumbent: Option<Cost>,
    pub seconds: f64,
}

/// Name and description of every switch of a method.
pub(crate) fn accelerators(
    method: &str,
) -> Result<&'static [(&'static str, &'static str)], Refusal> {
    match method {
        "branch-and-bound" => Ok(CoverOptions::ALL),
        "subsets" => Ok(EnsembleDpOptions::ALL),
        "witness" => Ok(EnsembleOptions::ALL),
        _ => Err(Refusal::unknown("method", method)),
    }
}

impl EnsembleSearch {
    pub(crate) fn new(
        method: &str,
        settings: &EnsembleSettings,
    ) -> Result<EnsembleSearch, Refusal> {
        let resources = &settings.resources;
        Ok(match method {
            "branch-and-bound" => EnsembleSearch::Cover(settings.covering()?),
            "subsets" => EnsembleSearch::Subsets(
                settings.request()?,
                resources.options(EnsembleDpOptions::set)?,
            ),
            "witness" => EnsembleSearch::Witness(
                settings.request()?,
                resources.options(EnsembleOptions::set)?,
            ),
            _ => return Err(Refusal::unknown("method", method)),
        })
    }

    /// Runs the method; an error if the table is too large for it.
    pub(crate) fn run(
        &self,
        table: &Table,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Result<FoundEnsemble, SearchRefusal> {
        if !table.is_read() {
            return Ok(self.stopped_early(clock));
        }
        match self {
            EnsembleSearch::Cover(request) => {
                let (outcome, stats) = cover(table, request, clock, progress)?;
                Ok(FoundEnsemble {
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
                Ok(FoundEnsemble {
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
                Ok(FoundEnsemble {
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
    fn stopped_early(&self, clock: &Clock<'_>) -> FoundEnsemble {
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
        FoundEnsemble { outcome, counts, by_size, first_incumbent: None, seconds }
    }
}

impl EnsembleSettings {
    fn request(&self) -> Result<EnsembleRequest, Refusal> {
        let quantity = |name: &String| match name.as_str() {
            "total_size" => Ok(EnsembleQuantity::Total),
            "largest_size" => Ok(EnsembleQuantity::Largest),
            "total_depth" => Ok(EnsembleQuantity::TotalDepth),
            "largest_depth" => Ok(EnsembleQuantity::LargestDepth),
            "errors" => Ok(EnsembleQuantity::Errors),
            _ => Err(Refusal::unknown("quantity", name)),
        };
        Ok(EnsembleRequest {
            trees: self.n_trees,
            quantities: self.quantities.iter().map(quantity).collect::<Result<_, _>>()?,
            errors: self.errors,
            size: self.max_size,
            depth: self.max_depth,
            total: self.max_total_size,
            min_samples_leaf: self.min_samples_leaf,
            leaves: self.leaves.clone(),
            memory_limit: self.resources.cache_bytes(),
            stop_at_gap: self.stop_at_gap,
        })
    }

    fn covering(&self) -> Result<CoverRequest, Refusal> {
        let minimize = match self.quantities.iter().map(String::as_str).collect::<Vec<_>>()[..] {
            ["total_size"] => CoverQuantity::TotalSize,
            ["largest_size"] => CoverQuantity::LargestSize,
            ["total_depth"] => CoverQuantity::TotalDepth,
            ["largest_depth"] => CoverQuantity::LargestDepth,
            _ => return Err(Refusal::unknown("quantity", &self.quantities.join(", "))),
        };
        Ok(CoverRequest {
            trees: self.n_trees,
            minimize,
            size: self.max_size,
            depth: self.max_depth,
            total: self.max_total_size,
            memory_limit: self.resources.cache_bytes(),
            stop_at_gap: self.stop_at_gap,
            options: self.resources.options(CoverOptions::set)?,
            size_options: SizeOptions::default(),
        })
    }
}

impl EnsembleListSettings {
    pub(crate) fn request(&self) -> AllEnsemblesRequest {
        let (total, largest) = self.sizes;
        AllEnsemblesRequest {
            trees: self.n_trees,
            errors: self.errors,
            sizes: Sizes { total, largest },
            depth: self.max_depth,
            maximum: self.max_count,
            memory_limit: self.resources.cache_bytes(),
        }
    }
}

/// The result of a method.
pub(crate) fn result(
    py: Python<'_>,
    table: &Table,
    found: FoundEnsemble,
) -> PyResult<EnsembleResult> {
    let stats = PyDict::new(py);
    add_table(&stats, table)?;
    for (name, count) in &found.counts {
        stats.set_item(name, count)?;
    }
    if !found.by_size.is_empty() {
        stats.set_item("search_nodes_by_size", found.by_size)?;
    }
    stats.set_item("first_incumbent", found.first_incumbent)?;
    stats.set_item("seconds", found.seconds)?;
    let outcome = found.outcome;
    Ok(EnsembleResult {
        status: status(outcome.status),
        lower_bound: outcome.lower_bound,
        stopped_by: outcome.stopped_by.map(stopped_by),
        trees: outcome.ensemble.map(|trees| voting_trees(table, &trees)),
        stats: stats.unbind(),
    })
}

/// The nodes of every tree, and the classes that leaves predict.
fn voting_trees(table: &Table, ensemble: &Ensemble) -> Vec<VotingTree> {
    ensemble.iter().map(|tree| voting_nodes(table, tree)).collect()
}

/// The list of ensembles, and the reason of a stop.
pub(crate) fn list_result(
    table: &Table,
    (ensembles, complete): (Vec<Ensemble>, bool),
    stopped: Option<StoppedBy>,
) -> EnsembleListResult {
    let ensembles = ensembles.iter().map(|ensemble| voting_trees(table, ensemble)).collect();
    EnsembleListResult { ensembles, complete, stopped_by: stopped.map(stopped_by) }
}
