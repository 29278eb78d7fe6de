//! Minimization by decision problems, "is there a tree of size (or depth) at most s?". s rises from
//! a lower bound, so every negative answer raises the lower bound.

use crate::support::clock::Stopped;
use crate::support::statistics::Progress;
use exactree_model::{Cost, Tree, UNBOUNDED};
use std::sync::Arc;

/// The answer of a decision problem: a tree, or `None` if there is none; an error if stopped.
pub(crate) type DecisionResult = Result<Option<Arc<Tree>>, Stopped>;

/// A tree with its size, or its depth where that is minimized.
pub(crate) type SizedTree = (u64, Arc<Tree>);

/// Decides `first`, `first` + 1, ... until there is a tree, `maximum` is exceeded, or the size of
/// the incumbent is reached. Returns a lower bound and the best tree.
pub(crate) fn first_feasible(
    first: u32,
    maximum: u32,
    mut incumbent: Option<SizedTree>,
    progress: &Progress,
    mut decide: impl FnMut(u32) -> DecisionResult,
) -> (u64, Option<SizedTree>) {
    let mut s = first;
    // The size of the incumbent itself needs no search.
    while incumbent.as_ref().is_none_or(|(size, _)| u64::from(s) < *size) {
        progress.report(incumbent.as_ref().map_or(UNBOUNDED, |(size, _)| *size), s.into());
        if s > maximum {
            return (UNBOUNDED, incumbent);
        }
        match decide(s) {
            Ok(Some(tree)) => incumbent = Some((s.into(), tree)),
            Ok(None) => s += 1,
            Err(Stopped) => break,
        }
    }
    (s.into(), incumbent)
}

/// Whether the incumbent is within the gap at which a search may stop.
pub(crate) fn is_within_gap(stop_at_gap: f64, upper: Option<Cost>, lower: Cost) -> bool {
    // Only used to decide when to stop; proofs use exact numbers.
    let gap = |upper: Cost| (upper - lower) as f64 / upper as f64;
    stop_at_gap > 0.0 && upper.is_some_and(|upper| upper > lower && gap(upper) <= stop_at_gap)
}
