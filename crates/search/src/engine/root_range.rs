//! Ranges of root rules with their bounds, the searches of these rules, and the signals between
//! workers that share a search.

use crate::engine::request::SearchOutcome;
use crate::engine::solution::CostedTree;
use crate::support::clock::Clock;
use crate::support::statistics::Progress;
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

/// A table prepared once for several searches restricted to some roots. Features of trees and rules
/// are those of the table.
pub trait RootTasks: Send + Sync {
    /// All rules that a root may have; of rules known to be equal only one.
    fn roots(&self) -> Vec<RootRange>;

    /// The best tree that costs less than `below` with one of these rules at its root, as far as
    /// the clock allows, and the rules that remain open. With `start` the search begins with a
    /// first incumbent.
    fn run(
        &self,
        roots: &[RootRange],
        start: (Cost, bool),
        clock: Clock<'_>,
        progress: &Progress,
        control: &SearchControl,
    ) -> (SearchOutcome, Vec<RootRange>);

    /// Whether a tree costs this much, up to rounding.
    fn agrees(&self, tree: &Arc<Tree>, cost: Cost) -> bool;

    /// A tree of this search, with its cost, made of a tree of a search without some of its limits
    /// and constraints; `None` if there is none.
    fn adopted(&self, (cost, tree): CostedTree) -> Option<CostedTree> {
        self.agrees(&tree, cost).then_some((cost, tree))
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
    pub tree: Option<CostedTree>,
    /// No tree with an inner root costs less.
    pub lower: Cost,
    pub open: Vec<RootRange>,
}

#[cfg(test)]
pub(crate) mod in_tests;
