//! Best trees over rules of any kind, each given as the rows that it sends left:
//! the fast form of `spec/proper_trees.py`.
//!
//! He and Little, arXiv:2503.01455, choose K hyperplanes and look for their best
//! tree. Here it is the other way round: a part of the examples, and every way
//! to divide it. What divides a part divides the whole table, so all
//! dichotomies are there at the start, as columns of bits. `ground.rs` has these
//! columns, `field.rs` what is left of them in a part, `search.rs` the recursion,
//! `two_levels.rs` its end, `bounds.rs` what need not be tried, `quotas.rs` trees
//! with few leaves of a class.

mod bounds;
#[cfg(test)]
mod differential;
mod field;
mod ground;
mod incumbent;
mod quotas;
mod search;
mod simplify;
mod two_levels;

use crate::limits::Clock;
use crate::memo::Memo;
use crate::options::options;
use crate::tracer::Progress;
use exactree_model::{Cost, Errors, Limits, Outcome, UNBOUNDED};

use field::Part;
use ground::Ground;
pub use ground::{Dichotomies, Examples};
use search::Search;

options! { ProperOptions {
    incumbent: "start from the best tree of two levels, and of two more below each leaf",
    two_levels: "count all rules below a rule at once where two levels are left (MurTree: Demirović et al., JMLR 2022)",
    near: "a rule is no better than one near it by more than the examples between them (Demirović et al., JMLR 2022, similarity; argument in proper/bounds.rs)",
    reach: "solve sides a little beyond what is needed, for more near rules",
    remembered: "remember what is proved of a part, however it arose",
    equal_rows: "examples that no rule tells apart share a leaf (argument in proper/bounds.rs)",
    class_count: "a tree with few leaves misses all other classes (argument in proper/bounds.rs)",
    relaxed: "first without the demand on rows (argument in proper/bounds.rs)",
} }

/// What to minimize, and within what.
#[derive(Clone, Debug)]
pub struct ProperRequest {
    pub objective: Errors,
    pub limits: Limits,
    /// Classes, and how many leaves may predict each.
    pub leaves: Vec<(u32, u32)>,
    /// Only trees that cost less count.
    pub below: Cost,
    /// Soft limit on the bytes of the memo.
    pub memory_limit: Option<usize>,
    /// Stop when (cost − lower bound) / cost is at most this; 0 for never.
    pub stop_at_gap: f64,
    pub options: ProperOptions,
}

/// Counts of one search.
#[derive(Clone, Debug, Default)]
pub struct ProperStats {
    /// Ways to divide the whole table, of two opposite ones one.
    pub dichotomies: u64,
    /// Parts looked at.
    pub nodes: u64,
    /// Rules tried as root of a part.
    pub roots: u64,
    pub memo_lookups: u64,
    pub memo_hits: u64,
    pub memo_entries: u64,
    pub memo_bytes: u64,
    pub memo_evicted: u64,
    pub discards: Discards,
    pub first_incumbent: Option<u64>,
    pub seconds: f64,
}

/// What was given up, by the rule that proved it useless.
#[derive(Clone, Debug, Default)]
pub struct Discards {
    /// Roots near another root.
    pub near: u64,
    /// Rules that equal another one in a part.
    pub equal_rules: u64,
    /// Parts settled by a bound.
    pub equal_rows: u64,
    pub class_count: u64,
    /// Parts whose remembered lower bound sufficed.
    pub memo_bounds: u64,
    /// Parts answered without the demand on rows, or on leaves of a class.
    pub relaxed: u64,
}

impl Discards {
    /// Name and count of every rule.
    pub fn list(&self) -> [(&'static str, u64); 6] {
        [
            ("near", self.near),
            ("equal_rules", self.equal_rules),
            ("equal_rows", self.equal_rows),
            ("class_count", self.class_count),
            ("memo_bounds", self.memo_bounds),
            ("relaxed", self.relaxed),
        ]
    }
}

/// The best tree for some examples, or as much as can be proved in time. A node's
/// feature is the number of its dichotomy; what that sends left has rank 0.
pub fn proper(
    dichotomies: &Dichotomies,
    examples: &Examples,
    request: &ProperRequest,
    clock: &Clock<'_>,
    progress: &Progress,
) -> (Outcome, ProperStats) {
    let with_rows = request.limits.min_rows > 1;
    let Some(ground) = Ground::new(dichotomies, examples, with_rows, clock) else {
        let outcome = Outcome::of(None, 0, request.below, clock.stopped_by());
        return (outcome, ProperStats { seconds: clock.seconds(), ..ProperStats::default() });
    };
    let mut search = Search::new(&ground, request, *clock, progress);
    search.memo = Memo::new(request.memory_limit);
    let whole = Part::whole(&ground);
    let (limits, below) = (request.limits.normalised(), request.below.min(UNBOUNDED));
    let free = request.leaves.is_empty();
    let known = (request.options.incumbent && free && limits.depth > 2).then(|| {
        // Its parts are not the table: nobody is told of them.
        search.open_calls += 1;
        let known = search.incumbent(&whole, limits);
        search.open_calls -= 1;
        search.stats.first_incumbent = Some(known.0);
        known
    });
    let known = known.filter(|(cost, _)| *cost < below);
    let upper = known.as_ref().map_or(below, |(cost, _)| *cost);
    progress.report(known.as_ref().map_or(UNBOUNDED, |(cost, _)| *cost), 0);
    let answer = match free {
        true => search.best(&whole, limits, upper),
        false => search.best_with_quotas(&whole, limits, &request.leaves, upper),
    };
    let found = answer.tree.or(known).map(|(cost, tree)| match free {
        true => search.simplified(&whole.members, &tree),
        false => (cost, tree),
    });
    let found = found.map(|(cost, tree)| (cost, search.named(&tree)));
    let mut stats = search.stats;
    stats.dichotomies = ground.kept.len() as u64;
    stats.memo_entries = search.memo.len() as u64;
    stats.memo_bytes = search.memo.bytes() as u64;
    stats.memo_evicted = search.memo.evicted;
    stats.seconds = clock.seconds();
    (Outcome::of(found, answer.lower, request.below, clock.stopped_by()), stats)
}
