//! The request of a search over dichotomies, its switches, and its counts.

use crate::support::options::options;
use crate::support::statistics::Stats;
use exactree_model::{Cost, Errors, Limits};

options! { ProperOptions {
    incumbent: "start from the best tree of two levels, and of two more below each leaf",
    depth_two: "count all rules below a rule at once if two levels are left (MurTree: Demirović et al., JMLR 2022)",
    similarity_bound: "bound a rule by the cost of a similar rule, less the examples on which they differ (Demirović et al., JMLR 2022, similarity; argument in engine/columns.rs)",
    upper_bound_margin: "solve children with a slightly greater upper bound than needed, for a stronger similarity bound",
    cache: "cache solutions and bounds of subsets, compared by their items",
    equivalent_points: "examples that no rule distinguishes share a leaf (argument in engine/bounds.rs)",
    class_count: "a tree with fewer leaves than classes misclassifies the other classes (argument in engine/bounds.rs)",
    relaxation: "bound a search with a minimum leaf size by a search without it (argument in spaces/dichotomies/relaxation.rs)",
} }

/// The problem (objective, limits and quotas) and the resources of a search.
#[derive(Clone, Debug)]
pub struct ProperRequest {
    pub objective: Errors,
    pub limits: Limits,
    /// Some classes with their maximum number of leaves.
    pub leaves: Vec<(u32, u32)>,
    /// Only trees that cost less are searched for.
    pub below: Cost,
    /// Soft limit on the bytes of the cache.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    /// Number of threads, at least 1.
    pub threads: usize,
    pub options: ProperOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct ProperStats {
    /// Ways to split the whole table; opposite dichotomies count once.
    pub dichotomies: u64,
    pub search: Stats,
}

impl ProperStats {
    /// For every bound, its name and how often it pruned.
    pub fn pruned(&self) -> [(&'static str, u64); 6] {
        let pruned = &self.search.pruned;
        [
            ("similarity_bound", pruned.similarity_bound),
            ("equal_rules", pruned.equal_rules),
            ("equivalent_points", pruned.equivalent_points),
            ("class_count", pruned.class_count),
            ("cached_bounds", pruned.cached_bounds),
            ("relaxation", pruned.relaxation),
        ]
    }
}
