//! An early lower bound: first proofs that no tree costs less than a small share of the incumbent's
//! cost.
//!
//! The lower bound of the whole table rises only once one child of every root threshold was
//! searched, and with four levels or more these searches are long. So the search first runs with
//! small shares of the incumbent's cost as upper bounds, each in a fraction of the time, then with
//! the incumbent. All runs are the same search with different upper bounds, so the results need no
//! argument of their own. The bounds by root threshold that one run found hold in the next, as they
//! do for every superset (`inherited_bounds.rs`).
//!
//! A small share is proved by few thresholds if both children of each reach it (`ChildUpper::Each`):
//! at depth 4 of eeg, with a share of 3 percent, a tenth of the time.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::solution::Solution;
use crate::engine::space::{ChildUpper, Search, Space, SubsetOf};
use crate::support::mutants::{Mutant, offset};
use exactree_model::{Cost, Limits};
use std::sync::Arc;

/// The shares are the incumbent's cost divided by these.
const SHARE_DIVISORS: [Cost; 2] = [16, 4];

impl<S: Space> Search<'_, S> {
    /// The early bound of the whole table, for an incumbent of cost `upper`, if trees may have
    /// `min_depth` levels or more.
    pub(crate) fn early_bound(
        &mut self,
        whole: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
        min_depth: u32,
    ) -> Solution {
        let mut early = Solution::with_lower(0);
        if !self.switches.early_bound || limits.depth < min_depth {
            return early;
        }
        for share in SHARE_DIVISORS.map(|divisor| upper / divisor) {
            if early.tree.is_none() && share > early.lower && !self.clock.stopped() {
                let by_threshold = early.by_threshold.take();
                let next = self.solve_below_share(whole, limits, share, by_threshold.as_ref());
                early = next.raised_to(early.lower);
            }
        }
        early
    }

    /// The best tree if it costs less than `share`, or the proof that none does.
    pub(crate) fn solve_below_share(
        &mut self,
        whole: &SubsetOf<S>,
        limits: Limits,
        share: Cost,
        inherited: Option<&Arc<InheritedBounds>>,
    ) -> Solution {
        let own = std::mem::replace(&mut self.child_upper, ChildUpper::Each);
        let mut solution = self.solve(whole, limits, share, inherited);
        self.child_upper = own;
        solution.lower += offset(Mutant::EarlyBound);
        solution
    }
}
