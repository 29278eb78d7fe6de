//! A lower bound early: the proof that no tree costs a small share of the incumbent.
//!
//! The lower bound of the whole table rises when every root threshold has one
//! child that was searched, and with five levels or more these searches are long.
//! So they are done twice: first only until they show that a child costs that
//! small share, which takes a fraction of the time, then in earnest. It is
//! the same search with another number to be beaten, so what it returns needs no
//! argument of its own; and what it found of root thresholds holds for the same
//! subset as it does for any around it (`inherited_bounds.rs`).

use crate::engine::search::ContinuousSearch;
use crate::engine::solution::Solution;
use crate::engine::subset::ContinuousSubset;
use crate::support::mutants::{Mutant, off};
use exactree_model::{Cost, Limits};

/// Levels from which on it is worth the time.
const LEVELS: u32 = 5;

/// The share of the incumbent that is proved first.
const SHARE: Cost = 16;

impl ContinuousSearch<'_> {
    /// What can be said early of the whole table, where an incumbent costs `upper`.
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
        // Beyond the requested bound nothing is proved: that is what takes time.
        let margin = std::mem::replace(&mut self.margin, false);
        let mut solution = self.solve(whole, limits, share, None);
        self.margin = margin;
        solution.lower += off(Mutant::EarlyBound);
        solution
    }
}
