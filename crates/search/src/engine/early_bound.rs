//! An early lower bound: first proofs that no tree costs less than a small share of the incumbent's
//! cost.
//!
//! The lower bound of the whole table rises only once one child of every root threshold was
//! searched, and with four levels or more these searches are long. So the search first runs with
//! growing shares of the incumbent's cost as upper bounds, then with the incumbent. All runs are the
//! same search with different upper bounds, so the results need no argument of their own. The bounds
//! by root threshold that one run found hold in the next, as they do for every superset
//! (`inherited_bounds.rs`).
//!
//! A small share is proved by few thresholds if both children of each reach it (`ChildUpper::Each`).
//! At depth 4 of eeg, with one thread, a sixteenth of the incumbent takes 6 s, a quarter
//! 22 s and a half 69 s; without the early bound the lower bound is 18 of 3,089 after 40 s.
//!
//! For a search that takes less than a second, these proofs are a third of the time. `in_stages`
//! first gives such searches `SHORT` without them; the next stage keeps the cache.

use crate::engine::inherited_bounds::InheritedBounds;
use crate::engine::open_splits::ChildUpper;
use crate::engine::solution::Solution;
use crate::engine::space::{Search, Space, SubsetOf};
use crate::support::clock::{Clock, StopSwitch};
use crate::support::mutants::{Mutant, offset};
use crate::support::statistics::Stats;
use exactree_model::{Cost, Limits, StoppedBy};
use std::sync::Arc;
use std::time::Duration;

/// The shares of the incumbent's cost, in sixteenths. Each share after the first is proved only if
/// the proof of the one before took at least `LONG_PROOF` seconds: then the search itself takes long,
/// and the share is a small part of it.
const SIXTEENTHS: [Cost; 4] = [1, 4, 8, 12];
const LONG_PROOF: f64 = if cfg!(test) { 0.0 } else { 0.5 };

/// Duration of the stage without an early bound; in tests it stops as it begins.
const SHORT: Duration = Duration::from_millis(if cfg!(test) { 0 } else { 500 });

/// Runs a search whose early bound pays if it takes long: one stage without an early bound, and one
/// with it if the first stage took `SHORT`. Another search has one stage. A stage gets a clock, the
/// tree and the lower bound known so far, and whether to begin with the early bound.
pub(crate) fn in_stages(
    clock: &Clock<'_>,
    pays: bool,
    known: Solution,
    stage: &impl Fn(&Clock<'_>, Solution, bool) -> (Solution, Stats),
) -> (Solution, Stats) {
    if !pays {
        return stage(clock, known, false);
    }
    let switch = StopSwitch::default();
    let (known, mut stats) = stage(&clock.within(SHORT, &switch), known, false);
    match switch.reason() {
        None => return (known, stats),
        // The time of the stage, or of the search, which the next stage notices.
        Some(StoppedBy::TimeLimit) => {}
        Some(reason) => {
            clock.stop(reason);
            return (known, stats);
        }
    }
    let (found, counted) = stage(clock, known, true);
    stats.add(&counted);
    (found, stats)
}

impl<S: Space> Search<'_, S> {
    /// Whether an early bound saves time, for trees of at least `min_depth` levels.
    pub(crate) fn early_bound_pays(&self, limits: Limits, min_depth: u32) -> bool {
        self.switches.early_bound && limits.depth >= min_depth
    }

    /// The early bound of the whole table, for an incumbent of cost `upper`.
    pub(crate) fn early_bound(
        &mut self,
        whole: &SubsetOf<S>,
        limits: Limits,
        upper: Cost,
    ) -> Solution {
        let mut early = Solution::with_lower(0);
        let of_upper = |share| upper / 16 * share + upper % 16 * share / 16;
        let mut seconds = LONG_PROOF;
        // No bounds are inherited where a size is divided among children (`branch_solution`).
        let proofs = if limits.shares().len() == 1 { SIXTEENTHS.len() } else { 1 };
        for share in SIXTEENTHS.map(of_upper).into_iter().take(proofs) {
            let solved = early.tree.is_some() || self.clock.stopped();
            if solved || seconds < LONG_PROOF {
                break;
            }
            if share <= early.lower {
                continue;
            }
            let begin = self.clock.seconds();
            let by_threshold = early.by_threshold.take();
            let next = self.solve_below_share(whole, limits, share, by_threshold.as_ref());
            early = next.raised_to(early.lower);
            seconds = self.clock.seconds() - begin;
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
