//! Relaxation: a subproblem with a minimum leaf size is first solved without it.
//!
//! Every tree that keeps the minimum leaf size is also a tree of the relaxed subproblem. So the
//! minimum cost of the relaxed subproblem is a lower bound, and a relaxed optimal tree that keeps
//! the minimum leaf size is optimal.

use crate::engine::search::ContinuousSearch;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::ContinuousSubset;
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits, Tree};

impl ContinuousSearch<'_> {
    /// The solution of a subproblem with a minimum leaf size, if the relaxed search provides it;
    /// otherwise the relaxed search only raises the lower bound.
    pub(crate) fn solved_by_relaxation(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        upper: Cost,
        bounds: &mut Bounds,
    ) -> Option<Solution> {
        // The depth-two solvers use the relaxation themselves.
        let relaxed_inside = limits.is_terminal() && self.options.depth_two;
        if limits.min_samples_leaf == 1 || !self.options.relaxation || relaxed_inside {
            return None;
        }
        // The relaxed search is not the outermost call: its trees are not reported as incumbents.
        self.open_calls += 1;
        let mut relaxed = self.solve(subset, limits.relaxed(), upper, None);
        self.open_calls -= 1;
        relaxed.lower += offset(Mutant::Relaxation);
        bounds.lower = bounds.lower.max(relaxed.lower);
        let allowed = |tree: &Tree| self.min_leaf_rows(subset, tree) >= limits.min_samples_leaf;
        let exact = relaxed.tree.filter(|(cost, tree)| *cost == relaxed.lower && allowed(tree));
        if exact.is_none() && relaxed.lower < bounds.upper {
            return None;
        }
        self.stats.pruned.relaxation += 1;
        let solution = Solution {
            tree: exact.or(bounds.incumbent.take()),
            ..Solution::with_lower(relaxed.lower)
        };
        Some(self.store(subset, limits, solution, 1))
    }
}
