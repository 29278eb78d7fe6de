//! The papers' own methods for the least size: settings in, outcome and counts out.

use crate::request::{count, item, size_limit, turn};
use exactree_model::{Outcome, Table, Weight};
use exactree_search::box_dp::{BoxOptions, BoxRequest, box_dp};
use exactree_search::subset_dp::{SubsetOptions, SubsetRequest, subset_dp};
use exactree_search::threshold::{ThresholdOptions, ThresholdRequest, threshold};
use exactree_search::witness::{WitnessOptions, WitnessRequest, witness};
use exactree_search::{Clock, Progress};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A method and what it is asked.
pub enum Asked {
    Box(BoxRequest),
    Subsets(SubsetRequest),
    Threshold(ThresholdRequest),
    Witness(WitnessRequest),
}

/// An outcome, its counts by name, and the size of the first incumbent.
pub struct Found {
    pub outcome: Outcome,
    pub counts: Vec<(&'static str, u64)>,
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

fn no_method(name: &str) -> PyErr {
    PyValueError::new_err(format!("there is no method named {name:?}"))
}

impl Asked {
    pub fn read(method: &str, settings: &Bound<'_, PyDict>) -> PyResult<Asked> {
        let size = size_limit(settings, "max_size")?;
        let memory_limit = count(settings, "memory_limit")?.map(|bytes| bytes as usize);
        match method {
            "box" => {
                let mut options = BoxOptions::default();
                turn(settings, |name, on| options.set(name, on))?;
                Ok(Asked::Box(BoxRequest { size, memory_limit, options }))
            }
            "subsets" => {
                let errors: Weight = item(settings, "errors")?.extract()?;
                let mut options = SubsetOptions::default();
                turn(settings, |name, on| options.set(name, on))?;
                Ok(Asked::Subsets(SubsetRequest { errors, size, memory_limit, options }))
            }
            "threshold" => {
                let leaves: Vec<(u32, u32)> = item(settings, "leaves")?.extract()?;
                let mut options = ThresholdOptions::default();
                turn(settings, |name, on| options.set(name, on))?;
                let features = None;
                let request = ThresholdRequest { size, features, leaves, memory_limit, options };
                Ok(Asked::Threshold(request))
            }
            "witness" => {
                let errors: Weight = item(settings, "errors")?.extract()?;
                let mut options = WitnessOptions::default();
                turn(settings, |name, on| options.set(name, on))?;
                Ok(Asked::Witness(WitnessRequest { errors, size, memory_limit, options }))
            }
            _ => Err(no_method(method)),
        }
    }

    /// Name and reason of every switch of a method.
    pub fn accelerators(method: &str) -> PyResult<Vec<(&'static str, &'static str)>> {
        match method {
            "box" => Ok(BoxOptions::ALL.to_vec()),
            "subsets" => Ok(SubsetOptions::ALL.to_vec()),
            "threshold" => Ok(ThresholdOptions::ALL.to_vec()),
            "witness" => Ok(WitnessOptions::ALL.to_vec()),
            _ => Err(no_method(method)),
        }
    }

    /// Runs the method; an error says why the table is too large for it.
    pub fn run(
        &self,
        table: &Table,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Result<Found, String> {
        match self {
            Asked::Box(request) => {
                let (outcome, stats) = box_dp(table, request, clock, progress)?;
                let counts = vec![
                    ("entries", stats.entries),
                    ("filled", stats.filled),
                    ("divisions", stats.divisions),
                    ("borders", stats.borders),
                    ("inner_boxes", stats.inner_boxes),
                ];
                let (first_incumbent, seconds) = (stats.first_incumbent, stats.seconds);
                Ok(Found { outcome, counts, first_incumbent, seconds })
            }
            Asked::Subsets(request) => {
                let (outcome, stats) = subset_dp(table, request, clock, progress)?;
                let counts = vec![
                    ("entries", stats.entries),
                    ("filled", stats.filled),
                    ("divisions", stats.divisions),
                    ("inner_sets", stats.inner_sets),
                    ("few_errors", stats.few_errors),
                ];
                let (first_incumbent, seconds) = (stats.first_incumbent, stats.seconds);
                Ok(Found { outcome, counts, first_incumbent, seconds })
            }
            Asked::Threshold(request) => {
                let (outcome, stats) = threshold(table, request, clock, progress)?;
                let counts = vec![
                    ("calls", stats.calls),
                    ("bisections", stats.bisections),
                    ("memo_lookups", stats.memo_lookups),
                    ("memo_hits", stats.memo_hits),
                    ("memo_entries", stats.memo_entries),
                    ("memo_evicted", stats.memo_evicted),
                ];
                let (first_incumbent, seconds) = (stats.first_incumbent, stats.seconds);
                Ok(Found { outcome, counts, first_incumbent, seconds })
            }
            Asked::Witness(request) => {
                let (outcome, stats) = witness(table, request, clock, progress)?;
                let mut counts = vec![
                    ("search_nodes", stats.search_nodes),
                    ("leaf_search_nodes", stats.leaf_search_nodes),
                    ("cached_sets", stats.cached_sets),
                    ("cache_evicted", stats.cache_evicted),
                    ("rules", stats.rules),
                ];
                counts.extend(stats.discards.list());
                let first_incumbent = stats.first_incumbent.map(u64::from);
                Ok(Found { outcome, counts, first_incumbent, seconds: stats.seconds })
            }
        }
    }
}
