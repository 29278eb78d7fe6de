//! The request of a search for fewest nodes, and the counts that it reports.

use crate::support::options::SizeOptions;
use exactree_model::Weight;

/// The limits and options of a search for fewest nodes.
#[derive(Clone, Debug)]
pub struct SizeRequest {
    pub depth: u32,
    /// Maximum weight that may be misclassified.
    pub errors: Weight,
    /// Maximum size; larger trees are not searched for.
    pub size: u32,
    /// Some classes, each with its maximum number of leaves; empty if errors are allowed.
    pub leaves: Vec<(u32, u32)>,
    /// Maximum number of subsets whose rules are tried; after that the search ends as if stopped.
    pub nodes: u64,
    /// Soft limit on the bytes of the cache.
    pub memory_limit: Option<usize>,
    /// Stop when (size − lower bound) / size is at most this; 0 for never.
    pub stop_at_gap: f64,
    pub options: SizeOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct SizeStats {
    /// Subsets whose rules were tried.
    pub nodes: u64,
    pub cache_lookups: u64,
    pub cache_hits: u64,
    pub cache_entries: u64,
    /// Bytes of the cache and of the subsets kept for comparison.
    pub cache_bytes: u64,
    /// Entries and subsets evicted to stay within the memory limit.
    pub cache_evicted: u64,
    /// Subsets decided by the verdict on one of their subsets or supersets.
    pub dominance: u64,
    /// Bisections for largest children shortened by the core of an infeasible subset.
    pub cores: u64,
    /// Bisections for largest children shortened by the superset of a feasible subset.
    pub widened_subsets: u64,
    /// Root rules not tried, since their remainder contains that of another rule.
    pub inclusion: u64,
    /// Number of decisions by the switch of the same name, here and in the next fields.
    pub even_splits: u64,
    pub pure_runs: u64,
    pub one_split_runs: u64,
    pub two_nodes: u64,
    pub unlike_pairs: u64,
    pub class_count: u64,
    /// First size searched, which is a lower bound by unlike pairs.
    pub pair_bound: u64,
    /// Number of nodes by which the first incumbent was improved.
    pub incumbent_improvement: u64,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

impl SizeStats {
    /// For every switch, its name and how often it took effect.
    pub fn pruned(&self) -> [(&'static str, u64); 13] {
        [
            ("cache", self.cache_hits),
            ("dominance", self.dominance),
            ("cores", self.cores),
            ("widened_subsets", self.widened_subsets),
            ("inclusion", self.inclusion),
            ("even_splits", self.even_splits),
            ("pure_runs", self.pure_runs),
            ("one_split_runs", self.one_split_runs),
            ("two_nodes", self.two_nodes),
            ("unlike_pairs", self.unlike_pairs),
            ("class_count", self.class_count),
            ("pair_bound", self.pair_bound),
            ("incumbent_improvement", self.incumbent_improvement),
        ]
    }
}
