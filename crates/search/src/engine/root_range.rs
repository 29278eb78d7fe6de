//! Ranges of root rules with their bounds, and the signals between workers that search them.

use exactree_model::{Cost, Tree, UNBOUNDED};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Root rules of one feature, from one rank to another, and their bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootRange {
    /// Feature of the table, or of the layout.
    pub feature: u32,
    pub first: u32,
    pub last: u32,
    /// No tree with one of these rules at its root costs less.
    pub lower: Cost,
    /// Lower bounds on the left and on the right children of these rules.
    pub left: Cost,
    pub right: Cost,
}

impl RootRange {
    /// Rules without bounds.
    pub fn new(feature: u32, first: u32, last: u32) -> Self {
        RootRange { feature, first, last, lower: 0, left: 0, right: 0 }
    }
}

/// Signals to a running search from other workers.
#[derive(Debug)]
pub struct SearchControl {
    upper: AtomicU64,
    return_open: AtomicBool,
}

impl Default for SearchControl {
    fn default() -> Self {
        SearchControl { upper: AtomicU64::new(UNBOUNDED), return_open: AtomicBool::new(false) }
    }
}

impl SearchControl {
    /// Trees of this cost or more no longer matter.
    pub fn tighten_upper_bound(&self, cost: Cost) {
        self.upper.fetch_min(cost, Ordering::Relaxed);
    }

    /// Makes the search return its open rules once the rule being evaluated is finished.
    pub fn return_open(&self) {
        self.return_open.store(true, Ordering::Relaxed);
    }

    pub(crate) fn upper(&self) -> Cost {
        self.upper.load(Ordering::Relaxed)
    }

    pub(crate) fn must_return_open(&self) -> bool {
        self.return_open.load(Ordering::Relaxed)
    }
}

/// The result of a search restricted to some roots.
pub(crate) struct RootsResult {
    pub tree: Option<(Cost, Arc<Tree>)>,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub open: Vec<RootRange>,
}

#[cfg(test)]
pub(crate) mod in_tests {
    use super::RootRange;

    /// Takes some open rules for the next task; may split a range of rules.
    pub(crate) fn take(random: &mut fastrand::Rng, open: &mut Vec<RootRange>) -> Vec<RootRange> {
        if open.is_empty() {
            return Vec::new();
        }
        random.shuffle(open);
        let mut taken = open.split_off(random.usize(0..open.len()));
        let last = taken.len() - 1;
        let whole = taken[last];
        if whole.first < whole.last && random.bool() {
            let middle = random.u32(whole.first..whole.last);
            taken[last].last = middle;
            open.push(RootRange { first: middle + 1, ..whole });
        }
        taken
    }
}
