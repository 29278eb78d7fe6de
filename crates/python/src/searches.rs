//! The searches by name: read their settings, run, and return outcome and statistics.

use crate::refusal::Refusal;
use crate::request::{CostSettings, Resources, limit};
use exactree_model::{Outcome, Table, UNBOUNDED, Weight};
use exactree_search::CostOptions;
use exactree_search::ProperOptions;
use exactree_search::{BoxOptions, BoxRequest, box_dp};
use exactree_search::{Clock, Options, Progress, Request, SizeOptions, SizeRequest};
use exactree_search::{Refusal as SearchRefusal, SearchOutcome, minimum_size};
use exactree_search::{SubsetOptions, SubsetRequest, subset_dp};
use exactree_search::{SupportSetsOptions, SupportSetsRequest, TreeQuantity, support_sets};
use exactree_search::{ThresholdOptions, ThresholdRequest, threshold};
use exactree_search::{WitnessOptions, WitnessRequest, witness};
use pyo3::prelude::*;

/// Settings of the search for minimum errors; `min_leaf_weight` replaces the minimum leaf size.
#[derive(FromPyObject)]
pub(crate) struct ErrorSettings {
    pub costs: CostSettings,
    min_leaf_weight: Option<u64>,
}

/// Settings of the search for fewest nodes.
#[derive(FromPyObject)]
pub(crate) struct SizeSettings {
    pub resources: Resources,
    #[pyo3(from_py_with = limit)]
    max_depth: u32,
    #[pyo3(from_py_with = limit)]
    max_size: u32,
    errors: Weight,
    /// Pairs of a class and its maximum number of leaves.
    leaves: Vec<(u32, u32)>,
    stop_at_gap: f64,
}

/// Settings of the papers' methods; "minimize" is "size" or "depth".
#[derive(FromPyObject)]
pub(crate) struct PaperSettings {
    pub size: SizeSettings,
    minimize: String,
}

/// A search and its request.
pub(crate) enum SearchRequest {
    MinimumSize(SizeRequest),
    Box(BoxRequest),
    Subsets(SubsetRequest),
    SupportSets(SupportSetsRequest),
    Threshold(ThresholdRequest),
    Witness(WitnessRequest),
}

/// Counts of a search by name.
pub(crate) type NamedCounts = Vec<(&'static str, u64)>;

/// An outcome with its statistics.
pub(crate) struct Found {
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

impl Found {
    /// The result if the clock stopped before the search began.
    pub(crate) fn stopped_early(clock: &Clock<'_>) -> Found {
        Found {
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
        Found {
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
pub(crate) fn found_by(solved: SearchOutcome) -> Found {
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
    Found { pruned, ..found }
}

/// Name and description of a switch.
type Accelerator = (&'static str, &'static str);

/// Name and description of every switch of a search.
pub(crate) fn accelerators(name: &str) -> Result<Vec<Accelerator>, Refusal> {
    let without = |all: &[Accelerator], names: &[&str]| {
        all.iter().copied().filter(|(name, _)| !names.contains(name)).collect::<Vec<_>>()
    };
    Ok(match name {
        "minimum-errors" | "constrained-errors" => Options::ALL.to_vec(),
        "minimum-size" => SizeOptions::ALL.to_vec(),
        "box" => BoxOptions::ALL.to_vec(),
        "proper" => ProperOptions::ALL.to_vec(),
        "regression" => without(CostOptions::ALL, &["relaxation"]),
        "constrained-costs" => {
            without(CostOptions::ALL, &["bit_columns", "depth_three", "equal_features"])
        }
        "subsets" => SubsetOptions::ALL.to_vec(),
        "support-sets" => SupportSetsOptions::ALL.to_vec(),
        "threshold" => ThresholdOptions::ALL.to_vec(),
        "witness" => WitnessOptions::ALL.to_vec(),
        _ => return Err(Refusal::unknown("search", name)),
    })
}

impl ErrorSettings {
    /// The request and the switches; with true, the minimum leaf size is a weight.
    pub(crate) fn request(&self) -> Result<(Request, Options, bool), Refusal> {
        let options = self.costs.search.resources.options(Options::set)?;
        let mut request = self.costs.request();
        let limits = &mut request.limits;
        limits.min_samples_leaf = self.min_leaf_weight.unwrap_or(limits.min_samples_leaf);
        Ok((request, options, self.min_leaf_weight.is_some()))
    }
}

impl SizeSettings {
    /// The request for the fewest nodes.
    pub(crate) fn request(&self) -> Result<SearchRequest, Refusal> {
        Ok(SearchRequest::MinimumSize(SizeRequest {
            depth: self.max_depth,
            errors: self.errors,
            size: self.max_size,
            leaves: self.leaves.clone(),
            nodes: u64::MAX,
            memory_limit: self.resources.cache_bytes(),
            stop_at_gap: self.stop_at_gap,
            options: self.resources.options(SizeOptions::set)?,
        }))
    }
}

impl PaperSettings {
    /// The request for a paper's own method.
    pub(crate) fn request(&self, method: &str) -> Result<SearchRequest, Refusal> {
        let PaperSettings { size: settings, minimize } = self;
        let (errors, size, resources) = (settings.errors, settings.max_size, &settings.resources);
        let memory_limit = resources.cache_bytes();
        Ok(match method {
            "box" => {
                let options = resources.options(BoxOptions::set)?;
                SearchRequest::Box(BoxRequest { size, memory_limit, options })
            }
            "subsets" => {
                let options = resources.options(SubsetOptions::set)?;
                SearchRequest::Subsets(SubsetRequest { errors, size, memory_limit, options })
            }
            "support-sets" => {
                let (minimize, maximum) = match minimize.as_str() {
                    "depth" => (TreeQuantity::Depth, settings.max_depth),
                    "size" => (TreeQuantity::Size, size),
                    _ => return Err(Refusal::unknown("quantity", minimize)),
                };
                let options = resources.options(SupportSetsOptions::set)?;
                let request = SupportSetsRequest { minimize, maximum, memory_limit, options };
                SearchRequest::SupportSets(request)
            }
            "threshold" => {
                let options = resources.options(ThresholdOptions::set)?;
                let (leaves, features) = (settings.leaves.clone(), None);
                let request = ThresholdRequest { size, features, leaves, memory_limit, options };
                SearchRequest::Threshold(request)
            }
            "witness" => {
                let options = resources.options(WitnessOptions::set)?;
                SearchRequest::Witness(WitnessRequest { errors, size, memory_limit, options })
            }
            _ => return Err(Refusal::unknown("method", method)),
        })
    }
}

impl SearchRequest {
    /// Runs the search; an error if the table is too large for it. There is no tree if the table
    /// could not be read in time.
    pub(crate) fn run(
        &self,
        table: &Table,
        clock: &Clock<'_>,
        progress: &Progress,
    ) -> Result<Found, SearchRefusal> {
        if !table.is_read() {
            return Ok(Found::stopped_early(clock));
        }
        Ok(match self {
            SearchRequest::MinimumSize(request) => {
                let (outcome, stats) = minimum_size(table, request, clock, progress)?;
                let pruned = Some(stats.pruned().to_vec());
                let found = found!(
                    outcome,
                    stats,
                    [nodes, cache_entries, cache_lookups, cache_hits, cache_bytes, cache_evicted]
                );
                Found { pruned, ..found }
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
                Found { pruned, by_size, ..found }
            }
        })
    }
}
