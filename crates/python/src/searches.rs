//! The searches by name: read their settings, run, and return outcome and statistics.

use crate::constraints::ConstrainedRequest;
use crate::refusal::Refusal;
use crate::request::{item, limit, memory_limit, read_engine, switches};
use exactree_model::{Outcome, Table, UNBOUNDED, Weight};
use exactree_search::papers::box_dp::{BoxOptions, BoxRequest, box_dp};
use exactree_search::papers::subset_dp::{SubsetOptions, SubsetRequest, subset_dp};
use exactree_search::papers::support_sets::{
    SupportSetsOptions, SupportSetsRequest, TreeQuantity, support_sets,
};
use exactree_search::papers::threshold::{ThresholdOptions, ThresholdRequest, threshold};
use exactree_search::papers::witness::{WitnessOptions, WitnessRequest, witness};
use exactree_search::regression::RegressionOptions;
use exactree_search::spaces::dichotomies::ProperOptions;
use exactree_search::{Clock, Options, Progress, Request, SizeOptions, SizeRequest};
use exactree_search::{Refusal as SearchRefusal, SearchOutcome, minimum_size, solve};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// A search and its request.
pub enum SearchRequest {
    /// With true, the minimum leaf size is a weight.
    MinimumErrors(Request, Options, bool),
    ConstrainedErrors(Box<ConstrainedRequest>),
    MinimumSize(SizeRequest),
    Box(BoxRequest),
    Subsets(SubsetRequest),
    SupportSets(SupportSetsRequest),
    Threshold(ThresholdRequest),
    Witness(WitnessRequest),
}

/// Counts of a search by name.
pub type NamedCounts = Vec<(&'static str, u64)>;

/// An outcome with its statistics.
pub struct SearchResult {
    pub outcome: Outcome,
    pub counts: NamedCounts,
    /// Pruned candidates by bound, if the search counts them.
    pub pruned: Option<NamedCounts>,
    /// Search nodes by the size that was decided, if the search counts them.
    pub by_size: Option<Vec<(u32, u64)>>,
    /// Cost of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

impl SearchResult {
    /// The result if the clock stopped before the search began.
    fn stopped_early(clock: &Clock<'_>) -> SearchResult {
        SearchResult {
            outcome: Outcome::of(None, 0, UNBOUNDED, clock.stopped_by()),
            counts: Vec::new(),
            pruned: None,
            by_size: None,
            first_incumbent: None,
            seconds: clock.seconds(),
        }
    }
}

/// The result of a search, from its outcome, its statistics and the names of its counts.
macro_rules! found {
    ($outcome:expr, $stats:expr, [$($name:ident),* $(,)?]) => {{
        let stats = $stats;
        SearchResult {
            outcome: $outcome,
            counts: vec![$((stringify!($name), stats.$name)),*],
            pruned: None,
            by_size: None,
            first_incumbent: stats.first_incumbent.map(Into::into),
            seconds: stats.seconds,
        }
    }};
}

/// The result of the search for minimum cost.
pub fn result_of(solved: SearchOutcome) -> SearchResult {
    let SearchOutcome { outcome, stats } = solved;
    let pruned = Some(stats.pruned.list().to_vec());
    let found = found!(
        outcome,
        stats,
        [
            nodes,
            depth_two_calls,
            stump_evaluations,
            cache_entries,
            cache_lookups,
            cache_hits,
            cache_bytes,
            cache_evicted,
        ]
    );
    SearchResult { pruned, ..found }
}

/// Name and description of every switch of a search.
pub fn accelerators(name: &str) -> Result<&'static [(&'static str, &'static str)], Refusal> {
    match name {
        "minimum-errors" | "constrained-errors" => Ok(Options::ALL),
        "minimum-size" => Ok(SizeOptions::ALL),
        "box" => Ok(BoxOptions::ALL),
        "proper" => Ok(ProperOptions::ALL),
        "regression" => Ok(RegressionOptions::ALL),
        "subsets" => Ok(SubsetOptions::ALL),
        "support-sets" => Ok(SupportSetsOptions::ALL),
        "threshold" => Ok(ThresholdOptions::ALL),
        "witness" => Ok(WitnessOptions::ALL),
        _ => Err(Refusal::unknown("search", name)),
    }
}

impl SearchRequest {
    /// Reads settings that `exactree.engine` has checked; a missing key is a bug
    /// there and raises `KeyError`.
    pub fn read(name: &str, settings: &Bound<'_, PyDict>) -> PyResult<SearchRequest> {
        let size = || limit(settings, "max_size");
        let errors = || -> PyResult<Weight> { item(settings, "errors")?.extract() };
        let memory_limit = memory_limit(settings)?;
        match name {
            "minimum-errors" => {
                let options = switches(settings, Options::set)?;
                let mut request = read_engine(settings)?;
                let weight: Option<u64> = item(settings, "min_leaf_weight")?.extract()?;
                let limits = &mut request.limits;
                limits.min_samples_leaf = weight.unwrap_or(limits.min_samples_leaf);
                Ok(SearchRequest::MinimumErrors(request, options, weight.is_some()))
            }
            "constrained-errors" => {
                let request = ConstrainedRequest::read(settings)?;
                Ok(SearchRequest::ConstrainedErrors(Box::new(request)))
            }
            "minimum-size" => {
                let options = switches(settings, SizeOptions::set)?;
                let (depth, errors, size) = (limit(settings, "max_depth")?, errors()?, size()?);
                let leaves = item(settings, "leaves")?.extract()?;
                let nodes = u64::MAX;
                let request =
                    SizeRequest { depth, errors, size, leaves, nodes, memory_limit, options };
                Ok(SearchRequest::MinimumSize(request))
            }
            "box" => {
                let options = switches(settings, BoxOptions::set)?;
                Ok(SearchRequest::Box(BoxRequest { size: size()?, memory_limit, options }))
            }
            "subsets" => {
                let options = switches(settings, SubsetOptions::set)?;
                let (errors, size) = (errors()?, size()?);
                Ok(SearchRequest::Subsets(SubsetRequest { errors, size, memory_limit, options }))
            }
            "support-sets" => {
                let options = switches(settings, SupportSetsOptions::set)?;
                let quantity: String = item(settings, "minimize")?.extract()?;
                let (minimize, maximum) = match quantity.as_str() {
                    "depth" => (TreeQuantity::Depth, limit(settings, "max_depth")?),
                    _ => (TreeQuantity::Size, size()?),
                };
                let request = SupportSetsRequest { minimize, maximum, memory_limit, options };
                Ok(SearchRequest::SupportSets(request))
            }
            "threshold" => {
                let options = switches(settings, ThresholdOptions::set)?;
                let leaves: Vec<(u32, u32)> = item(settings, "leaves")?.extract()?;
                let (size, features) = (size()?, None);
                let request = ThresholdRequest { size, features, leaves, memory_limit, options };
                Ok(SearchRequest::Threshold(request))
            }
            "witness" => {
                let options = switches(settings, WitnessOptions::set)?;
                let (errors, size) = (errors()?, size()?);
                Ok(SearchRequest::Witness(WitnessRequest { errors, size, memory_limit, options }))
            }
            _ => Err(Refusal::unknown("search", name).into()),
        }
    }

    /// Whether the minimum leaf size is a weight.
    pub fn counts_weight(&self) -> bool {
        match self {
            SearchRequest::MinimumErrors(_, _, leaf_weights) => *leaf_weights,
            SearchRequest::ConstrainedErrors(request) => request.leaf_weights,
            _ => false,
        }
    }

    /// Runs the search; an error if the table is too large for it. If the table could not be read
    /// in time, only the search for minimum errors returns a tree.
    pub fn run(
        &self,
        table: &Table,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Result<SearchResult, SearchRefusal> {
        if !table.is_read() && !matches!(self, SearchRequest::MinimumErrors(..)) {
            return Ok(SearchResult::stopped_early(clock));
        }
        Ok(match self {
            SearchRequest::MinimumErrors(request, options, _) => {
                result_of(solve(table, request, options, *clock, progress))
            }
            SearchRequest::ConstrainedErrors(request) => {
                let found = request.run(table, *clock, progress);
                let choices = ("choices", found.stats.choices);
                let mut result = result_of(found);
                result.counts.push(choices);
                result
            }
            SearchRequest::MinimumSize(request) => {
                let (outcome, stats) = minimum_size(table, request, clock, progress)?;
                let pruned = Some(stats.pruned().to_vec());
                let found = found!(
                    outcome,
                    stats,
                    [nodes, cache_entries, cache_lookups, cache_hits, cache_bytes, cache_evicted]
                );
                SearchResult { pruned, ..found }
            }
            SearchRequest::Box(request) => {
                let (outcome, stats) = box_dp(table, request, clock, progress)?;
                found!(outcome, stats, [entries, filled, splits, empty_borders, inner_subsets])
            }
            SearchRequest::Subsets(request) => {
                let (outcome, stats) = subset_dp(table, request, clock, progress)?;
                found!(outcome, stats, [entries, filled, splits, inner_subsets, few_errors])
            }
            SearchRequest::SupportSets(request) => {
                let (outcome, stats) = support_sets(table, request, clock, progress)?;
                found!(
                    outcome,
                    stats,
                    [
                        differences,
                        support_sets,
                        larger_sets,
                        pairs,
                        find_th,
                        calls,
                        cache_entries,
                        cache_lookups,
                        cache_hits,
                        cache_evicted,
                        disjoint_differences,
                        empty_branching_sets,
                        small_branching_sets,
                        class_count,
                    ]
                )
            }
            SearchRequest::Threshold(request) => {
                let (outcome, stats) = threshold(table, request, clock, progress)?;
                found!(
                    outcome,
                    stats,
                    [
                        calls,
                        bisections,
                        cache_lookups,
                        cache_hits,
                        cache_entries,
                        cache_evicted,
                        class_count,
                        fewer_nodes,
                    ]
                )
            }
            SearchRequest::Witness(request) => {
                let (outcome, stats) = witness(table, request, clock, progress)?;
                let pruned = Some(stats.pruned.list().to_vec());
                let by_size = Some(stats.search_nodes_by_size.clone());
                let found = found!(
                    outcome,
                    stats,
                    [search_nodes, leaf_search_nodes, cached_subsets, cache_evicted, rules]
                );
                SearchResult { pruned, by_size, ..found }
            }
        })
    }
}
