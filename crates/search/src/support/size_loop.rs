//! From "is there a tree of at most s?" to the least: up from a lower bound, so
//! that each s that failed is one.

use crate::support::clock::Stopped;
use crate::support::statistics::Progress;
use exactree_model::{Tree, UNBOUNDED};
use std::sync::Arc;

/// A tree, or none, or no answer any more.
pub(crate) type DecisionResult = Result<Option<Arc<Tree>>, Stopped>;

/// A tree with its size, or its depth where that is minimized.
pub(crate) type SizedTree = (u64, Arc<Tree>);

/// Asks for `first`, `first` + 1, ... until there is a tree, or more than `most`
/// is of no use, or no less than `known` is left. Returns a lower bound, and the
/// best tree.
pub(crate) fn least_feasible(
    first: u32,
    most: u32,
    mut known: Option<SizedTree>,
    progress: &Progress,
    mut decide: impl FnMut(u32) -> DecisionResult,
) -> (u64, Option<SizedTree>) {
    let mut s = first;
    // A tree that is there needs no search at its own size.
    while known.as_ref().is_none_or(|(least, _)| u64::from(s) < *least) {
        progress.report(known.as_ref().map_or(UNBOUNDED, |(least, _)| *least), s.into());
        if s > most {
            return (UNBOUNDED, known);
        }
        match decide(s) {
            Ok(Some(tree)) => known = Some((s.into(), tree)),
            Ok(None) => s += 1,
            Err(Stopped) => break,
        }
    }
    (s.into(), known)
}
