//! Relaxed subproblems as bounds: without the minimum leaf size, or without the limits on leaves of a
//! class.
//!
//! A tree that satisfies a limit is also a tree without that limit. So a lower bound without the limit
//! holds with it, and an optimal tree of the relaxed subproblem that satisfies the limit is optimal.

use super::error_space::DichotomySearch;
use super::leaf_quotas::keeps_quotas;
use super::subset::DichotomySubset;
use crate::engine::solution::Bounds;
use exactree_model::{Limits, Tree};

impl DichotomySearch<'_, '_> {
    /// Whether the search without the minimum leaf size solves a subproblem.
    pub(crate) fn solved_without_minimum(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        self.solved_by_relaxation((subset, limits.relaxed()), bounds, |search, tree| {
            search.min_leaf_rows(subset, tree) >= limits.min_samples_leaf
        })
    }

    /// Whether the search without leaf quotas solves a subproblem.
    pub(crate) fn solved_without_quotas(
        &mut self,
        subset: &DichotomySubset,
        limits: Limits,
        bounds: &mut Bounds,
    ) -> bool {
        let free = subset.clone().with_quotas(Vec::new());
        self.solved_by_relaxation((&free, limits), bounds, |_, tree| {
            keeps_quotas(&subset.quotas, tree)
        })
    }

    /// Whether a relaxed subproblem solves the subproblem whose trees also `keep` a further limit.
    /// Raises the lower bound in `bounds`.
    fn solved_by_relaxation(
        &mut self,
        (subset, limits): (&DichotomySubset, Limits),
        bounds: &mut Bounds,
        keep: impl FnOnce(&Self, &Tree) -> bool,
    ) -> bool {
        // Relaxed trees are no incumbents and are not reported.
        self.open_calls += 1;
        let solution = self.solve(subset, limits, bounds.upper, None);
        self.open_calls -= 1;
        if let Some((cost, tree)) = solution.tree
            && keep(self, &tree)
        {
            bounds.improve(cost, tree);
        }
        bounds.lower = bounds.lower.max(solution.lower);
        let solved = bounds.lower >= bounds.upper;
        self.stats.pruned.relaxation += u64::from(solved);
        solved
    }
}
