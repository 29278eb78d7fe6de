//! Minimization by decision problems, "is there a tree of at most s?": s rises from a lower bound,
//! so every failed s raises that bound.

use crate::support::clock::Stopped;
use crate::support::statistics::Progress;
use exactree_model::{Tree, UNBOUNDED};
use std::sync::Arc;

/// A tree, no tree, or stopped.
pub(crate) type DecisionResult = Result<Option<Arc<Tree>>, Stopped>;

/// A tree with its size, or its depth where that is minimized.
pub(crate) type SizedTree = (u64, Arc<Tree>);

/// Decides `first`, `first` + 1, ... until there is a tree, `most` is exceeded, or the size of the
/// `known` tree is reached. Returns a lower bound and the best tree.
pub(crate) fn least_feasible(
    first: u32,
    most: u32,
    mut known: Option<SizedTree>,
    progress: &Progress,
    mut decide: impl FnMut(u32) -> DecisionResult,
) -> (u64, Option<SizedTree>) {
    let mut s = first;
    // A known tree needs no search at its own size.
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
