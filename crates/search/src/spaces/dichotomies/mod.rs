//! Best trees over dichotomies: rules of any kind, each given as the rows that it sends left. The
//! fast form of `spec/proper.py`.
//!
//! He and Little, arXiv:2503.01455, choose K hyperplanes and search for their best tree. This
//! search recurses on subsets of the examples instead, and tries every way to split a subset. A
//! rule that splits a subset also splits the whole table, so all dichotomies are known at the
//! start, as columns of bits. `prepared_table.rs` has these columns, `subset.rs` their restriction
//! to a subset, `search.rs` the recursion, `depth_two.rs` the last two levels, `bounds.rs` the
//! lower bounds, `leaf_quotas.rs` limits on the leaves of a class.

mod bounds;
mod depth_two;
#[cfg(test)]
mod differential;
mod incumbent;
mod leaf_quotas;
mod prepared_table;
mod search;
mod simplify;
mod subset;

use crate::support::cache::Cache;
use crate::support::clock::Clock;
use crate::support::options::options;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Errors, Limits, Outcome, UNBOUNDED};

use prepared_table::DichotomyTable;
pub use prepared_table::{Dichotomies, DichotomyExamples};
use search::DichotomySearch;
use subset::DichotomySubset;

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

/// The best tree for some examples, or the best tree and lower bound within the time limit. A
/// node's feature is the number of its dichotomy; rows that it sends left have rank 0.
pub fn proper(
    dichotomies: &Dichotomies,
    examples: &DichotomyExamples,
    request: &ProperRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, ProperStats) {
    let with_rows = request.limits.min_samples_leaf > 1;
    let Some(prepared) = DichotomyTable::new(dichotomies, examples, with_rows, clock) else {
        let outcome = Outcome::of(None, 0, request.below, clock.stopped_by());
        return (outcome, ProperStats { seconds: clock.seconds(), ..ProperStats::default() });
    };
    let mut search = DichotomySearch::new(&prepared, request, *clock, progress);
    search.cache = Cache::new(request.memory_limit);
    let whole = DichotomySubset::whole(&prepared);
    let (limits, below) = (request.limits.normalised(), request.below.min(UNBOUNDED));
    let free = request.leaves.is_empty();
    let incumbent = (request.options.incumbent && free && limits.depth > 2).then(|| {
        // The subproblems of the incumbent are not the whole problem, so they are not reported.
        search.open_calls += 1;
        let incumbent = search.incumbent(&whole, limits);
        search.open_calls -= 1;
        search.stats.first_incumbent = Some(incumbent.0);
        incumbent
    });
    let incumbent = incumbent.filter(|(cost, _)| *cost < below);
    let upper = incumbent.as_ref().map_or(below, |(cost, _)| *cost);
    progress.report(incumbent.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost), 0);
    let solution = match free {
        true => search.solve(&whole, limits, upper),
        false => search.best_with_quotas(&whole, limits, &request.leaves, upper),
    };
    let found = solution.tree.or(incumbent).map(|(cost, tree)| match free {
        true => search.simplified(&whole.members, &tree),
        false => (cost, tree),
    });
    let found = found.map(|(cost, tree)| (cost, search.in_table_dichotomies(&tree)));
    let mut stats = search.stats;
    stats.dichotomies = prepared.kept.len() as u64;
    stats.cache_entries = search.cache.len() as u64;
    stats.cache_bytes = search.cache.bytes() as u64;
    stats.cache_evicted = search.cache.evicted;
    stats.seconds = clock.seconds();
    (Outcome::of(found, solution.lower, request.below, clock.stopped_by()), stats)
}
