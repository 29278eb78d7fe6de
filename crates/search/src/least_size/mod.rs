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
#[cfg(test)]
mod differential;
mod dominance;
mod ground;
mod lists;
mod memo;
mod one_rule;
mod prefix;
mod two_nodes;

use crate::kernels::Level;
use crate::limits::Clock;
use crate::options::SizeOptions;
use crate::solve::greedy_tree;
use crate::tracer::Progress;
use exactree_model::{Cost, Limits, Outcome, Table, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

pub(crate) use decide::{Decision, Stopped};
pub(crate) use ground::{Ground, insert, mixed};

/// What is asked, besides fewest nodes.
#[derive(Clone, Debug)]
pub struct SizeRequest {
    pub depth: u32,
    /// Misclassified weight.
    pub errors: Weight,
    /// Sizes that count.
    pub size: u32,
    /// Soft limit on the bytes of the memo.
    pub memory_limit: Option<usize>,
    pub options: SizeOptions,
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
    /// Parts answered by another part, inside or around.
    pub dominance: u64,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u32>,
    pub seconds: f64,
}

/// A tree and its size.
type Sized = (u32, Arc<Tree>);

/// The smallest tree of a table within limits, or as much as can be proved.
/// Costs of the outcome are sizes.
pub fn least_size(
    table: &Table,
    request: &SizeRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, SizeStats) {
    let unavoidable: Weight = table.items.iter().map(|item| item.unavoidable).sum();
    if unavoidable > request.errors {
        return (conclude(None, UNBOUNDED, request, clock), SizeStats::default());
    }
    let known = match request.options.size_incumbent {
        true => greedy(table, request, clock),
        false => None,
    };
    let first = known.as_ref().map(|(size, _)| *size);
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => search::<$words>(table, request, known, clock, progress),)*
                // Beyond 65,536 items only the incumbent is known.
                _ => (conclude(known, 0, request, clock), SizeStats::default()),
            }
        };
    }
    let (outcome, stats) = by_width!(1, 2, 3, 4, 6, 8, 16, 32, 64, 128, 256, 512, 1024);
    (outcome, SizeStats { first_incumbent: first, seconds: clock.seconds(), ..stats })
}

/// A tree within the limits by the greedy rule, if it finds one.
fn greedy(table: &Table, request: &SizeRequest, clock: &Clock<'_>) -> Option<Sized> {
    let limits = Limits { depth: request.depth, size: u32::MAX, min_rows: 1 };
    let (errors, tree) = greedy_tree(table, limits, clock);
    let size = tree.size();
    (errors <= request.errors && size <= request.size).then_some((size, tree))
}

fn search<const W: usize>(
    table: &Table,
    request: &SizeRequest,
    mut known: Option<Sized>,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, SizeStats) {
    let ground = Ground::<W>::new(table, Level::detect(true));
    let mut decision = Decision::new(&ground, &request.options, clock, request.memory_limit);
    let everything = ground.everything();
    let largest = largest_useful(table, request);
    let mut lower = 0;
    // A tree that is there needs no search at its own size.
    let most = |known: &Option<Sized>| {
        known.as_ref().map_or(largest, |(size, _)| (*size).min(largest + 1) - 1)
    };
    while known.as_ref().is_none_or(|(size, _)| *size > 0) && lower <= most(&known) {
        progress.report(known.as_ref().map_or(UNBOUNDED, |(size, _)| *size as u64), lower as u64);
        match decision.smallest(&everything, lower, request) {
            Ok(true) => {
                let tree = decision.build(&everything, lower, request);
                known = tree.ok().map(|tree| (lower, tree)).or(known);
                break;
            }
            Ok(false) => lower += 1,
            Err(_) => break,
        }
    }
    // Beyond the largest useful size there is nothing.
    let lower = if lower > largest { UNBOUNDED } else { lower.into() };
    (conclude(known, lower, request, clock), decision.stats())
}

/// No tree within the limits needs more nodes: every rule has two non-empty
/// sides, and equal rows stay together.
fn largest_useful(table: &Table, request: &SizeRequest) -> u32 {
    let rules = table.groups.saturating_sub(1).min(u32::MAX as usize - 1) as u32;
    Limits { depth: request.depth, size: request.size.min(rules), min_rows: 1 }.normalised().size
}

fn conclude(
    known: Option<Sized>,
    lower: Cost,
    request: &SizeRequest,
    clock: &Clock<'_>,
) -> Outcome {
    let found = known.map(|(size, tree)| (size as u64, tree));
    let upper = (request.size as u64).saturating_add(1);
    Outcome::of(found, lower, upper, clock.stopped_by())
}
