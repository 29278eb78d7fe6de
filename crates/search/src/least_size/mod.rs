//! Fewest nodes: the smallest tree within limits on errors and depth.
//!
//! The least size of a part is monotone: fewer items never need more nodes
//! (restrict the tree). So if a tree of s nodes has at its root feature f and
//! a nodes on its smaller side, that side may as well be the *largest* prefix
//! (or suffix) of the part in the order of f that a nodes can serve: the other
//! side only shrinks. At most 2 d ⌈s/2⌉ remainders have to be tried at a node,
//! however many thresholds there are; the largest prefix is found by bisection,
//! as in the threshold search of Kobourov et al. (AAAI 2023, Algorithm 2).
//!
//! The same holds with a limit on depth and with errors allowed, shared among
//! the sides. It does not hold with a demand on rows per leaf.
//!
//! `decide.rs` asks "is there a tree of size at most s?", `prefix.rs` finds
//! largest prefixes, `build.rs` builds the tree, this file goes up from below.

mod build;
mod decide;
mod dominance;
mod ground;
mod lists;
mod memo;
mod one_rule;
mod prefix;
#[cfg(test)]
mod tests;
mod two_nodes;

use crate::kernels::Level;
use crate::limits::Clock;
use crate::tracer::Progress;
use exactree_model::{Outcome, Table, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

use decide::Decision;
use ground::Ground;

/// What the tree may use besides nodes.
#[derive(Clone, Copy, Debug)]
pub struct Within {
    pub depth: u32,
    /// Misclassified weight.
    pub errors: Weight,
    /// Sizes that count.
    pub size: u32,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct SizeStats {
    /// Parts whose rules were tried.
    pub nodes: u64,
    pub memo_lookups: u64,
    pub memo_hits: u64,
    pub memo_entries: u64,
    pub memo_evicted: u64,
}

/// The smallest tree of a table within limits, or as much as can be proved.
/// `known` is a tree that is there already, and its size.
pub fn least_size(
    table: &Table,
    within: Within,
    known: Option<(u32, Arc<Tree>)>,
    memory_limit: Option<usize>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, SizeStats) {
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => search::<$words>(table, within, known, memory_limit, clock, progress),)*
                // Beyond 65,536 items only what the incumbent shows is known.
                _ => (conclude(known, 0, within, clock), SizeStats::default()),
            }
        };
    }
    by_width!(1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024)
}

fn search<const W: usize>(
    table: &Table,
    within: Within,
    mut known: Option<(u32, Arc<Tree>)>,
    memory_limit: Option<usize>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, SizeStats) {
    let ground = Ground::<W>::new(table, Level::detect(true));
    let mut decision = Decision::new(&ground, clock, memory_limit);
    let everything = ground.everything();
    let most = known.as_ref().map_or(within.size, |(size, _)| within.size.min(size - 1));
    let mut lower = 0;
    // A tree of known size needs no search at that size: only smaller ones are asked for.
    while lower <= most {
        progress.report(known.as_ref().map_or(UNBOUNDED, |(size, _)| *size as u64), lower as u64);
        match decision.smallest(&everything, lower, within) {
            Ok(true) => {
                let tree = decision.build(&everything, lower, within);
                known = tree.ok().map(|tree| (lower, tree)).or(known);
                break;
            }
            Ok(false) => lower += 1,
            Err(_) => break,
        }
    }
    let stats = decision.stats();
    (conclude(known, lower, within, clock), stats)
}

fn conclude(
    known: Option<(u32, Arc<Tree>)>,
    lower: u32,
    within: Within,
    clock: &Clock<'_>,
) -> Outcome {
    let found = known.map(|(size, tree)| (size as u64, tree));
    let upper = (within.size as u64).saturating_add(1);
    Outcome::of(found, lower as u64, upper, clock.stopped_by())
}
