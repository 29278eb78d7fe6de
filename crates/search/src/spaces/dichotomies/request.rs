//! The request of a search over dichotomies, its switches, and its counts.

use crate::support::options::options;
use exactree_model::{Cost, Errors, Limits};

options! { ProperOptions {
    incumbent: "start from the best tree of two levels, and of two more below each leaf",
    depth_two: "count all rules below a rule at once if two levels are left (MurTree: Demirović et al., JMLR 2022)",
    similarity_bound: "bound a rule by the cost of a similar rule, less the examples on which they differ (Demirović et al., JMLR 2022, similarity; argument in spaces/dichotomies/bounds.rs)",
    upper_bound_margin: "solve children with a slightly greater upper bound than needed, for a stronger similarity bound",
    cache: "cache solutions and bounds of subsets, compared by their items",
    equivalent_points: "examples that no rule distinguishes share a leaf (argument in spaces/dichotomies/bounds.rs)",
    class_count: "a tree with fewer leaves than classes misclassifies the other classes (argument in spaces/dichotomies/bounds.rs)",
    relaxation: "bound a search with a minimum leaf size by a search without it (argument in spaces/dichotomies/bounds.rs)",
} }

/// The problem (objective, limits and quotas) and the resources of a search.
#[derive(Clone, Debug)]
pub struct ProperRequest {
    pub objective: Errors,
    pub limits: Limits,
    /// Classes with their limit on leaves.
    pub leaves: Vec<(u32, u32)>,
    /// Only trees that cost less are searched for.
    pub below: Cost,
    /// Soft limit on the bytes of the cache.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    pub options: ProperOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct ProperStats {
    /// Ways to split the whole table; opposite dichotomies count once.
    pub dichotomies: u64,
    /// Subsets searched.
    pub nodes: u64,
    /// Rules tried as root of a subset.
    pub roots: u64,
    pub cache_lookups: u64,
    pub cache_hits: u64,
    pub cache_entries: u64,
    pub cache_bytes: u64,
    pub cache_evicted: u64,
    pub pruned: DichotomyPruneCounts,
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

/// Pruned candidates, by the bound that pruned them.
#[derive(Clone, Debug, Default)]
pub struct DichotomyPruneCounts {
    /// Roots pruned by a similar root.
    pub similarity_bound: u64,
    /// Rules that equal another rule within a subset.
    pub equal_rules: u64,
    /// Subsets pruned by a bound.
    pub equivalent_points: u64,
    pub class_count: u64,
    /// Subsets whose cached lower bound sufficed.
    pub cached_bounds: u64,
    /// Subsets solved by the relaxed search, without the minimum leaf size or the limits on leaves
    /// of a class.
    pub relaxation: u64,
}

impl DichotomyPruneCounts {
    /// Name and count of every bound.
    pub fn list(&self) -> [(&'static str, u64); 6] {
        [
            ("similarity_bound", self.similarity_bound),
            ("equal_rules", self.equal_rules),
            ("equivalent_points", self.equivalent_points),
            ("class_count", self.class_count),
            ("cached_bounds", self.cached_bounds),
            ("relaxation", self.relaxation),
        ]
    }
}
