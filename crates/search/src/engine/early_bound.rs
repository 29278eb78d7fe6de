//! An early lower bound: first a proof that no tree costs less than a small share of the
//! incumbent's cost.
//!
//! The lower bound of the whole table rises only once one child of every root threshold was
//! searched, and with five levels or more these searches are long. So the search runs twice: first
//! with that small share as upper bound, which takes a fraction of the time, then with the
//! incumbent. Both are the same search with different upper bounds, so the result needs no argument
//! of its own. The bounds by root threshold that the first run found hold in the second, as they do
//! for every superset (`inherited_bounds.rs`).

use crate::engine::solution::Solution;
use crate::engine::space::{Search, Space, SubsetOf};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits};

/// Minimum depth at which the early bound saves time.
const MIN_DEPTH: u32 = 5;

/// The share is the incumbent's cost divided by this.
const SHARE_DIVISOR: Cost = 16;

impl<S: Space> Search<'_, S> {
    /// The early bound of the whole table, for an incumbent of cost `upper`.
    pub(crate) fn early_bound(
        &mut self,
        whole: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
    ) -> Solution {
        let share = upper / SHARE_DIVISOR;
        if !self.switches.early_bound || limits.depth < MIN_DEPTH || share == 0 {
            return Solution::with_lower(0);
        }
        self.solve_below_share(whole, limits, share)
    }

    /// The best tree if it costs less than `share`, or the proof that none does.
    pub(crate) fn solve_below_share(
        &mut self,
        whole: &SubsetOf<S>,
        limits: Limits,
        share: Cost,
    ) -> Solution {
        // No margin: solving children beyond the requested bound would cost the time to be saved.
        let margin = std::mem::replace(&mut self.margin, false);
        let mut solution = self.solve(whole, limits, share, None);
        self.margin = margin;
        solution.lower += offset(Mutant::EarlyBound);
        solution
    }
}
