//! A lower bound early: the proof that no tree costs a small share of the incumbent.
//!
//! The lower bound of the whole table rises when every root threshold has one
//! side that was searched, and with five levels or more these searches are long.
//! So they are done twice: first only until they show that a side costs that
//! small share, which takes a fraction of the time, then in earnest. It is
//! the same search with another number to be beaten, so what it returns needs no
//! argument of its own; and what it found of root thresholds holds for the same
//! part as it does for any around it (`inherited.rs`).

use crate::answer::Answer;
use crate::best::Search;
use crate::mutants::{Mutant, off};
use crate::part::Part;
use exactree_model::{Cost, Limits};

/// Levels from which on it is worth the time.
const LEVELS: u32 = 5;

/// The share of the incumbent that is proved first.
const SHARE: Cost = 16;

impl Search<'_> {
    /// What can be said early of the whole table, where an incumbent costs `upper`.
    pub(crate) fn early_bound(&mut self, whole: &Part, limits: Limits, upper: Cost) -> Answer {
        let share = upper / SHARE;
        if !self.options.early_bound || limits.depth < LEVELS || share == 0 {
            return Answer::at_least(0);
        }
        self.bounded(whole, limits, share)
    }

    /// The best tree if it costs less than `share`, or the proof that none does.
    pub(crate) fn bounded(&mut self, whole: &Part, limits: Limits, share: Cost) -> Answer {
        // Beyond what is asked nothing is proved: that is what takes time.
        let reach = std::mem::replace(&mut self.reach, false);
        let mut answer = self.best(whole, limits, share, None);
        self.reach = reach;
        answer.lower += off(Mutant::EarlyBound);
        answer
    }
}
