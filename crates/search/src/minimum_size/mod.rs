//! Fewest nodes: the smallest tree within limits on errors and depth.
//!
//! The minimum size of a subset is monotone: fewer items never need more nodes (restrict the tree).
//! So if a tree of s nodes has feature f at its root and a nodes in its smaller child, that child
//! may as well be the *largest* prefix (or suffix) of the subset in the order of f that a nodes can
//! classify: the other child only shrinks. At most 2 d ⌈s/2⌉ remainders have to be tried at a node
//! (for each division of the errors and the limited leaves), however many thresholds there are; the
//! largest prefix is found by bisection, as in the threshold search of Kobourov et al. (AAAI 2023,
//! Algorithm 2).
//!
//! The same holds with a limit on depth, with errors allowed and with limits on the leaves of a
//! class, divided between the children: restricting a tree adds no error and no leaf and makes no
//! path longer. It does not hold with a minimum leaf size, nor with errors *and* limited leaves: a
//! leaf predicts its majority, and with fewer items the majority may be a class that may have no
//! leaf.
//!
//! `decision.rs` decides "is there a tree of size at most s?", `root.rs` tries the rules at the
//! root, `largest_children.rs` finds largest prefixes, `tree.rs` builds the tree; this file raises
//! the size from a lower bound.
//!
//! Threads can be added without changing this structure: the prepared table and the options are
//! only read, `SizeDecision` holds everything else, and its results are only in `SizeCache` and
//! `Dominance`, which take and return copies. Threads would share one cache and one dominance
//! table, behind locks by ranges of the hash, have a `SizeDecision` each, and divide the roots of
//! the whole table.

mod cache;
mod decision;
#[cfg(test)]
mod differential;
mod dominance;
mod incumbent_improvement;
mod largest_children;
mod leaf;
mod one_rule;
mod prepared_table;
mod request;
mod root;
mod subproblems;
mod subtree_limits;
mod tree;
mod two_nodes;
mod unlike_pairs;

use crate::kernels::InstructionSet;
use crate::papers::witness;
use crate::papers::witness::options::WitnessOptions;
use crate::papers::witness::pairs::pair_bound;
use crate::spaces::greedy_tree::complete_tree;
use crate::spaces::post_pruning::smallest_pruning;
use crate::spaces::solve::incumbent_tree;
use crate::support::clock::{Clock, Stopped};
use crate::support::refusal::Refusal;
use crate::support::size_loop::{SizedTree, first_feasible, is_within_gap};
use crate::support::statistics::Progress;
use exactree_model::{Cost, Limits, Outcome, StoppedBy, Table, Tree, UNBOUNDED, Weight};
use std::sync::Arc;

pub(crate) use cache::Verdict;
pub(crate) use decision::SizeDecision;
pub(crate) use prepared_table::SizeTable;
pub use request::{SizeRequest, SizeStats};

/// The smallest tree of a table within limits, or the best tree and lower bound within the time
/// limit. Costs of the outcome are sizes. An error says why the table is refused.
pub fn minimum_size(
    table: &Table,
    request: &SizeRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, SizeStats), Refusal> {
    debug_assert!(request.errors == 0 || request.leaves.is_empty());
    let unavoidable: Weight = table.items.iter().map(|item| item.unavoidable).sum();
    if unavoidable > request.errors {
        return Ok((conclude(None, UNBOUNDED, request, clock), SizeStats::default()));
    }
    // Sets of bits are on the stack, and places of items and ranks have 16 bits: so there may be at
    // most 2^16 items.
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => Ok(search::<$words>(table, request, clock, progress)),)*
                _ => Err(Refusal::TooManyRows {
                    method: "The search for fewest nodes",
                    maximum: 1 << 16,
                    rows: table.items.len(),
                }),
            }
        };
    }
    by_width!(1, 2, 3, 4, 6, 8, 16, 32, 128, 1024)
}

/// Maximum number of items of a table whose unlike pairs are examined at the start.
const MAX_PAIRED_ITEMS: usize = 1 << 10;

/// Depths of the first incumbents if errors are allowed: shallow trees with exact lowest levels,
/// pruned as far as the errors permit, are often much smaller than a tree without errors.
const SHALLOW_DEPTHS: std::ops::Range<u32> = 2..7;

/// Product of items and features up to which a shallow tree takes some milliseconds.
const QUICK_PRODUCT: usize = 1 << 18;

/// The smallest of a few trees found without search, if one is within the limits.
fn first_incumbent(table: &Table, request: &SizeRequest, clock: &Clock<'_>) -> Option<SizedTree> {
    let quick = table.items.len() * table.features.len() <= QUICK_PRODUCT;
    let shallow = SHALLOW_DEPTHS
        .filter(|&depth| request.errors > 0 && quick && depth < request.depth)
        .take_while(|_| !clock.stopped())
        .filter_map(|depth| {
            let limits = Limits { depth, size: u32::MAX, min_samples_leaf: 1 };
            let (_, tree) = incumbent_tree(table, limits, clock);
            smallest_pruning(table, &tree, request.errors)
        });
    let within_limits = |(errors, tree): &(Weight, Arc<Tree>)| {
        *errors <= request.errors
            && tree.size() <= request.size
            && request.leaves.iter().all(|&(class, maximum)| tree.leaves_of(class) <= maximum)
    };
    std::iter::once(complete_tree(table, request.depth, request.errors, clock))
        .chain(shallow)
        .filter(within_limits)
        .min_by_key(|(_, tree)| tree.size())
        .map(|(_, tree)| (tree.size().into(), tree))
}

fn search<const W: usize>(
    table: &Table,
    request: &SizeRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, SizeStats) {
    let incumbent = match request.options.incumbent {
        true => first_incumbent(table, request, clock),
        false => None,
    };
    let first_incumbent = incumbent.as_ref().map(|(size, _)| *size);
    let Some(prepared) =
        SizeTable::<W>::prepare(&|| clock.stopped(), table, InstructionSet::detect(true))
    else {
        let stats = SizeStats { first_incumbent, seconds: clock.seconds(), ..SizeStats::default() };
        progress.report(first_incumbent.unwrap_or(UNBOUNDED), 0);
        return (conclude(incumbent, 0, request, clock), stats);
    };
    let mut decision = SizeDecision::new(&prepared, &request.options, clock, request.memory_limit);
    decision.max_search_nodes = request.nodes;
    let maximum = max_useful_size(table, request);
    let first = first_size::<W>(table, request, clock);
    let incumbent = incumbent.map(|incumbent| decision.improved_incumbent(incumbent, request));
    let (lower, incumbent) = first_feasible(first, maximum, incumbent, progress, |size| {
        let (upper, lower) = progress.read();
        if is_within_gap(request.stop_at_gap, upper, lower) {
            clock.stop(StoppedBy::Gap);
            return Err(Stopped);
        }
        Ok(match decision.has_tree(&prepared.all, size, request)? {
            true => Some(decision.build(&prepared.all, size, request)?),
            false => None,
        })
    });
    let stats = SizeStats {
        pair_bound: first.into(),
        first_incumbent,
        seconds: clock.seconds(),
        ..decision.stats()
    };
    (conclude(incumbent, lower, request, clock), stats)
}

/// A lower bound on the number of nodes by the unlike pairs that rules must separate, whatever the
/// other limits; 0 if computing it would take long.
fn first_size<const W: usize>(table: &Table, request: &SizeRequest, clock: &Clock<'_>) -> u32 {
    if !request.options.pair_bound || table.items.len() > MAX_PAIRED_ITEMS {
        return 0;
    }
    let options = WitnessOptions::default();
    let prepared =
        witness::prepared_table::WitnessTable::<W>::new(table, request.errors, &options, clock);
    prepared.map_or(0, |prepared| pair_bound(&prepared, clock))
}

/// The greatest size that a tree can need: every rule has two non-empty children, and equal rows
/// stay together.
fn max_useful_size(table: &Table, request: &SizeRequest) -> u32 {
    let rules = table.groups.saturating_sub(1).min(u32::MAX as usize - 1) as u32;
    Limits { depth: request.depth, size: request.size.min(rules), min_samples_leaf: 1 }
        .normalised()
        .size
}

fn conclude(
    incumbent: Option<SizedTree>,
    lower: Cost,
    request: &SizeRequest,
    clock: &Clock<'_>,
) -> Outcome {
    let upper = u64::from(request.size).saturating_add(1);
    Outcome::of(incumbent, lower, upper, clock.stopped_by())
}
