//! An early lower bound: the proof that no tree costs less than a small share of the incumbent.
//!
//! The lower bound of the whole table rises only once one child of every root threshold was
//! searched, and with five levels or more these searches are long. So the search runs twice: first
//! with that small share as upper bound, which takes a fraction of the time, then with the
//! incumbent. Both are the same search with different upper bounds, so the result needs no argument
//! of its own. The bounds by root threshold that the first run found hold in the second, as they do
//! for every superset (`inherited_bounds.rs`).

use crate::engine::search::ContinuousSearch;
use crate::engine::solution::Solution;
use crate::engine::subset::ContinuousSubset;
use crate::support::mutants::{Mutant, off};
use exactree_model::{Cost, Limits};

/// Least depth at which it saves time.
const LEVELS: u32 = 5;

/// The incumbent's cost is divided by this.
const SHARE: Cost = 16;

impl ContinuousSearch<'_> {
    /// The early bound of the whole table, for an incumbent of cost `upper`.
    pub(crate) fn early_bound(
        &mut self,
        whole: &ContinuousSubset,
        limits: Limits,
        upper: Cost,
    ) -> Solution {
        let share = upper / SHARE;
        if !self.options.early_bound || limits.depth < LEVELS || share == 0 {
            return Solution::at_least(0);
        }
        self.bounded(whole, limits, share)
    }

    /// The best tree if it costs less than `share`, or the proof that none does.
    pub(crate) fn bounded(
        &mut self,
        whole: &ContinuousSubset,
        limits: Limits,
        share: Cost,
    ) -> Solution {
        // Nothing beyond the requested bound is proved: the margin would cost the time to be saved.
        let margin = std::mem::replace(&mut self.margin, false);
        let mut solution = self.solve(whole, limits, share, None);
        self.margin = margin;
        solution.lower += off(Mutant::EarlyBound);
        solution
    }
}
