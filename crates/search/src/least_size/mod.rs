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
//! The same holds with a limit on depth, with errors allowed and with limits on
//! the leaves of a class, shared among the sides: restricting a tree makes no
//! path longer, no error more and no leaf more. It does not hold with a demand
//! on rows per leaf, nor with errors *and* limited leaves: a leaf predicts its
//! majority, and fewer items may make that a class that may have no leaf.
//!
//! `decide.rs` asks "is there a tree of size at most s?", `root.rs` tries the
//! rules at the root, `sides.rs` finds largest prefixes, `build.rs` builds the
//! tree, this file goes up from below.
//!
//! Threads may be added without changing this shape: the ground and the options
//! are only read, a `Decision` holds everything else, and what it learns is in
//! `SizeMemo` and `Dominance` alone, which take and return copies. Threads need
//! one of each between them, behind locks by parts of the hash, and a
//! `Decision` of their own; they share the roots of the whole table.

mod build;
mod decide;
#[cfg(test)]
mod differential;
mod dominance;
mod ground;
mod improve;
mod leaf;
mod memo;
mod one_rule;
mod questions;
mod root;
mod sides;
mod terms;
mod two_nodes;
mod unlike_pairs;

use crate::climb::{Measured, climb};
use crate::first_tree::complete_tree;
use crate::kernels::Level;
use crate::limits::Clock;
use crate::options::SizeOptions;
use crate::tracer::Progress;
use crate::witness;
use crate::witness::options::WitnessOptions;
use crate::witness::pairs::pair_bound;
use exactree_model::{Cost, Limits, Outcome, Table, Tree, UNBOUNDED, Weight};

pub(crate) use decide::Decision;
pub(crate) use ground::{Ground, mixed};
pub(crate) use memo::Verdict;

/// What is asked, besides fewest nodes.
#[derive(Clone, Debug)]
pub struct SizeRequest {
    pub depth: u32,
    /// Misclassified weight.
    pub errors: Weight,
    /// Sizes that count.
    pub size: u32,
    /// Most leaves of some classes; none where errors are allowed.
    pub leaves: Vec<(u32, u32)>,
    /// Parts whose rules are tried; with more the search ends as if it were stopped.
    pub nodes: u64,
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
    /// Bytes of the memo and of the parts kept for comparison.
    pub memo_bytes: u64,
    /// Of these, how many were given up for want of memory.
    pub memo_evicted: u64,
    /// Parts answered by another part, inside or around.
    pub dominance: u64,
    /// Largest sides found sooner by what a refusal or a service proved besides.
    pub cores: u64,
    pub wide: u64,
    /// Root rules not tried, since another one leaves less.
    pub inclusion: u64,
    /// How often what a switch stands for decided.
    pub even_shares: u64,
    pub pure_runs: u64,
    pub one_rule_runs: u64,
    pub two_nodes: u64,
    pub unlike_pairs: u64,
    pub class_count: u64,
    /// Size to begin with.
    pub pair_bound: u64,
    /// Nodes that the first incumbent lost.
    pub improved: u64,
    /// Size of the first incumbent.
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

impl SizeStats {
    /// What each switch did, by its name.
    pub fn discards(&self) -> [(&'static str, u64); 13] {
        [
            ("size_memo", self.memo_hits),
            ("dominance", self.dominance),
            ("cores", self.cores),
            ("wide", self.wide),
            ("inclusion", self.inclusion),
            ("even_shares", self.even_shares),
            ("pure_runs", self.pure_runs),
            ("one_rule_runs", self.one_rule_runs),
            ("two_nodes", self.two_nodes),
            ("unlike_pairs", self.unlike_pairs),
            ("class_count", self.class_count),
            ("pair_bound", self.pair_bound),
            ("improved", self.improved),
        ]
    }
}

/// The smallest tree of a table within limits, or as much as can be proved.
/// Costs of the outcome are sizes. An error says why the table is refused.
pub fn least_size(
    table: &Table,
    request: &SizeRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> Result<(Outcome, SizeStats), String> {
    debug_assert!(request.errors == 0 || request.leaves.is_empty());
    let unavoidable: Weight = table.items.iter().map(|item| item.unavoidable).sum();
    if unavoidable > request.errors {
        return Ok((conclude(None, UNBOUNDED, request, clock), SizeStats::default()));
    }
    // Sets of bits on the stack, places of items in 16 bits and ranks in lanes of 16 bits end here.
    macro_rules! by_width {
        ($($words:literal),*) => {
            match table.items.len().div_ceil(64) {
                $(0..=$words => Ok(search::<$words>(table, request, clock, progress)),)*
                _ => Err(format!(
                    "The search for fewest nodes takes up to 65536 distinct rows, and there are {}.",
                    table.items.len()
                )),
            }
        };
    }
    by_width!(1, 2, 3, 4, 6, 8, 16, 32, 128, 1024)
}

/// Items of a table whose unlike pairs are gone through at the start.
const MOST_PAIRED: usize = 1 << 10;

/// A tree within the limits by the greedy rule, if it finds one.
fn greedy(table: &Table, request: &SizeRequest, clock: &Clock<'_>) -> Option<Measured> {
    let (errors, tree) = complete_tree(table, request.depth, request.errors, clock);
    let size = tree.size();
    let few = request.leaves.iter().all(|&(class, most)| leaves_of(&tree, class) <= most);
    (few && errors <= request.errors && size <= request.size).then_some((size.into(), tree))
}

/// Leaves of a tree that predict a class.
fn leaves_of(tree: &Tree, class: u32) -> u32 {
    match tree {
        Tree::Leaf { class: predicted } => (*predicted == class) as u32,
        Tree::Node { left, right, .. } => leaves_of(left, class) + leaves_of(right, class),
    }
}

fn search<const W: usize>(
    table: &Table,
    request: &SizeRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, SizeStats) {
    let known = match request.options.size_incumbent {
        true => greedy(table, request, clock),
        false => None,
    };
    let first_incumbent = known.as_ref().map(|(size, _)| *size);
    let Some(ground) = Ground::<W>::unless(&|| clock.stopped(), table, Level::detect(true)) else {
        let stats = SizeStats { first_incumbent, seconds: clock.seconds(), ..SizeStats::default() };
        progress.report(first_incumbent.unwrap_or(UNBOUNDED), 0);
        return (conclude(known, 0, request, clock), stats);
    };
    let mut decision = Decision::new(&ground, &request.options, clock, request.memory_limit);
    decision.most_nodes = request.nodes;
    let most = largest_useful(table, request);
    let first = first_size::<W>(table, request, clock);
    let known = known.map(|known| decision.improved_if_asked(known, request));
    let (lower, known) = climb(first, most, known, progress, |size| {
        Ok(match decision.smallest(&ground.all, size, request)? {
            true => Some(decision.build(&ground.all, size, request)?),
            false => None,
        })
    });
    let stats = SizeStats {
        pair_bound: first.into(),
        first_incumbent,
        seconds: clock.seconds(),
        ..decision.stats()
    };
    (conclude(known, lower, request, clock), stats)
}

/// Rules that unlike pairs need, where their number is soon known: no tree has
/// fewer nodes, whatever else is asked of it.
fn first_size<const W: usize>(table: &Table, request: &SizeRequest, clock: &Clock<'_>) -> u32 {
    if !request.options.pair_bound || table.items.len() > MOST_PAIRED {
        return 0;
    }
    let options = WitnessOptions::default();
    let ground = witness::ground::Ground::<W>::new(table, request.errors, &options, clock);
    ground.map_or(0, |ground| pair_bound(&ground, clock))
}

/// No tree within the limits needs more nodes: every rule has two non-empty
/// sides, and equal rows stay together.
fn largest_useful(table: &Table, request: &SizeRequest) -> u32 {
    let rules = table.groups.saturating_sub(1).min(u32::MAX as usize - 1) as u32;
    Limits { depth: request.depth, size: request.size.min(rules), min_rows: 1 }.normalised().size
}

fn conclude(
    known: Option<Measured>,
    lower: Cost,
    request: &SizeRequest,
    clock: &Clock<'_>,
) -> Outcome {
    let upper = u64::from(request.size).saturating_add(1);
    Outcome::of(known, lower, upper, clock.stopped_by())
}
