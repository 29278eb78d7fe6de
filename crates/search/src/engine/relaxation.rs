//! Relaxation of the minimum leaf size: the same search without it, first.
//!
//! A tree whose leaves hold enough rows is also a tree without that minimum, so the relaxed cost is
//! a lower bound; and a relaxed optimum that satisfies the minimum is the optimum.

use crate::engine::search::ContinuousSearch;
use crate::engine::solution::{Bounds, Solution};
use crate::engine::subset::ContinuousSubset;
use crate::support::mutants::{Mutant, off};
use exactree_model::{Cost, Limits, Tree};

impl ContinuousSearch<'_> {
    /// The solution of a subset with a minimum leaf size, if the relaxed search solves it;
    /// otherwise the relaxed cost tightens the bounds.
    pub(crate) fn solved_by_relaxation(
        &mut self,
        subset: &ContinuousSubset,
        limits: Limits,
        upper: Cost,
        bounds: &mut Bounds,
    ) -> Option<Solution> {
        // The depth-two solvers use the relaxation themselves.
        let inside = limits.is_terminal() && self.options.depth_two;
        if limits.min_samples_leaf == 1 || !self.options.relaxation || inside {
            return None;
        }
        // Not the outermost call: a relaxed tree is no incumbent to report.
        self.open_calls += 1;
        let mut relaxed = self.solve(subset, limits.relaxed(), upper, None);
        self.open_calls -= 1;
        relaxed.lower += off(Mutant::Relaxation);
        bounds.lower = bounds.lower.max(relaxed.lower);
        let allowed = |tree: &Tree| self.least_rows(subset, tree) >= limits.min_samples_leaf;
        let exact = relaxed.tree.filter(|(cost, tree)| *cost == relaxed.lower && allowed(tree));
        if exact.is_none() && relaxed.lower < bounds.upper {
            return None;
        }
        self.stats.pruned.relaxation += 1;
        let solution =
            Solution { tree: exact.or(bounds.found.take()), ..Solution::at_least(relaxed.lower) };
        Some(self.store(subset, limits, solution, 1))
    }
}
