//! Look-ups in the cache of subproblems, and storing solutions in it.

use crate::engine::solution::{Bounds, Solution};
use crate::engine::space::{Search, Space};
use crate::support::bits::Bits;
use crate::support::cache::{CacheEntry, CacheHit};
use crate::support::mutants::{Mutant, offset};
use exactree_model::Limits;

impl<S: Space> Search<'_, S> {
    /// The cached solution of a subproblem, if the cache proves one; otherwise what it holds only
    /// tightens the bounds.
    pub(crate) fn cached(
        &mut self,
        key: &Bits,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> Option<Solution> {
        if !self.switches.cache || limits.leaf_only() {
            return None;
        }
        self.stats.cache_lookups += 1;
        let CacheHit { lower, tree } = self.cache.lookup(key, &limits)?;
        let lower = lower + offset(Mutant::CachedBounds) * (1 + lower / 8);
        if let Some((cost, tree)) = tree {
            bounds.improve(cost, tree);
        }
        // The cached bound holds for all trees, so also for those with an inner root.
        bounds.lower = bounds.lower.max(lower);
        if lower < bounds.upper {
            return None;
        }
        self.stats.cache_hits += 1;
        self.stats.pruned.cached_bounds += bounds.incumbent.is_none() as u64;
        Some(Solution { tree: bounds.incumbent.take(), ..Solution::with_lower(lower) })
    }

    /// Stores a solution in the cache and returns it.
    pub(crate) fn store(
        &mut self,
        key: &Bits,
        limits: Limits,
        solution: Solution,
        effort: u64,
    ) -> Solution {
        let exact = solution.tree.as_ref().is_some_and(|(cost, _)| *cost == solution.lower);
        if self.switches.cache && (exact || self.switches.cached_bounds) {
            let entry = CacheEntry { limits, lower: solution.lower, tree: solution.tree.clone() };
            self.cache.insert(key, entry, effort);
        }
        solution
    }
}
